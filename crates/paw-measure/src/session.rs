//! What all groups of a run share: the clock samples are stamped with, and the team.

use crate::clock::Clock;
use crate::team::{Alone, Team};

/// What all groups of a run share. Begins when it is made: samples are stamped with the seconds since then.
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
