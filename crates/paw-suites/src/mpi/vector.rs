//! Collectives with a count for every rank: `allgatherv`, `alltoallv`, `gatherv`, `scatterv`. All counts are n, so that they compare
//! with the plain ones.

use paw_data::cell::Combine;
use paw_foreign::mpi::{Counts, MpiError};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::collective::{self, COLLECTIVE, Extent, Movement, ROOT, Scope, Seat, TOGETHER, bytes};
use super::pair::elements;
use crate::benchmark::{Benchmark, Providers, Start, Teamwork};

/// Everyone has everyone's elements.
pub const ALLGATHERV: Benchmark = Benchmark {
    name: "allgatherv",
    purpose: "How long until every rank holds what all ranks contribute, with a count for each?",
    timed: "MPI_Allgatherv",
    formula: "8n bytes · P",
    work: |point| collective::everyones(point, Movement::Blocks),
    memory_bytes: |point| bytes(point, Extent::One, Extent::All),
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::All),
            |seat, counts| seat.comm.allgatherv(&seat.memory, seat.from, seat.into, counts),
            |seat, index| Some(seat.value(index / seat.n, index % seat.n)),
        )
    },
    ..COLLECTIVE
};

/// Everyone sends everyone something else.
pub const ALLTOALLV: Benchmark = Benchmark {
    name: "alltoallv",
    purpose: "How long until every rank has sent every rank something else, with a count for each?",
    timed: "MPI_Alltoallv",
    memory_bytes: |point| bytes(point, Extent::All, Extent::All),
    start: |start| {
        begin(
            start,
            (Extent::All, Extent::All),
            |seat, counts| seat.comm.alltoallv(&seat.memory, seat.from, counts, seat.into, counts),
            |seat, index| Some(seat.value(index / seat.n, seat.comm.rank() * seat.n + index % seat.n)),
        )
    },
    ..ALLGATHERV
};

/// The root has everyone's elements.
pub const GATHERV: Benchmark = Benchmark {
    name: "gatherv",
    purpose: "How long until the root holds what all ranks contribute, with a count for each?",
    timed: "MPI_Gatherv to rank 0",
    start: |start| {
        begin(
            start,
            (Extent::One, Extent::All),
            |seat, counts| seat.comm.gatherv(&seat.memory, seat.from, seat.into, counts, ROOT),
            |seat, index| (seat.comm.rank() == ROOT).then(|| seat.value(index / seat.n, index % seat.n)),
        )
    },
    ..ALLGATHERV
};

/// Everyone has its block of what the root has.
pub const SCATTERV: Benchmark = Benchmark {
    name: "scatterv",
    purpose: "How long until every rank holds its block of what the root had, with a count for each?",
    timed: "MPI_Scatterv from rank 0",
    formula: "8n bytes",
    providers: Providers::Mpi(Teamwork { guide: Combine::Slowest, ..TOGETHER }),
    work: |point| collective::ones(point, Movement::Blocks),
    memory_bytes: |point| bytes(point, Extent::All, Extent::One),
    start: |start| {
        begin(
            start,
            (Extent::All, Extent::One),
            |seat, counts| seat.comm.scatterv(&seat.memory, seat.from, counts, seat.into, ROOT),
            |seat, index| Some(seat.value(ROOT, seat.comm.rank() * seat.n + index)),
        )
    },
    ..COLLECTIVE
};

/// Starts a collective that is called with a count for every rank, all alike.
fn begin<C, E>(start: &Start<'_>, extents: (Extent, Extent), call: C, expected: E) -> Result<Box<dyn Timed>, Fault>
where
    C: Fn(&Seat, &Counts) -> Result<(), MpiError> + 'static,
    E: Fn(&Seat, usize) -> Option<f64> + 'static,
{
    let comm = start.engine.world()?.comm_of(Scope::of(start.point))?;
    let counts = Counts::equal(elements(start.point)?, comm.size());
    collective::begin(start, extents, move |seat| call(seat, &counts), expected)
}
