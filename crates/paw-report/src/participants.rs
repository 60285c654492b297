//! The participants of a cell: threads of one process, ranks of a team, or devices.

use paw_data::axis;
use paw_data::cell::Cell;

/// The kind of participants of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Participants {
    Threads,
    /// Ranks of a team.
    Ranks,
    Devices,
}

impl Participants {
    /// The participants of `cell`.
    pub fn of(cell: &Cell) -> Self {
        let others = [Participants::Ranks, Participants::Devices];
        let counted = |axis| others.into_iter().find(|participants| participants.word() == axis);
        // One walk over the axes: a run of a hundred thousand cells asks for each of them several times.
        cell.point.iter().filter_map(|(axis, _)| counted(axis)).min().unwrap_or(Participants::Threads)
    }

    /// The axis that counts them, and their name.
    pub fn word(self) -> &'static str {
        match self {
            Participants::Threads => "threads",
            Participants::Ranks => "ranks",
            Participants::Devices => "devices",
        }
    }

    /// The title of its column on a terminal.
    pub fn column(self) -> &'static str {
        match self {
            Participants::Threads => "thr",
            Participants::Ranks => "ranks",
            Participants::Devices => "dev",
        }
    }

    /// `1 thread`, `2 ranks`.
    pub fn count(self, n: i64) -> String {
        let one = self.word().trim_end_matches('s');
        format!("{n} {one}{}", if n == 1 { "" } else { "s" })
    }
}

/// Whether `axis` counts participants: it has a column of its own.
pub fn counts_participants(axis: &str) -> bool {
    [axis::THREADS, axis::RANKS, axis::DEVICES].contains(&axis)
}
