//! A ping-pong of one byte, by the calls of `p2p_send`: `latency`.

use paw_data::headline::Pick;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::Datatype;

use super::pair::Pair;
use super::partner::Pairing;
use super::send;
use super::{BY_PAIRS, PAIRWISE};
use crate::benchmark::{Benchmark, Common, Figure, Own, Providers};
use crate::teamwork::{Ranks, Teamwork};

/// Half of a round trip of one byte.
pub const LATENCY: Benchmark = Own {
    name: "latency",
    purpose: "How long does the shortest message take from one rank to another?",
    timed: "first rank: MPI_Send, MPI_Recv | second rank: MPI_Recv, MPI_Send; one byte",
    formula: "2; a byte there and one back, the time is half of a round trip",
    work: |_| Work { bytes: 2.0, messages: 2.0, operations: 2.0, ..Work::default() },
    start: |start| Ok(send::blocking(Pair::of_kind(start.engine.world()?, Pairing::Halves, 1, Datatype::Byte)?)),
}
.of(Common {
    headline: Quantity::Time,
    providers: Providers::Mpi(Teamwork { ranks: Ranks::Two, ..BY_PAIRS }),
    axes: &[],
    variables: &["PAW_MPI_LIBRARY"],
    memory_bytes: |_| 0.0,
    ..PAIRWISE
})
.aliases(&["latency"])
.dat("latency.dat", "LATENCY")
.quick(&[])
.figures(&[Figure { line: 60, preference: 0, label: "MPI latency", pick: Pick::Smallest }]);
