//! Sections that a view of their own shows as a whole, not as a table of cells: those of an application, and of a kernel.

use paw_data::kernel;
use paw_data::run::Run;

use crate::application;
use crate::section::Section;

/// Whether a view of its own shows `section`.
pub fn owns(run: &Run, section: &Section<'_>) -> bool {
    let header = &run.header;
    header.app.is_some() && section.suite == application::SUITE
        || header.kernel.as_ref().is_some_and(|kernel| kernel.device.is_empty()) && section.suite == kernel::SUITE
}
