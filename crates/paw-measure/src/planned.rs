//! The groups of cells that a campaign measures, each cell with its producer's facts to start it. Plain data.

use std::fmt;

use paw_data::cell::Cell;

/// A cell to be measured.
#[derive(Debug, Clone)]
pub struct PlannedCell<J> {
    /// The facts of the cell.
    pub cell: Cell,
    /// The producer's facts to start it.
    pub job: J,
}

/// Cells that are interleaved in rounds.
#[derive(Debug, Clone)]
pub struct Group<J> {
    /// The cells, references after their subjects.
    pub cells: Vec<PlannedCell<J>>,
    /// Seconds the group is expected to take; groups without an estimate share a budget equally.
    pub estimate_s: Option<f64>,
    /// Least seconds that the group's start and fewest rounds are expected to take: with less time left, the group is not begun.
    pub least_s: f64,
    /// Seconds that a round is expected to take.
    pub round_s: Option<f64>,
    /// Its part of a budget in proportion to those of other groups; `None`: its estimate.
    pub share: Option<f64>,
}

/// Groups in the order in which they are measured.
#[derive(Debug, Clone)]
pub struct Campaign<J> {
    /// The groups.
    pub groups: Vec<Group<J>>,
}

impl<J> Campaign<J> {
    /// A campaign whose groups have no estimates.
    pub fn unestimated(groups: Vec<Vec<PlannedCell<J>>>) -> Self {
        Self {
            groups: groups
                .into_iter()
                .map(|cells| Group { cells, estimate_s: None, least_s: 0.0, round_s: None, share: None })
                .collect(),
        }
    }

    /// All cells, in order.
    pub fn cells(&self) -> impl Iterator<Item = &PlannedCell<J>> {
        self.groups.iter().flat_map(|group| &group.cells)
    }
}

/// `dgemm n=1024 threads=2, embedded`.
impl<J> fmt::Display for PlannedCell<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}, {}", self.cell.benchmark, self.cell.point, self.cell.provider)
    }
}
