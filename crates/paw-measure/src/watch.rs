//! The events of a measurement, and who receives them and may stop it.

use paw_data::cell::Cell;
use paw_data::outcome::Outcome;
use paw_data::run::Instrument;
use paw_data::sample::{Phase, Sample};

/// An event of a measurement.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A cell is being started: its process, its library, its operands. Comes once for every cell that a campaign starts.
    Starting {
        /// The cell as planned.
        cell: &'a Cell,
    },
    /// A cell was started. Comes once for every cell, before anything else about it, even where starting failed.
    Begun {
        /// The cell, with the facts that its workload found.
        cell: &'a Cell,
        /// Its clock, as measured where it is used.
        instrument: &'a Instrument,
    },
    /// A region was timed.
    Sampled {
        /// Number of the cell.
        cell: u32,
        /// Warm-up or counted.
        phase: Phase,
        /// The sample.
        sample: &'a Sample,
    },
    /// Every cell of the group that still runs has been timed once more.
    RoundEnded {
        /// Number of the round, from 0.
        round: u32,
    },
    /// A cell has ended. Comes once for every cell, after everything else about it.
    Ended {
        /// How it ended.
        outcome: &'a Outcome,
    },
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Go,
    /// Take no further sample; what was measured is kept.
    Stop,
}

/// Receives every event: saves, shows progress, passes on SIGINT.
pub trait Watch {
    /// Receives an event, between timed regions.
    fn on(&mut self, event: Event<'_>) -> Control;

    /// Whether to go on, asked where nothing has happened: between two cells that are being started.
    fn asked(&mut self) -> Control {
        Control::Go
    }
}

/// Ignores every event.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn on(&mut self, _event: Event<'_>) -> Control {
        Control::Go
    }
}
