//! Whole applications: what the run comes to, tables over threads and sizes, and what they mean.

mod bars;
pub mod figure;
pub mod markdown;
pub mod sheet;
pub mod sheets;
pub mod text;
pub mod threads;
pub mod verdict;

use paw_data::run::Run;

use crate::section::Section;

/// The suite of an application's cells.
const SUITE: &str = "app";

/// Whether `section` is the application's own: it is shown as a whole, not as a table of cells.
pub fn owns(run: &Run, section: &Section<'_>) -> bool {
    run.header.app.is_some() && section.suite == SUITE
}
