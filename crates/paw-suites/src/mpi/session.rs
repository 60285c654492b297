//! Sessions of MPI beside the one that the job began with: `col_session`.

use std::rc::Rc;

use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::{Comm, Session};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{COLLECTIVE, TOGETHER};
use super::error::broken;
use super::world::World;
use crate::answer;
use crate::benchmark::{Benchmark, Common, Own, Providers};

/// A session from its beginning to its end, with a communicator of all ranks.
pub const SESSION: Benchmark = Own {
    name: "col_session",
    purpose: "How long does a session take that gets a communicator of all ranks, beside a running MPI?",
    timed: "MPI_Session_init, MPI_Group_from_session_pset (mpi://WORLD), MPI_Comm_create_from_group, MPI_Comm_free, MPI_Session_finalize",
    formula: "1; one session",
    work: |_| Work::default(),
    start: |start| Ok(Box::new(Sessions { world: Rc::clone(start.engine.world()?) })),
}
.of(Common {
    family: Family::Startup,
    headline: Quantity::Time,
    providers: Providers::Mpi(TOGETHER),
    axes: &[],
    variables: &["PAW_MPI_LIBRARY"],
    memory_bytes: |_| 0.0,
    ..COLLECTIVE
});

struct Sessions {
    world: Rc<World>,
}

impl Sessions {
    /// A session with a communicator, which `seen` sees.
    fn session(&self, seen: impl FnOnce(Comm) -> Result<(), Fault>) -> Result<(), Fault> {
        let session = Session::begin(self.world.comm().mpi()).map_err(broken)?;
        let comm = session.comm(c"paw").map_err(broken)?;
        seen(comm)?;
        comm.free().map_err(broken)?;
        session.end().map_err(broken)
    }
}

impl Timed for Sessions {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        for _ in 0..loops {
            self.session(|_| Ok(()))?;
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let (rank, size) = (self.world.rank(), self.world.size());
        let mut found = (0, 0);
        self.session(|comm| {
            found = (comm.rank(), comm.size());
            comm.barrier().map_err(broken)
        })?;
        let wrong = (found != (rank, size))
            .then(|| format!("rank {rank} of {size} is rank {} of {} in the session's communicator", found.0, found.1));
        Ok(answer::exact("rank and size in the session's communicator, and a barrier over it", wrong))
    }
}
