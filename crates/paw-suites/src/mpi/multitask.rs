//! Messages of all pairs at once: `p2p_multitask`, `multi_latency`.

use std::rc::Rc;

use paw_data::cell::Combine;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::Requests;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::error::broken;
use super::pair::{self, Pair, TAG};
use super::send;
use super::{BY_PAIRS, PAIRWISE};
use crate::answer;
use crate::benchmark::{Benchmark, Common, Own, Providers};
use crate::teamwork::Teamwork;

/// Every task of the first half sends to its partner, all at the same time.
pub const MULTITASK: Benchmark = Own {
    name: "p2p_multitask",
    purpose: "What bandwidth do all pairs of tasks reach together in one direction?",
    timed: "first half: MPI_Isend, MPI_Wait | second half: MPI_Irecv, MPI_Wait; all pairs at once",
    formula: "8*n*(ranks/2); bytes of all pairs",
    work: |point: &Point| {
        let messages = pair::pairs(point);
        Work { bytes: messages * pair::message_bytes(point), messages, ..Work::default() }
    },
    start: |start| {
        let pair = Pair::new(start)?;
        let requests = Requests::new(pair.comm, Rc::clone(&pair.memory), 1);
        Ok(Box::new(Multitask { pair, requests }))
    },
}
.of(Common {
    // Tasks share the network for as long as all are at work: from the first start to the last end.
    providers: Providers::Mpi(Teamwork { combine: Combine::Window, ..BY_PAIRS }),
    ..PAIRWISE
})
.aliases(&["p2p_multitask"])
.dat("multitask", "P2P_MULTITASK")
.quick(&[]);

/// Ping-pongs of all pairs at the same time.
pub const MULTI_LATENCY: Benchmark = Own {
    name: "multi_latency",
    purpose: "How long does a message take while all other pairs send theirs?",
    timed: "first half: MPI_Send, MPI_Recv | second half: MPI_Recv, MPI_Send; all pairs at once",
    formula: pair::ROUND_TRIP,
    work: pair::round_trip,
    start: |start| Ok(send::blocking(Pair::new(start)?)),
}
.of(Common { headline: Quantity::Time, ..send::SEND.common })
.quick(&[]);

struct Multitask {
    pair: Pair,
    requests: Requests,
}

impl Timed for Multitask {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let Self { pair, requests } = self;
        let start = clock.start();
        if pair.is_first {
            for _ in 0..loops {
                requests.isend(0, pair.out, pair.partner, TAG).map_err(broken)?;
                requests.wait(0).map_err(broken)?;
            }
        } else {
            for _ in 0..loops {
                requests.irecv(0, pair.into, pair.partner, TAG).map_err(broken)?;
                requests.wait(0).map_err(broken)?;
            }
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.pair.refill();
        self.time(1, &Clock::monotonic())?;
        // Only ranks of the second half have a message to check.
        Ok(if self.pair.is_first { answer::exact("the receiver's side is checked", None) } else { self.pair.check() })
    }
}
