//! Persistent requests: `p2p_persistent`, `allreduce_persistent`, `bcast_persistent`, `reduce_persistent`, `gather_persistent`,
//! `scatter_persistent`, `allgather_persistent`, `alltoall_persistent`, `reduce_scatter_persistent`, `barrier_persistent`.

use std::rc::Rc;

use paw_data::outcome::Check;
use paw_foreign::mpi::{MpiError, Op, Requests};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::ANYWHERE;
use super::collective::{self, CollectiveKind};
use super::collective_kind::collectives;
use super::error::broken;
use super::pair::{self, Pair, TAG};
use super::rank_buffers::{ROOT, RankBuffers};
use crate::benchmark::{Benchmark, Common, Own, Start};

/// A ping-pong of persistent requests.
pub const P2P: Benchmark = Own {
    name: "p2p_persistent",
    purpose: "What do messages cost whose requests are made once?",
    timed: "first half: MPI_Start, MPI_Wait (send), MPI_Start, MPI_Wait (receive) | second half: the same, receiving first",
    formula: pair::ROUND_TRIP,
    work: pair::round_trip,
    start: pairwise,
}
.of(ANYWHERE)
.quick(&[]);

collectives! {
    (CollectiveKind::own, CollectiveKind::common, together, "")
    /// Persistent allreduce: the sum on every rank.
    ALLREDUCE: ALLREDUCE, "allreduce_persistent", "MPI_Start, MPI_Wait of MPI_Allreduce_init",
        "How long until every rank holds the sum, by a request made once?",
        |buffers, requests| requests.allreduce_init(SLOT, buffers.from, buffers.into, Op::Sum);
    /// Persistent broadcast: from one rank to all.
    BCAST: BCAST, "bcast_persistent", "MPI_Start, MPI_Wait of MPI_Bcast_init",
        "How long until every rank holds what the root had, by a request made once?",
        |buffers, requests| {
            let part = if buffers.comm.rank() == ROOT { buffers.from } else { buffers.into };
            requests.bcast_init(SLOT, part, ROOT)
        };
    /// Persistent reduction: the sum on one rank.
    REDUCE: REDUCE, "reduce_persistent", "MPI_Start, MPI_Wait of MPI_Reduce_init",
        "How long until the root holds the sum over all ranks, by a request made once?",
        |buffers, requests| requests.reduce_init(SLOT, buffers.from, buffers.into, Op::Sum, ROOT);
    /// Persistent all-to-all: a block from every rank to every rank.
    ALLTOALL: ALLTOALL, "alltoall_persistent", "MPI_Start, MPI_Wait of MPI_Alltoall_init",
        "How long until every rank has sent every rank something else, by a request made once?",
        |buffers, requests| requests.alltoall_init(SLOT, buffers.from, buffers.into);
    /// Persistent reduction: a block of the sum on each rank.
    REDUCE_SCATTER: REDUCE_SCATTER, "reduce_scatter_persistent", "MPI_Start, MPI_Wait of MPI_Reduce_scatter_block_init",
        "How long until every rank holds its block of the sum over all ranks, by a request made once?",
        |buffers, requests| requests.reduce_scatter_block_init(SLOT, buffers.from, buffers.into, Op::Sum);
    /// Persistent barrier: no data.
    BARRIER: BARRIER { axes: &[collective::CADENCE, collective::SCOPE], variables: &["PAW_MPI_LIBRARY"] }, "barrier_persistent", "MPI_Start, MPI_Wait of MPI_Barrier_init",
        "How long does it take all ranks to learn that all have arrived, by a request made once?",
        |_, requests| requests.barrier_init(SLOT);
}

collectives! {
    (CollectiveKind::own, CollectiveKind::common, together_again, "")
    /// Persistent gather: every rank's elements on one rank.
    GATHER: GATHER, "gather_persistent", "MPI_Start, MPI_Wait of MPI_Gather_init",
        "How long until the root holds what all ranks contribute, by a request made once?",
        |buffers, requests| requests.gather_init(SLOT, buffers.from, buffers.into, ROOT);
    /// Persistent scatter: a different block of one rank on each rank.
    SCATTER: SCATTER, "scatter_persistent", "MPI_Start, MPI_Wait of MPI_Scatter_init",
        "How long until every rank holds its block of what the root had, by a request made once?",
        |buffers, requests| requests.scatter_init(SLOT, buffers.from, buffers.into, ROOT);
    /// Persistent allgather: every rank's elements on every rank.
    ALLGATHER: ALLGATHER, "allgather_persistent", "MPI_Start, MPI_Wait of MPI_Allgather_init",
        "How long until every rank holds what all ranks contribute, by a request made once?",
        |buffers, requests| requests.allgather_init(SLOT, buffers.from, buffers.into);
}

/// Slot of a collective's only request.
const SLOT: usize = 0;
/// Slots of a pair's requests.
const OUT: usize = 0;
const INTO: usize = 1;

struct Persistent {
    pair: Pair,
    requests: Requests,
}

fn pairwise(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let pair = Pair::new(start)?;
    let mut requests = Requests::new(pair.comm, Rc::clone(&pair.memory), 2);
    requests.send_init(OUT, pair.out, pair.partner, TAG).map_err(broken)?;
    requests.recv_init(INTO, pair.into, pair.partner, TAG).map_err(broken)?;
    Ok(Box::new(Persistent { pair, requests }))
}

impl Timed for Persistent {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let [sooner, later] = if self.pair.is_first { [OUT, INTO] } else { [INTO, OUT] };
        let requests = &mut self.requests;
        let start = clock.start();
        for _ in 0..loops {
            requests.start(sooner).map_err(broken)?;
            requests.wait(sooner).map_err(broken)?;
            requests.start(later).map_err(broken)?;
            requests.wait(later).map_err(broken)?;
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.pair.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.pair.check())
    }
}

struct Restarted {
    buffers: RankBuffers,
    requests: Requests,
    kind: &'static CollectiveKind,
}

fn together(
    start: &Start<'_>,
    kind: &'static CollectiveKind,
    make: impl Fn(&RankBuffers, &mut Requests) -> Result<(), MpiError>,
) -> Result<Box<dyn Timed>, Fault> {
    let buffers = RankBuffers::new(start, kind.extents)?;
    let mut requests = Requests::new(buffers.comm, Rc::clone(&buffers.memory), 1);
    make(&buffers, &mut requests).map_err(broken)?;
    Ok(Box::new(Restarted { buffers, requests, kind }))
}

/// As [`together`], of collectives that some libraries restart wrongly.
fn together_again(
    start: &Start<'_>,
    kind: &'static CollectiveKind,
    make: impl Fn(&RankBuffers, &mut Requests) -> Result<(), MpiError>,
) -> Result<Box<dyn Timed>, Fault> {
    let mpi = start.engine.world()?.comm().mpi();
    if mpi.family().restarts_gathers(mpi.version()) {
        return together(start, kind, make);
    }
    Err(Fault::Missing(format!(
        "{} moves old data, or ends the job, where a gather, scatter or allgather is made once and started again \
         (pmodels/mpich#7078): a later library is needed, such as MPICH 4.3",
        mpi.version()
    )))
}

impl Timed for Restarted {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        for _ in 0..loops {
            self.requests.start(SLOT).map_err(broken)?;
            self.requests.wait(SLOT).map_err(broken)?;
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.buffers.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.kind.check(&self.buffers))
    }
}
