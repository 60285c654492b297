//! A cell that is ready to be measured: its facts, method and workload.

use paw_data::cell::{Cell, Role};
use paw_data::method::Method;
use paw_data::outcome::Caveat;
use paw_data::secondary::MetricName;

use crate::disturbance::Placement;
use crate::loops::LadderState;
use crate::workload::Workload;

/// A cell that is ready to be measured: its facts, method and workload.
pub struct PreparedCell {
    /// The cell; `instrument` and the facts that the workload finds are filled in when it begins.
    pub cell: Cell,
    /// How its series is measured.
    pub method: Method,
    /// The workload that is timed.
    pub workload: Box<dyn Workload>,
    /// The ladder state of the previous point; after measuring, that of this point.
    pub ladder: Option<LadderState>,
    /// Whether the threads are bound to processors.
    pub placement: Placement,
    /// The figure that decides when the series ends: time, or a secondary metric.
    pub drive: Drive,
    /// Seconds after which its series ends, in place of the rule of its method.
    pub lasting_s: Option<f64>,
    /// Caveats known before the cell was started.
    pub caveats: Vec<Caveat>,
    /// What it has in common with cells of its group that cost the same; `None` where it has no such likes.
    pub likeness: Option<String>,
}

/// The figure that decides when a series ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Drive {
    /// The time of an iteration.
    #[default]
    Time,
    /// The secondary metric of this name; less is better.
    Lower(MetricName),
    /// The secondary metric of this name; more is better.
    Higher(MetricName),
}

impl PreparedCell {
    /// A cell at the start of a ladder, whose threads the operating system places.
    pub fn new(cell: Cell, method: Method, workload: Box<dyn Workload>) -> Self {
        Self {
            cell,
            method,
            workload,
            ladder: None,
            placement: Placement::Free,
            drive: Drive::Time,
            lasting_s: None,
            caveats: Vec::new(),
            likeness: None,
        }
    }

    /// This cell with the ladder state of the previous point.
    #[must_use]
    pub fn continuing(mut self, ladder: Option<LadderState>) -> Self {
        self.ladder = ladder;
        self
    }

    /// This cell with another placement of its threads.
    #[must_use]
    pub fn placed(mut self, placement: Placement) -> Self {
        self.placement = placement;
        self
    }

    /// This cell with another figure that decides when its series ends.
    #[must_use]
    pub fn driven(mut self, drive: Drive) -> Self {
        self.drive = drive;
        self
    }

    /// This cell with `caveats` added to those of its outcome.
    #[must_use]
    pub fn with_caveats(mut self, caveats: impl IntoIterator<Item = Caveat>) -> Self {
        self.caveats.extend(caveats);
        self
    }

    /// Whether the group waits for this cell. Peaks and bandwidths never hold a group up; a base is half of every speed-up.
    pub(crate) fn is_subject(&self) -> bool {
        matches!(self.cell.role, Role::Subject | Role::Base)
    }
}
