//! The processes that measure: workers, or the ranks of an MPI job.

use std::rc::Rc;

use paw_data::outcome::Caveat;
use paw_data::point::Point;
use paw_measure::clock::Clock;
use paw_measure::session::Session;
use paw_measure::watchdog::Armed;

use crate::mpi::world::World;

/// The processes that measure.
pub enum Executor {
    /// Worker processes that the campaign starts.
    Workers,
    /// The ranks of the job this process belongs to, all in step.
    Ranks(Rc<World>),
}

impl Executor {
    /// The caveats of every cell that it measures at that point.
    pub(crate) fn caveats(&self, point: &Point) -> Vec<Caveat> {
        match self {
            Executor::Workers => Vec::new(),
            Executor::Ranks(world) => world.caveats(point),
        }
    }

    /// How many measuring processes share this machine's memory.
    pub(crate) fn sharing(&self) -> f64 {
        match self {
            Executor::Workers => 1.0,
            Executor::Ranks(world) => world.ranks_here() as f64,
        }
    }

    /// Arms the ranks' watchdog, which ends the job if a rank is gone; workers need none.
    pub(crate) fn armed(&self) -> Option<Armed> {
        match self {
            Executor::Workers => None,
            Executor::Ranks(world) => Some(world.armed()),
        }
    }

    pub(crate) fn session(&self, clock: Clock) -> Session<'_> {
        match self {
            Executor::Workers => Session::alone(clock),
            Executor::Ranks(world) => Session::with_team(clock, world.team()),
        }
    }
}
