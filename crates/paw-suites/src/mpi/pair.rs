//! Two ranks that exchange messages.

use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::work::Work;
use paw_foreign::mpi::{Comm, Datatype, Memory, Message, Part};
use paw_measure::fault::Fault;

use super::ELEMENT_BYTES;
use super::error::broken;
use super::partner::{Pairing, Side};
use super::payload;
use super::world::World;
use crate::answer;
use crate::benchmark::Start;

/// Bytes of a cache line; parts of different messages share none.
pub const LINE_BYTES: usize = 64;

/// Tag of measured messages.
pub const TAG: i32 = 1;

/// Formula of a ping-pong.
pub const ROUND_TRIP: &str = "2*8*n*(ranks/2); bytes of a round trip of all pairs, the time is that of one message";

/// One side of a pair, with its buffers.
pub struct Pair {
    /// The communicator of the timed calls.
    pub comm: Comm,
    /// The memory of both messages.
    pub memory: Rc<Memory>,
    /// The message sent.
    pub out: Part,
    /// The message received.
    pub into: Part,
    /// The other side's rank.
    pub partner: usize,
    /// Whether this rank belongs to the first half.
    pub is_first: bool,
}

impl Pair {
    /// This rank's side, with messages of `n` elements.
    pub fn new(start: &Start<'_>) -> Result<Self, Fault> {
        Self::of_kind(start.engine.world()?, Pairing::of(start.point), elements(start.point)?, Datatype::Double)
    }

    /// This rank's side, with messages of `count` elements of `kind`.
    pub fn of_kind(world: &World, pairing: Pairing, count: i32, kind: Datatype) -> Result<Self, Fault> {
        Self::on_side(world, pairing.side(world.rank(), world.size()), count, kind)
    }

    /// This rank on that side, with messages of `count` elements of `kind`.
    pub fn on_side(world: &World, side: Side, count: i32, kind: Datatype) -> Result<Self, Fault> {
        let out = Part::new(0, count, kind);
        let into = Part::new(apart(out.bytes()), count, kind);
        let memory = world.memory(into.offset_bytes() + into.bytes())?;
        let comm = world.comm();
        let Side { partner, is_first } = side;
        let pair = Self { comm, memory, out, into, partner, is_first };
        pair.refill();
        Ok(pair)
    }

    /// Both messages, ready to be sent and received repeatedly.
    pub fn messages(&self) -> Result<[Message<'_>; 2], Fault> {
        let message = |part| Message::new(self.comm, &self.memory, part, self.partner, TAG).map_err(broken);
        Ok([message(self.out)?, message(self.into)?])
    }

    /// Writes the message to send anew and clears the one received.
    pub fn refill(&self) {
        payload::fill(&self.memory, self.out, self.comm.rank());
        payload::clear(&self.memory, self.into);
    }

    /// Compares every element received with the partner's pattern.
    pub fn check(&self) -> Check {
        let expected = |index| payload::value(self.partner, self.into.len(), index);
        answer::exact("the partner's pattern, every element", payload::wrong(&self.memory, self.into, expected))
    }
}

/// The first page boundary at or after `bytes`.
pub fn apart(bytes: usize) -> usize {
    bytes.next_multiple_of(4096)
}

/// Elements of a message, as MPI's int.
pub fn elements(point: &Point) -> Result<i32, Fault> {
    let n = point.int(axis::N).unwrap_or(1);
    i32::try_from(n).map_err(|_| {
        Fault::Missing(format!(
            "a message of {n} elements is more than MPI's int counts, {}; choose a smaller n",
            i32::MAX
        ))
    })
}

/// Work of a round trip between all pairs.
pub fn round_trip(point: &Point) -> Work {
    let messages = 2.0 * pairs(point);
    Work { bytes: messages * message_bytes(point), messages, operations: 2.0, ..Work::default() }
}

/// Pairs of ranks.
pub fn pairs(point: &Point) -> f64 {
    (point.int(axis::RANKS).unwrap_or(2) / 2) as f64
}

/// Bytes of one message.
pub fn message_bytes(point: &Point) -> f64 {
    (point.int(axis::N).unwrap_or(1) * ELEMENT_BYTES) as f64
}
