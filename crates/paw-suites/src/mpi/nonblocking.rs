//! Non-blocking collectives, and how much of them a computation hides: `ibarrier`, `ibcast`, `iallreduce`, `ialltoall`, `iallgather`,
//! `igather`, `iscatter`, `ireduce`, `ireduce_scatter`, `iscan`, `iexscan`, with a count for every rank `igatherv`, `iscatterv`,
//! `iallgatherv`, `ialltoallv`, and among neighbours `ineighbor_alltoall`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_foreign::mpi::{Counts, MpiError, Op, Requests};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::buffer::BUFFER;
use super::collective::{CollectiveKind, SCOPE};
use super::collective_kind::collectives;
use super::error::broken;
use super::pair::elements;
use super::rank_buffers::{ROOT, RankBuffers};
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};

collectives! {
    (overlapped, tested, begin, ", MPI_Wait; beside it the same with as long a computation between, from which the overlap follows")
    /// Non-blocking allreduce: the sum on every rank.
    IALLREDUCE: ALLREDUCE, "iallreduce", "MPI_Iallreduce",
        "How much of a sum over all ranks is hidden behind a computation?",
        |buffers, requests| requests.iallreduce(SLOT, buffers.from, buffers.into, Op::Sum);
    /// Non-blocking broadcast: from one rank to all.
    IBCAST: BCAST, "ibcast", "MPI_Ibcast",
        "How much of a broadcast is hidden behind a computation?",
        |buffers, requests| {
            let part = if buffers.comm.rank() == ROOT { buffers.from } else { buffers.into };
            requests.ibcast(SLOT, part, ROOT)
        };
    /// Non-blocking all-to-all: a block from every rank to every rank.
    IALLTOALL: ALLTOALL, "ialltoall", "MPI_Ialltoall",
        "How much of an all-to-all is hidden behind a computation?",
        |buffers, requests| requests.ialltoall(SLOT, buffers.from, buffers.into);
    /// Non-blocking allgather: every rank's elements on every rank.
    IALLGATHER: ALLGATHER, "iallgather", "MPI_Iallgather",
        "How much of an allgather is hidden behind a computation?",
        |buffers, requests| requests.iallgather(SLOT, buffers.from, buffers.into);
    /// Non-blocking gather: every rank's elements on one rank.
    IGATHER: GATHER, "igather", "MPI_Igather",
        "How much of a gather is hidden behind a computation?",
        |buffers, requests| requests.igather(SLOT, buffers.from, buffers.into, ROOT);
    /// Non-blocking scatter: a different block of one rank on each rank.
    ISCATTER: SCATTER, "iscatter", "MPI_Iscatter",
        "How much of a scatter is hidden behind a computation?",
        |buffers, requests| requests.iscatter(SLOT, buffers.from, buffers.into, ROOT);
    /// Non-blocking reduction: the sum on one rank.
    IREDUCE: REDUCE, "ireduce", "MPI_Ireduce",
        "How much of a sum on one rank is hidden behind a computation?",
        |buffers, requests| requests.ireduce(SLOT, buffers.from, buffers.into, Op::Sum, ROOT);
    /// Non-blocking reduction: a block of the sum on each rank.
    IREDUCE_SCATTER: REDUCE_SCATTER, "ireduce_scatter", "MPI_Ireduce_scatter_block",
        "How much of a sum of which each rank gets a block is hidden behind a computation?",
        |buffers, requests| requests.ireduce_scatter_block(SLOT, buffers.from, buffers.into, Op::Sum);
    /// Non-blocking scan: the sum over all ranks up to itself on each rank.
    ISCAN: SCAN, "iscan", "MPI_Iscan",
        "How much of a scan is hidden behind a computation?",
        |buffers, requests| requests.iscan(SLOT, buffers.from, buffers.into, Op::Sum);
    /// Non-blocking exclusive scan: the sum over all ranks before itself on each rank.
    IEXSCAN: EXSCAN, "iexscan", "MPI_Iexscan",
        "How much of an exclusive scan is hidden behind a computation?",
        |buffers, requests| requests.iexscan(SLOT, buffers.from, buffers.into, Op::Sum);
    /// Non-blocking barrier: no data.
    IBARRIER: BARRIER { axes: &[TESTS, SCOPE], variables: &["PAW_MPI_LIBRARY"] }, "ibarrier", "MPI_Ibarrier",
        "How much of a barrier is hidden behind a computation?",
        |_, requests| requests.ibarrier(SLOT);
}

collectives! {
    (overlapped, tested, begin_counted, ", MPI_Wait; beside it the same with as long a computation between, from which the overlap follows")
    /// Non-blocking gather with a count for every rank: every rank's elements on one rank.
    IGATHERV: GATHER, "igatherv", "MPI_Igatherv",
        "How much of a gather with a count for each rank is hidden behind a computation?",
        |buffers, requests, counts| requests.igatherv(SLOT, buffers.from, buffers.into, counts, ROOT);
    /// Non-blocking scatter with a count for every rank: a different block of one rank on each rank.
    ISCATTERV: SCATTER, "iscatterv", "MPI_Iscatterv",
        "How much of a scatter with a count for each rank is hidden behind a computation?",
        |buffers, requests, counts| requests.iscatterv(SLOT, buffers.from, counts, buffers.into, ROOT);
    /// Non-blocking allgather with a count for every rank: every rank's elements on every rank.
    IALLGATHERV: ALLGATHER, "iallgatherv", "MPI_Iallgatherv",
        "How much of an allgather with a count for each rank is hidden behind a computation?",
        |buffers, requests, counts| requests.iallgatherv(SLOT, buffers.from, buffers.into, counts);
    /// Non-blocking all-to-all with a count for every rank: a block from every rank to every rank.
    IALLTOALLV: ALLTOALL, "ialltoallv", "MPI_Ialltoallv",
        "How much of an all-to-all with a count for each rank is hidden behind a computation?",
        |buffers, requests, counts| requests.ialltoallv(SLOT, buffers.from, counts, buffers.into, counts);
}

collectives! {
    (overlapped, tested, begin_in_ring, ", MPI_Wait; beside it the same with as long a computation between, from which the overlap follows")
    /// Non-blocking exchange with both neighbours in a ring.
    INEIGHBOR_ALLTOALL: NEIGHBOR_ALLTOALL, "ineighbor_alltoall",
        "MPI_Ineighbor_alltoall on a periodic Cartesian communicator of one dimension",
        "How much of a halo exchange over a ring is hidden behind a computation?",
        |buffers, requests| requests.ineighbor_alltoall(SLOT, buffers.from, buffers.into);
}

/// The facts of a non-blocking call.
const fn overlapped(
    kind: &CollectiveKind,
    name: &'static str,
    purpose: &'static str,
    timed: &'static str,
    start: fn(&Start<'_>) -> Result<Box<dyn Timed>, Fault>,
) -> Own {
    Own { formula: kind.formulas[1], ..kind.own(name, purpose, timed, start) }
}

const fn tested(kind: &CollectiveKind) -> Common {
    Common { axes: &[N, TESTS, SCOPE, BUFFER], ..kind.common() }
}

const N: Axis = Axis {
    name: axis::N,
    meaning: "elements of 8 bytes that each rank contributes or receives",
    values: Values::Ints(&[1, 4096]),
};
const TESTS: Axis = Axis {
    name: axis::TESTS,
    meaning: "calls of MPI_Test during the computation: many libraries get on only when they are called",
    values: Values::Ints(&[0]),
};

/// The slot of the only request.
const SLOT: usize = 0;

struct Overlapped<C> {
    /// Dropped before the communicator that the buffers may own.
    requests: Requests,
    buffers: RankBuffers,
    call: C,
    kind: &'static CollectiveKind,
    tests: u64,
    found: Found,
}

/// Times of the last sample in seconds per operation, and the overlap that follows from them.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    compute_s: f64,
    total_s: f64,
    overlap: f64,
}

fn begin<C>(start: &Start<'_>, kind: &'static CollectiveKind, call: C) -> Result<Box<dyn Timed>, Fault>
where
    C: Fn(&RankBuffers, &mut Requests) -> Result<(), MpiError> + 'static,
{
    Ok(hidden(start, RankBuffers::new(start, kind.extents)?, kind, call))
}

/// As [`begin`], called with a count for every rank, all equal.
fn begin_counted<C>(start: &Start<'_>, kind: &'static CollectiveKind, call: C) -> Result<Box<dyn Timed>, Fault>
where
    C: Fn(&RankBuffers, &mut Requests, &Rc<Counts>) -> Result<(), MpiError> + 'static,
{
    let buffers = RankBuffers::new(start, kind.extents)?;
    let counts = Rc::new(Counts::equal(elements(start.point)?, buffers.comm.size()));
    Ok(hidden(start, buffers, kind, move |buffers, requests| call(buffers, requests, &counts)))
}

/// As [`begin`], the ranks being a closed ring.
fn begin_in_ring<C>(start: &Start<'_>, kind: &'static CollectiveKind, call: C) -> Result<Box<dyn Timed>, Fault>
where
    C: Fn(&RankBuffers, &mut Requests) -> Result<(), MpiError> + 'static,
{
    Ok(hidden(start, RankBuffers::in_ring(start, kind.extents)?, kind, call))
}

fn hidden<C>(start: &Start<'_>, buffers: RankBuffers, kind: &'static CollectiveKind, call: C) -> Box<dyn Timed>
where
    C: Fn(&RankBuffers, &mut Requests) -> Result<(), MpiError> + 'static,
{
    let requests = Requests::new(buffers.comm, Rc::clone(&buffers.memory), 1);
    let tests = start.point.int(axis::TESTS).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
    Box::new(Overlapped { requests, buffers, call, kind, tests, found: Found::default() })
}

/// Computes `links` dependent multiplications, some four cycles each.
fn compute(links: u64) {
    let mut x = 1.000_000_1_f64;
    for _ in 0..links {
        x = std::hint::black_box(x * 1.000_000_1);
    }
    std::hint::black_box(x);
}

/// Number of links timed to learn the duration of one.
const PROBE_LINKS: u64 = 20_000;

impl<C> Overlapped<C>
where
    C: Fn(&RankBuffers, &mut Requests) -> Result<(), MpiError>,
{
    /// Seconds of one operation with a computation of `links` between its start and its end.
    fn beside(&mut self, loops: u64, links: u64, clock: &Clock) -> Result<f64, Fault> {
        let stretch = links / (self.tests + 1);
        let start = clock.start();
        for _ in 0..loops {
            (self.call)(&self.buffers, &mut self.requests).map_err(broken)?;
            for _ in 0..self.tests {
                compute(stretch);
                self.requests.test(SLOT).map_err(broken)?;
            }
            compute(stretch);
            self.requests.wait(SLOT).map_err(broken)?;
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop) / loops as f64)
    }
}

fn chain_s(links: u64, loops: u64, clock: &Clock) -> f64 {
    let start = clock.start();
    for _ in 0..loops {
        compute(links);
    }
    let stop = clock.stop();
    clock.seconds(start, stop) / loops as f64
}

impl<C> Timed for Overlapped<C>
where
    C: Fn(&RankBuffers, &mut Requests) -> Result<(), MpiError>,
{
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        for _ in 0..loops {
            (self.call)(&self.buffers, &mut self.requests).map_err(broken)?;
            self.requests.wait(SLOT).map_err(broken)?;
        }
        let stop = clock.stop();
        let alone_s = clock.seconds(start, stop);
        // The computation lasts as long as the operation took on this rank.
        let link_s = chain_s(PROBE_LINKS, 1, clock) / PROBE_LINKS as f64;
        let links = (alone_s / loops as f64 / link_s) as u64;
        let compute_s = chain_s(links, loops, clock);
        // The barrier brings ranks that computed for different times together.
        self.buffers.comm.barrier().map_err(broken)?;
        let total_s = self.beside(loops, links, clock)?;
        let hidden = 1.0 - (total_s - compute_s) / (alone_s / loops as f64);
        self.found = Found { compute_s, total_s, overlap: hidden.clamp(0.0, 1.0) };
        Ok(alone_s)
    }

    fn extra(&self) -> Vec<(MetricName, f64)> {
        let Found { compute_s, total_s, overlap } = self.found;
        let metrics = [
            (SecondaryMetric::Compute, compute_s),
            (SecondaryMetric::Total, total_s),
            (SecondaryMetric::Overlap, overlap),
        ];
        metrics.map(|(metric, value)| (metric.into(), value)).to_vec()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.buffers.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.kind.check(&self.buffers))
    }
}
