//! What runs once around the runs of a group: `--setup` before the first, `--cleanup` after the last.

use std::cell::RefCell;

use paw_measure::fault::Fault;

use crate::launch::Launch;
use crate::launcher::Launcher;
use crate::plan::PlannedProgram;
use crate::program::aside;

/// Setup and cleanup of the group that is measured.
#[derive(Debug, Default)]
pub(crate) struct Series {
    open: Option<OpenSeries>,
    /// What became of each cleanup that failed.
    pub(crate) faults: Vec<Fault>,
}

/// A group whose setup has run.
#[derive(Debug)]
struct OpenSeries {
    group: u32,
    setup: Result<(), Fault>,
    cleanup: Option<Launch>,
}

impl Series {
    /// Runs the setup of a cell's group before its first cell; all cells have its fault.
    pub(crate) fn begin(&mut self, planned: &PlannedProgram, launcher: &RefCell<Launcher>) -> Result<(), Fault> {
        let group = planned.cell.group;
        let known = self.open.take().filter(|open| open.group == group);
        let open = known.unwrap_or_else(|| OpenSeries {
            group,
            setup: aside(launcher, planned.job.setup.as_ref(), "--setup"),
            cleanup: planned.job.cleanup.clone(),
        });
        self.open.insert(open).setup.clone()
    }

    /// Runs the cleanup of the group, also after an interruption, unless its setup failed.
    pub(crate) fn end(&mut self, launcher: &RefCell<Launcher>) {
        let Some(open) = self.open.take().filter(|open| open.setup.is_ok()) else { return };
        self.faults.extend(aside(launcher, open.cleanup.as_ref(), "--cleanup").err());
    }
}
