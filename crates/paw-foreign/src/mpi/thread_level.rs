//! Thread levels of MPI: which threads may call it, and when.

use std::ffi::c_int;

use super::abi::Numbers;

/// The level of thread support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ThreadLevel {
    /// There is one thread.
    Single,
    /// Only the thread that started MPI calls it.
    Funneled,
    /// Threads call MPI one at a time.
    Serialized,
    /// Threads call MPI at the same time.
    Multiple,
}

impl ThreadLevel {
    pub(super) const ALL: [Self; 4] = [Self::Single, Self::Funneled, Self::Serialized, Self::Multiple];

    /// The level's name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Funneled => "funneled",
            Self::Serialized => "serialized",
            Self::Multiple => "multiple",
        }
    }

    pub(super) fn number(self, numbers: &Numbers) -> c_int {
        Numbers::int(match self {
            Self::Single => numbers.thread_single,
            Self::Funneled => numbers.thread_funneled,
            Self::Serialized => numbers.thread_serialized,
            Self::Multiple => numbers.thread_multiple,
        })
    }
}
