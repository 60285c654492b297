//! One byte there and back: `latency`.

use paw_data::cell::Combine;
use paw_data::outcome::Check;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::Kind;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::PAIRWISE;
use super::pair::{Pair, TAG};
use super::partner::Pairing;
use super::world::broken;
use crate::benchmark::{Benchmark, Providers, Ranks, Series, Start, Teamwork};

/// Half of a round trip of one byte.
pub const LATENCY: Benchmark = Benchmark {
    name: "latency",
    aliases: &["latency"],
    purpose: "How long does the shortest message take from one rank to another?",
    timed: "first rank: MPI_Send, MPI_Recv | second rank: MPI_Recv, MPI_Send; one byte",
    formula: "half a round trip",
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
    start,
    ..PAIRWISE
};

struct Latency {
    pair: Pair,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    Ok(Box::new(Latency { pair: Pair::of_kind(start.engine.world()?, Pairing::Halves, 1, Kind::Byte)? }))
}

impl Timed for Latency {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let Pair { comm, memory, out, into, partner, is_first } = &self.pair;
        let start = clock.start();
        if *is_first {
            for _ in 0..loops {
                comm.send(memory, *out, *partner, TAG).map_err(broken)?;
                comm.recv(memory, *into, *partner, TAG).map_err(broken)?;
            }
        } else {
            for _ in 0..loops {
                comm.recv(memory, *into, *partner, TAG).map_err(broken)?;
                comm.send(memory, *out, *partner, TAG).map_err(broken)?;
            }
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
