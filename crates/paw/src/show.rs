//! A run on standard output, written as the user asks.

use paw_data::run::Run;
use paw_data::store::{csv, json};

use crate::cli::{Format, LeavingArgs};
use crate::failure::Failure;
use crate::print;

/// Shows a run that was just measured: a single program's in a few lines, unless `--verbose` asks for all.
pub fn show_measured(run: &Run, leaving: &LeavingArgs) -> (Shown, Result<(), Failure>) {
    let may_be_short = leaving.format == Format::Text && !leaving.verbose;
    match may_be_short.then(|| paw_report::brief(run, print::width(), print::colour())).flatten() {
        Some(text) => (Shown::Short, print::show(&text)),
        None => (Shown::Whole, show(run, leaving.format)),
    }
}

/// How much of a run was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Headlines alone.
    Short,
    /// Everything that its format has.
    Whole,
}

/// Shows a run.
pub fn show(run: &Run, format: Format) -> Result<(), Failure> {
    match format {
        Format::Text => print::show(&paw_report::text(run, print::width(), print::colour())),
        Format::Md => print::show(&paw_report::markdown(run)),
        Format::Json => print::stream(|out| json::write(run, out)),
        Format::Csv => print::stream(|out| csv::write(run, out)),
    }
}
