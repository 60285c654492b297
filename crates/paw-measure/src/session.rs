//! The clock that stamps the samples of a run, and the team that measures them.
//!
//! Whether a calibration is late, or a budget is spent, decides what all ranks do next: all of them go by rank 0's clock. Two ranks
//! that read their own come to different answers once in a while, and then wait for each other in different calls.

use crate::clock::Clock;
use crate::team::{Alone, Team};

/// The clock and the team of all groups of a run. Samples are stamped with the seconds since it was made, by the root's clock.
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

    /// Seconds since the session began, by the root's clock: the same on every rank, which all call it together. Ranks that are out of
    /// step go on by their own clocks: there is no more to decide.
    pub fn at_s(&self) -> f64 {
        let mine_s = self.clock.seconds(self.origin, self.clock.stop());
        if self.team.is_in_step() { self.team.roots_s(mine_s).unwrap_or(mine_s) } else { mine_s }
    }

    /// The processes that measure together.
    pub fn team(&self) -> &'t dyn Team {
        self.team
    }
}
