//! The clock that stamps the samples of a run, and the team that measures them.

use crate::clock::Clock;
use crate::team::{Alone, Team};

/// The clock and the team of all groups of a run. Samples are stamped with the seconds since it was made.
pub struct Session<'t> {
    clock: Clock,
    origin: u64,
    team: &'t dyn Team,
}

impl Session<'static> {
    /// A session of this process alone that begins now by `clock`.
    pub fn alone(clock: Clock) -> Self {
        Session::with_team(clock, &Alone)
    }
}

impl<'t> Session<'t> {
    /// A session of several processes that begins now by `clock`.
    pub fn with_team(clock: Clock, team: &'t dyn Team) -> Self {
        let origin = clock.start();
        Self { clock, origin, team }
    }

    /// Seconds since the session began.
    pub fn at_s(&self) -> f64 {
        self.clock.seconds(self.origin, self.clock.stop())
    }

    /// The processes that measure together.
    pub fn team(&self) -> &'t dyn Team {
        self.team
    }
}
