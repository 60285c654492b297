//! Non-blocking collectives, and how much of them a computation hides: `ibarrier`, `ibcast`, `iallreduce`, `ialltoall`, `iallgather`,
//! `igather`, `iscatter`, `ireduce`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::secondary::{MetricName, SecondaryMetric};
use paw_foreign::mpi::{MpiError, Op, Requests};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{self, COLLECTIVE, Extent, Movement, ROOT, RankBuffers, SCOPE, bytes};
use super::error::broken;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};

/// Sum on every rank.
pub const IALLREDUCE: Benchmark = Own {
    name: "iallreduce",
    purpose: "How much of a sum over all ranks is hidden behind a computation?",
    timed: "MPI_Iallreduce, MPI_Wait; beside it the same with as long a computation between, from which the overlap follows",
    formula: "8*n*ranks; overlap = 1 - (total - computation) / alone",
    work: |point| collective::everyones(point, Movement::SumToAll),
    start: |start| {
    begin(
        start,
        (Extent::One, Extent::One),
        |buffers, requests| requests.iallreduce(SLOT, buffers.from, buffers.into, Op::Sum),
        |buffers, index| Some(buffers.sum(buffers.comm.size(), index)),
    )
},
}
.of(Common {
    axes: &[N, TESTS, SCOPE],
    memory_bytes: |point| bytes(point, Extent::One, Extent::One),
    ..COLLECTIVE
})
.quick(&[]);

/// From one to all.
pub const IBCAST: Benchmark = Own {
    name: "ibcast",
    purpose: "How much of a broadcast is hidden behind a computation?",
    timed: "MPI_Ibcast, MPI_Wait; beside it the same with as long a computation between, from which the overlap follows",
    formula: "8*n; overlap = 1 - (total - computation) / alone",
    work: |point| collective::ones(point, Movement::Whole),
    start: |start| {
    begin(
        start,
        (Extent::One, Extent::One),
        |buffers, requests| {
            let part = if buffers.comm.rank() == ROOT { buffers.from } else { buffers.into };
            requests.ibcast(SLOT, part, ROOT)
        },
        |buffers, index| (buffers.comm.rank() != ROOT).then(|| buffers.value(ROOT, index)),
    )
},
}
.of(IALLREDUCE.common)
.quick(&[]);

/// All to all.
pub const IALLTOALL: Benchmark = Own {
    name: "ialltoall",
    purpose: "How much of an all-to-all is hidden behind a computation?",
    timed: "MPI_Ialltoall, MPI_Wait; beside it the same with as long a computation between, from which the overlap follows",
    formula: "8*n*ranks; overlap = 1 - (total - computation) / alone",
    work: |point| collective::everyones(point, Movement::Blocks),
    start: |start| {
    begin(
        start,
        (Extent::All, Extent::All),
        |buffers, requests| requests.ialltoall(SLOT, buffers.from, buffers.into),
        |buffers, index| {
            Some(buffers.value(index / buffers.n, buffers.comm.rank() * buffers.n + index % buffers.n))
        },
    )
},
}
.of(Common {
    memory_bytes: |point| bytes(point, Extent::All, Extent::All),
    ..IALLREDUCE.common
})
.quick(&[]);

/// Everyone's to all.
pub const IALLGATHER: Benchmark = Own {
    name: "iallgather",
    purpose: "How much of an allgather is hidden behind a computation?",
    timed: "MPI_Iallgather, MPI_Wait; beside it the same with as long a computation between, from which the overlap follows",
    formula: "8*n*ranks; overlap = 1 - (total - computation) / alone",
    work: |point| collective::everyones(point, Movement::Blocks),
    start: |start| {
    begin(
        start,
        (Extent::One, Extent::All),
        |buffers, requests| requests.iallgather(SLOT, buffers.from, buffers.into),
        |buffers, index| Some(buffers.value(index / buffers.n, index % buffers.n)),
    )
},
}
.of(Common {
    memory_bytes: |point| bytes(point, Extent::One, Extent::All),
    ..IALLREDUCE.common
})
.quick(&[]);

/// To one from all.
pub const IGATHER: Benchmark = Own {
    name: "igather",
    purpose: "How much of a gather is hidden behind a computation?",
    timed: "MPI_Igather, MPI_Wait; beside it the same with as long a computation between, from which the overlap follows",
    formula: "8*n*ranks; overlap = 1 - (total - computation) / alone",
    work: |point| collective::everyones(point, Movement::Blocks),
    start: |start| {
    begin(
        start,
        (Extent::One, Extent::All),
        |buffers, requests| requests.igather(SLOT, buffers.from, buffers.into, ROOT),
        |buffers, index| (buffers.comm.rank() == ROOT).then(|| buffers.value(index / buffers.n, index % buffers.n)),
    )
},
}
.of(IALLGATHER.common)
.quick(&[]);

/// From one, something else to each.
pub const ISCATTER: Benchmark = Own {
    name: "iscatter",
    purpose: "How much of a scatter is hidden behind a computation?",
    timed: "MPI_Iscatter, MPI_Wait; beside it the same with as long a computation between, from which the overlap follows",
    formula: "8*n; overlap = 1 - (total - computation) / alone",
    work: |point| collective::ones(point, Movement::Blocks),
    start: |start| {
    begin(
        start,
        (Extent::All, Extent::One),
        |buffers, requests| requests.iscatter(SLOT, buffers.from, buffers.into, ROOT),
        |buffers, index| Some(buffers.value(ROOT, buffers.comm.rank() * buffers.n + index)),
    )
},
}
.of(Common {
    memory_bytes: |point| bytes(point, Extent::All, Extent::One),
    ..IALLREDUCE.common
})
.quick(&[]);

/// Sum on one rank.
pub const IREDUCE: Benchmark = Own {
    name: "ireduce",
    purpose: "How much of a sum on one rank is hidden behind a computation?",
    timed: "MPI_Ireduce, MPI_Wait; beside it the same with as long a computation between, from which the overlap follows",
    formula: "8*n*ranks; overlap = 1 - (total - computation) / alone",
    work: |point| collective::everyones(point, Movement::Whole),
    start: |start| {
    begin(
        start,
        (Extent::One, Extent::One),
        |buffers, requests| requests.ireduce(SLOT, buffers.from, buffers.into, Op::Sum, ROOT),
        |buffers, index| (buffers.comm.rank() == ROOT).then(|| buffers.sum(buffers.comm.size(), index)),
    )
},
}
.of(IALLREDUCE.common)
.quick(&[]);

/// Nothing but the news that all are there.
pub const IBARRIER: Benchmark = Own {
    name: "ibarrier",
    purpose: "How much of a barrier is hidden behind a computation?",
    timed: "MPI_Ibarrier, MPI_Wait; beside it the same with as long a computation between, from which the overlap follows",
    formula: "1; one barrier, overlap = 1 - (total - computation) / alone",
    work: |_: &Point| paw_data::work::Work::default(),
    start: |start| begin(start, (Extent::None, Extent::None), |_, requests| requests.ibarrier(SLOT), |_, _| None),
}
.of(Common {
    axes: &[TESTS, SCOPE],
    variables: &["PAW_MPI_LIBRARY"],
    memory_bytes: |_| 0.0,
    ..IALLREDUCE.common
})
.quick(&[]);

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

/// Slot of the only request.
const SLOT: usize = 0;

struct Overlapped<C, E> {
    buffers: RankBuffers,
    requests: Requests,
    call: C,
    expected: E,
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

fn begin<C, E>(start: &Start<'_>, (from, into): (Extent, Extent), call: C, expected: E) -> Result<Box<dyn Timed>, Fault>
where
    C: Fn(&RankBuffers, &mut Requests) -> Result<(), MpiError> + 'static,
    E: Fn(&RankBuffers, usize) -> Option<f64> + 'static,
{
    let buffers = RankBuffers::new(start, from, into)?;
    let requests = Requests::new(buffers.comm, Rc::clone(&buffers.memory), 1);
    let tests = start.point.int(axis::TESTS).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
    Ok(Box::new(Overlapped { buffers, requests, call, expected, tests, found: Found::default() }))
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

impl<C, E> Overlapped<C, E>
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

impl<C, E> Timed for Overlapped<C, E>
where
    C: Fn(&RankBuffers, &mut Requests) -> Result<(), MpiError>,
    E: Fn(&RankBuffers, usize) -> Option<f64>,
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
        Ok(self.buffers.check(&self.expected))
    }
}
