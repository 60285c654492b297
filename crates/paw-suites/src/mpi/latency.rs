//! One byte there and back, by the calls of `p2p_send`: `latency`.

use paw_data::cell::Combine;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::Datatype;

use super::PAIRWISE;
use super::pair::Pair;
use super::partner::Pairing;
use super::send;
use crate::benchmark::{Benchmark, Providers, Ranks, Series, Teamwork};

/// Half of a round trip of one byte.
pub const LATENCY: Benchmark = Benchmark {
    name: "latency",
    aliases: &["latency"],
    purpose: "How long does the shortest message take from one rank to another?",
    timed: "first rank: MPI_Send, MPI_Recv | second rank: MPI_Recv, MPI_Send; one byte",
    formula: "2; a byte there and one back, the time is half of a round trip",
    headline: Quantity::Time,
    providers: Providers::Mpi(Teamwork {
        ranks: Ranks::Two,
        combine: Combine::Slowest,
        guide: Combine::Fastest,
        series: Series::ByMethod,
    }),
    axes: &[],
    dat: Some(("latency.dat", "LATENCY")),
    variables: &["PAW_MPI_LIBRARY"],
    work: |_| Work { bytes: 2.0, messages: 2.0, operations: 2.0, ..Work::default() },
    memory_bytes: |_| 0.0,
    start: |start| Ok(send::blocking(Pair::of_kind(start.engine.world()?, Pairing::Halves, 1, Datatype::Byte)?)),
    ..PAIRWISE
};
