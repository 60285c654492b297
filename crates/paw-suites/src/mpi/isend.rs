//! Non-blocking messages between pairs: `p2p_isend`, `p2p_isend_ping`, `p2p_isend_bidir`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::Pick;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::work::Work;
use paw_foreign::mpi::{Datatype, Part, Requests};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::buffer::BUFFER;
use super::error::broken;
use super::pair::{self, Pair, TAG};
use super::partner::Side;
use super::world::World;
use super::{ANYWHERE, MESSAGES, PAIRS, PAIRWISE};
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Start, Values};

/// A ping-pong of non-blocking calls, each completed before the next.
pub const ISEND: Benchmark = Own {
    name: "p2p_isend",
    purpose: "What do non-blocking messages cost when each is waited for?",
    timed: "first half: MPI_Isend, MPI_Wait, MPI_Irecv, MPI_Wait | second half: MPI_Irecv, MPI_Wait, MPI_Isend, MPI_Wait",
    formula: pair::ROUND_TRIP,
    work: pair::round_trip,
    start: |start| Ok(Box::new(Isend(Slots::new(Pair::new(start)?)))),
}
.of(ANYWHERE)
.aliases(&["p2p_isend"])
.dat("isend", "P2P_ISEND")
.quick(&[])
.figures(&[Figure { line: 60, preference: 2, label: "MPI latency", pick: Pick::Smallest }, Figure { line: 61, preference: 1, label: "MPI bandwidth", pick: Pick::Best }]);

/// A ping-pong with an empty message back: each direction is measured alone.
pub const PING: Benchmark = Own {
    name: "p2p_isend_ping",
    purpose: "Do messages take as long from the first half of the ranks to the second as back?",
    timed: "sender: MPI_Isend, MPI_Wait, MPI_Irecv (empty), MPI_Wait | receiver: MPI_Irecv, MPI_Wait, MPI_Isend (empty), MPI_Wait",
    formula: "8*n*(ranks/2); bytes of all pairs in one direction, an empty message goes back",
    work: one_way,
    start: |start| ping(start),
}
.of(Common {
    axes: &[MESSAGES, DIRECTION, PAIRS, BUFFER],
    ..PAIRWISE
})
.aliases(&["p2p_isend_ping"])
.dat("isend_ping", "P2P_ISEND_PING")
.alternatives(axis::DIRECTION, axis::FORWARD)
.quick(&[])
.figures(&[Figure { line: 60, preference: 3, label: "MPI latency", pick: Pick::Smallest }, Figure { line: 61, preference: 2, label: "MPI bandwidth", pick: Pick::Best }]);

/// Non-blocking messages in both directions at once.
pub const BIDIR: Benchmark = Own {
    name: "p2p_isend_bidir",
    purpose: "What bandwidth do both directions of a pair reach at once?",
    timed: "first half: MPI_Isend, MPI_Irecv, MPI_Waitall | second half: MPI_Irecv, MPI_Isend, MPI_Waitall",
    formula: pair::EXCHANGE,
    work: pair::exchange,
    start: |start| Ok(Box::new(Bidir(Slots::new(Pair::new(start)?)))),
}
.of(ANYWHERE)
.aliases(&["p2p_isend_bidir"])
.dat("isend_bidir", "P2P_ISEND_BIDIR")
.quick(&[]);

const DIRECTION: Axis = Axis {
    name: axis::DIRECTION,
    meaning: "from the first half of the ranks to the second (forward), or back",
    values: Values::Each(&[axis::FORWARD, "backward"]),
};

/// Work of one message of every pair.
fn one_way(point: &Point) -> Work {
    let messages = pair::pairs(point);
    Work { bytes: messages * pair::message_bytes(point), messages, ..Work::default() }
}

/// Slots of a pair's two requests.
const OUT: usize = 0;
const INTO: usize = 1;

/// A pair and its requests.
struct Slots {
    pair: Pair,
    requests: Requests,
}

impl Slots {
    fn new(pair: Pair) -> Self {
        let requests = Requests::new(pair.comm, Rc::clone(&pair.memory), 2);
        Self { pair, requests }
    }

    #[inline]
    fn send(&mut self, part: Part) -> Result<(), Fault> {
        self.requests.isend(OUT, part, self.pair.partner, TAG).map_err(broken)?;
        self.requests.wait(OUT).map_err(broken)
    }

    #[inline]
    fn receive(&mut self, part: Part) -> Result<(), Fault> {
        self.requests.irecv(INTO, part, self.pair.partner, TAG).map_err(broken)?;
        self.requests.wait(INTO).map_err(broken)
    }
}

struct Isend(Slots);

impl Timed for Isend {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let slots = &mut self.0;
        let (out, into) = (slots.pair.out, slots.pair.into);
        let start = clock.start();
        if slots.pair.is_first {
            for _ in 0..loops {
                slots.send(out)?;
                slots.receive(into)?;
            }
        } else {
            for _ in 0..loops {
                slots.receive(into)?;
                slots.send(out)?;
            }
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.0.pair.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.0.pair.check())
    }
}

struct Ping {
    slots: Slots,
    is_sender: bool,
}

fn ping(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let pair = Pair::new(start)?;
    let forward = start.point.text(axis::DIRECTION).is_none_or(|way| way == axis::FORWARD);
    let is_sender = pair.is_first == forward;
    Ok(Box::new(Ping { slots: Slots::new(pair), is_sender }))
}

impl Timed for Ping {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let slots = &mut self.slots;
        let (out, into) = (slots.pair.out, slots.pair.into);
        let start = clock.start();
        if self.is_sender {
            for _ in 0..loops {
                slots.send(out)?;
                slots.receive(into.empty())?;
            }
        } else {
            for _ in 0..loops {
                slots.receive(into)?;
                slots.send(out.empty())?;
            }
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.slots.pair.refill();
        self.time(1, &Clock::monotonic())?;
        // Only the receiver has a message to check.
        Ok(if self.is_sender { answer::exact("the receiver's side is checked", None) } else { self.slots.pair.check() })
    }
}

/// A pair that sends both ways at once.
pub(super) struct Bidir(Slots);

impl Bidir {
    /// This rank on that side, with messages of `count` doubles.
    pub(super) fn on_side(world: &World, side: Side, count: i32) -> Result<Self, Fault> {
        Ok(Self(Slots::new(Pair::on_side(world, side, count, Datatype::Double)?)))
    }
}

impl Timed for Bidir {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let Slots { pair, requests } = &mut self.0;
        let (out, into, partner) = (pair.out, pair.into, pair.partner);
        let start = clock.start();
        if pair.is_first {
            for _ in 0..loops {
                requests.isend(OUT, out, partner, TAG).map_err(broken)?;
                requests.irecv(INTO, into, partner, TAG).map_err(broken)?;
                requests.wait_all().map_err(broken)?;
            }
        } else {
            for _ in 0..loops {
                requests.irecv(INTO, into, partner, TAG).map_err(broken)?;
                requests.isend(OUT, out, partner, TAG).map_err(broken)?;
                requests.wait_all().map_err(broken)?;
            }
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.0.pair.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.0.pair.check())
    }
}
