//! A run on standard output, written as the user asks.

use paw_data::run::Run;
use paw_data::store::{csv, json};

use crate::cli::{Format, LeavingArgs};
use crate::failure::Failure;
use crate::print;

/// Shows a run that was just measured: a single program's in a few lines, unless `--verbose` asks for all.
pub fn show_measured(run: &Run, leaving: &LeavingArgs) -> Result<(), Failure> {
    let is_short = leaving.format == Format::Text && !leaving.verbose;
    let short = is_short.then(|| paw_report::brief(run, print::width(), print::colour())).flatten();
    short.map_or_else(|| show(run, leaving.format), |text| print::show(&text))
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
