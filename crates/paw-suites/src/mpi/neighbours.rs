//! Exchange with both neighbours in a ring of ranks: `exchange`, `neighbor_alltoall`, `neighbor_allgather`.

use std::rc::Rc;

use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_foreign::mpi::{Datatype, MpiError, Part, Requests};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{CollectiveKind, called};
use super::collective_kind::{self, collectives};
use super::error::broken;
use super::pair::TAG;
use super::rank_buffers::RankBuffers;
use crate::benchmark::{Benchmark, Common, Own, Start};

/// What every rank sends and receives.
const KIND: CollectiveKind = collective_kind::NEIGHBOR_ALLTOALL;

/// Halo exchange in one dimension, by messages.
pub const EXCHANGE: Benchmark = Own {
    name: "exchange",
    purpose: "How long does a halo exchange take: every rank sends to both its neighbours in a ring and receives from both?",
    timed: "2 x MPI_Irecv, 2 x MPI_Isend, MPI_Waitall",
    formula: KIND.formulas[0],
    work: KIND.work,
    start: exchange,
}
.of(Common { family: Family::Pairs, ..KIND.common() })
.quick(&[]);

collectives! {
    (CollectiveKind::own, CollectiveKind::common, begin, " on a periodic Cartesian communicator of one dimension")
    /// Halo exchange in one dimension, by one collective call.
    NEIGHBOR_ALLTOALL: NEIGHBOR_ALLTOALL, "neighbor_alltoall", "MPI_Neighbor_alltoall",
        "How long does a halo exchange take as one collective call over a ring?",
        |buffers| buffers.comm.neighbor_alltoall(&buffers.memory, buffers.from, buffers.into);
    /// The same elements to both neighbours, by one collective call.
    NEIGHBOR_ALLGATHER: NEIGHBOR_ALLGATHER, "neighbor_allgather", "MPI_Neighbor_allgather",
        "How long until both neighbours in a ring hold what every rank contributes?",
        |buffers| buffers.comm.neighbor_allgather(&buffers.memory, buffers.from, buffers.into);
}

/// Starts a collective of neighbours in a closed ring.
fn begin<C>(start: &Start<'_>, kind: &'static CollectiveKind, call: C) -> Result<Box<dyn Timed>, Fault>
where
    C: Fn(&RankBuffers) -> Result<(), MpiError> + 'static,
{
    Ok(called(RankBuffers::in_ring(start, kind.extents)?, kind, call))
}

/// The first or second half of `part`.
fn half(part: Part, n: usize, second: usize) -> Part {
    Part::new(part.offset_bytes() + second * n * part.kind().bytes(), n as i32, Datatype::Double)
}

/// Tags that distinguish messages to the left from messages to the right: with two ranks both come from the same rank.
const LEFTWARD: i32 = TAG + 1;
const RIGHTWARD: i32 = TAG + 2;

struct Exchange {
    buffers: RankBuffers,
    requests: Requests,
}

fn exchange(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let buffers = RankBuffers::new(start, KIND.extents)?;
    let requests = Requests::new(buffers.comm, Rc::clone(&buffers.memory), 4);
    Ok(Box::new(Exchange { buffers, requests }))
}

impl Timed for Exchange {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let Self { buffers, requests } = self;
        let (left, right) = buffers.neighbours();
        let [out_left, out_right] = [0, 1].map(|second| half(buffers.from, buffers.n, second));
        let [in_left, in_right] = [0, 1].map(|second| half(buffers.into, buffers.n, second));
        let start = clock.start();
        for _ in 0..loops {
            requests.irecv(0, in_left, left, RIGHTWARD).map_err(broken)?;
            requests.irecv(1, in_right, right, LEFTWARD).map_err(broken)?;
            requests.isend(2, out_left, left, LEFTWARD).map_err(broken)?;
            requests.isend(3, out_right, right, RIGHTWARD).map_err(broken)?;
            requests.wait_all().map_err(broken)?;
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.buffers.refill();
        self.time(1, &Clock::monotonic())?;
        // Tags tell the messages of one rank from each other, so that there is one right order.
        Ok(self.buffers.check(KIND.expected))
    }
}
