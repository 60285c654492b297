//! A run on standard output, written as the user asks.

use paw_data::run::Run;
use paw_data::store::{csv, json};

use crate::cli::Format;
use crate::failure::Failure;
use crate::print;

/// Shows a run.
pub fn show(run: &Run, format: Format) -> Result<(), Failure> {
    match format {
        Format::Text => print::show(&paw_report::text(run, print::width(), print::colour())),
        Format::Md => print::show(&paw_report::markdown(run)),
        Format::Json => print::stream(|out| json::write(run, out)),
        Format::Csv => print::stream(|out| csv::write(run, out)),
    }
}
