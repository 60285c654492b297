//! Messages whose parts become ready one after the other: `p2p_partitioned`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_foreign::mpi::Requests;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::error::broken;
use super::pair::{self, Pair, TAG};
use super::{MESSAGES, PAIRS, PAIRWISE};
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};

/// A ping-pong of partitioned messages.
pub const PARTITIONED: Benchmark = Own {
    name: "p2p_partitioned",
    purpose: "What do messages cost whose parts are handed over one after the other, as threads finish them?",
    timed: "first half: MPI_Start, MPI_Pready of each part, MPI_Wait (send), MPI_Start, MPI_Wait (receive) | second half: the same, receiving first",
    formula: pair::ROUND_TRIP,
    work: pair::round_trip,
    start,
}
.of(Common {
    axes: &[Axis { values: Values::Ints(&[8, 64, 512, 4096, 32_768, 131_072]), ..MESSAGES }, PARTITIONS, PAIRS],
    ..PAIRWISE
});

const PARTITIONS: Axis = Axis {
    name: axis::PARTITIONS,
    meaning: "equal parts of a message, of which each is said to be ready by a call of its own; n must be a multiple",
    values: Values::Ints(&[8]),
};

/// Slots of the requests.
const OUT: usize = 0;
const INTO: usize = 1;

struct Partitioned {
    pair: Pair,
    requests: Requests,
    partitions: usize,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let partitions = start.point.int(axis::PARTITIONS).unwrap_or(1);
    let n = pair::elements(start.point)?;
    let partitions = usize::try_from(partitions).unwrap_or(0);
    if partitions == 0 || !(n as usize).is_multiple_of(partitions) {
        return Err(Fault::Missing(format!(
            "{n} elements do not divide into {partitions} equal parts. hint: --set partitions=1, or n a multiple"
        )));
    }
    let pair = Pair::new(start)?;
    let mut requests = Requests::new(pair.comm, Rc::clone(&pair.memory), 2);
    requests.psend_init(OUT, (pair.out, partitions), pair.partner, TAG).map_err(broken)?;
    requests.precv_init(INTO, (pair.into, partitions), pair.partner, TAG).map_err(broken)?;
    Ok(Box::new(Partitioned { pair, requests, partitions }))
}

impl Partitioned {
    fn send(&mut self) -> Result<(), Fault> {
        self.requests.start(OUT).map_err(broken)?;
        for partition in 0..self.partitions {
            self.requests.pready(OUT, partition).map_err(broken)?;
        }
        self.requests.wait(OUT).map_err(broken)
    }

    fn receive(&mut self) -> Result<(), Fault> {
        self.requests.start(INTO).map_err(broken)?;
        self.requests.wait(INTO).map_err(broken)
    }
}

impl Timed for Partitioned {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        for _ in 0..loops {
            if self.pair.is_first {
                self.send()?;
                self.receive()?;
            } else {
                self.receive()?;
                self.send()?;
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
