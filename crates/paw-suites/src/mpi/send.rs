//! A ping-pong of blocking messages: `p2p_send`.

use paw_data::axis;
use paw_data::headline::Pick;
use paw_data::outcome::Check;
use paw_foreign::mpi::Message;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::buffer::BUFFER;
use super::element_layout::{DATATYPE, ElementLayout};
use super::error::broken;
use super::pair::{self, Pair};
use super::{MESSAGES, PAIRS, PAIRWISE};
use crate::benchmark::{Benchmark, Common, Figure, Own};

/// A ping-pong of blocking calls.
pub const SEND: Benchmark = Own {
    name: "p2p_send",
    purpose: "What do blocking messages between pairs of ranks cost, and what bandwidth do they reach?",
    timed: "first half: MPI_Send, MPI_Recv | second half: MPI_Recv, MPI_Send",
    formula: pair::ROUND_TRIP,
    work: pair::round_trip,
    start: |start| Ok(blocking(Pair::new(start)?)),
}
.of(Common {
    axes: &[MESSAGES, DATATYPE, BUFFER, PAIRS],
    memory_bytes: |point| (PAIRWISE.memory_bytes)(point) * ElementLayout::of(point).places() as f64,
    ..PAIRWISE
})
.alternatives(axis::DATATYPE, axis::CONTIGUOUS)
.aliases(&["p2p_send"])
.dat("send", "P2P_SEND")
.quick(&[])
.figures(&[
    Figure { line: 60, preference: 1, label: "MPI latency", pick: Pick::Smallest },
    Figure { line: 61, preference: 0, label: "MPI bandwidth", pick: Pick::Best },
]);

struct Send {
    pair: Pair,
}

/// A ping-pong of blocking calls between the two of `pair`.
pub fn blocking(pair: Pair) -> Box<dyn Timed> {
    Box::new(Send { pair })
}

/// Makes `loops` round trips; the first half sends first.
pub fn round_trips(out: &Message<'_>, into: &Message<'_>, is_first: bool, loops: u64) -> Result<(), Fault> {
    if is_first {
        for _ in 0..loops {
            out.send().map_err(broken)?;
            into.recv().map_err(broken)?;
        }
    } else {
        for _ in 0..loops {
            into.recv().map_err(broken)?;
            out.send().map_err(broken)?;
        }
    }
    Ok(())
}

impl Timed for Send {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let [out, into] = self.pair.messages()?;
        let start = clock.start();
        round_trips(&out, &into, self.pair.is_first, loops)?;
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.pair.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.pair.check())
    }
}
