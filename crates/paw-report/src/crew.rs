//! What works together on a cell: threads of one process, or ranks of a team.

use paw_data::cell::Cell;

/// What works together on a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crew {
    /// Threads of one process.
    Threads,
    /// Processes that talk to each other.
    Ranks,
}

impl Crew {
    /// The crew of `cell`.
    pub fn of(cell: &Cell) -> Self {
        if cell.point.value("ranks").is_some() { Crew::Ranks } else { Crew::Threads }
    }

    /// The axis that counts it, which is its name too.
    pub fn word(self) -> &'static str {
        match self {
            Crew::Threads => "threads",
            Crew::Ranks => "ranks",
        }
    }

    /// The title of its column on a terminal.
    pub fn column(self) -> &'static str {
        match self {
            Crew::Threads => "thr",
            Crew::Ranks => "ranks",
        }
    }

    /// `1 thread`, `2 ranks`.
    pub fn count(self, n: i64) -> String {
        let one = self.word().trim_end_matches('s');
        format!("{n} {one}{}", if n == 1 { "" } else { "s" })
    }
}

/// Whether `axis` counts a crew: it has a column of its own.
pub fn is_crew(axis: &str) -> bool {
    matches!(axis, "threads" | "ranks")
}

/// The title of a column where there is room for it.
pub fn spelled(title: &str) -> String {
    if title == Crew::Threads.column() { Crew::Threads.word().to_owned() } else { title.replace('\n', " ") }
}
