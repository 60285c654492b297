//! What works together on a cell: threads of one process, ranks of a team, or devices.

use paw_data::cell::Cell;

/// What works together on a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crew {
    /// Threads of one process.
    Threads,
    /// Processes that talk to each other.
    Ranks,
    /// Devices at once.
    Devices,
}

impl Crew {
    /// The crew of `cell`.
    pub fn of(cell: &Cell) -> Self {
        let has = |crew: &&Crew| cell.point.value(crew.word()).is_some();
        [Crew::Ranks, Crew::Devices].iter().find(has).copied().unwrap_or(Crew::Threads)
    }

    /// The axis that counts it, which is its name too.
    pub fn word(self) -> &'static str {
        match self {
            Crew::Threads => "threads",
            Crew::Ranks => "ranks",
            Crew::Devices => "devices",
        }
    }

    /// The title of its column on a terminal.
    pub fn column(self) -> &'static str {
        match self {
            Crew::Threads => "thr",
            Crew::Ranks => "ranks",
            Crew::Devices => "dev",
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
    matches!(axis, "threads" | "ranks" | "devices")
}

/// The title of a column where there is room for it.
pub fn spelled(title: &str) -> String {
    let crew = [Crew::Threads, Crew::Devices].into_iter().find(|crew| crew.column() == title);
    crew.map_or_else(|| title.replace('\n', " "), |crew| crew.word().to_owned())
}
