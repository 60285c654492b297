//! Two ranks that exchange messages.

use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::work::Work;
use paw_foreign::mpi::{Comm, Datatype, DerivedDatatype, Memory, Message, Part};
use paw_measure::fault::Fault;

use super::ELEMENT_BYTES;
use super::element_layout::ElementLayout;
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

/// Formula of a message both ways at once.
pub const EXCHANGE: &str = "2*8*n*(ranks/2); bytes of one exchange of all pairs";

/// One side of a pair, with its buffers.
pub struct Pair {
    /// The communicator of the timed calls.
    pub comm: Comm,
    /// The memory of both messages.
    pub memory: Rc<Memory>,
    /// The message sent, gaps included.
    pub out: Part,
    /// The message received, gaps included.
    pub into: Part,
    layout: ElementLayout,
    datatype: Option<DerivedDatatype>,
    /// The other side's rank.
    pub partner: usize,
    /// Whether this rank belongs to the first half.
    pub is_first: bool,
}

impl Pair {
    /// This rank's side, with messages of `n` elements.
    pub fn new(start: &Start<'_>) -> Result<Self, Fault> {
        let (world, layout) = (start.engine.world()?, ElementLayout::of(start.point));
        let side = Pairing::of(start.point).side(world.rank(), world.size());
        let allocate = |bytes| world.memory_at(start.point, bytes);
        Self::laid_out(world, side, (elements(start.point)?, Datatype::Double), layout, allocate)
    }

    /// This rank's side, with messages of `count` elements of `kind`.
    pub fn of_kind(world: &World, pairing: Pairing, count: i32, kind: Datatype) -> Result<Self, Fault> {
        Self::on_side(world, pairing.side(world.rank(), world.size()), count, kind)
    }

    /// This rank on that side, with messages of `count` elements of `kind`.
    pub fn on_side(world: &World, side: Side, count: i32, kind: Datatype) -> Result<Self, Fault> {
        Self::laid_out(world, side, (count, kind), ElementLayout::Contiguous, |bytes| world.memory(bytes))
    }

    fn laid_out(
        world: &World,
        side: Side,
        (count, kind): (i32, Datatype),
        layout: ElementLayout,
        allocate: impl FnOnce(usize) -> Result<Rc<Memory>, Fault>,
    ) -> Result<Self, Fault> {
        let places = count.checked_mul(layout.places() as i32).ok_or_else(|| too_long(count.into()))?;
        let out = Part::new(0, places, kind);
        let into = Part::new(apart(out.bytes()), places, kind);
        let memory = allocate(into.offset_bytes() + into.bytes())?;
        let comm = world.comm();
        let Side { partner, is_first } = side;
        let datatype = layout.datatype(comm.mpi(), count, kind)?;
        let pair = Self { comm, memory, out, into, layout, datatype, partner, is_first };
        pair.refill();
        Ok(pair)
    }

    /// Both messages, ready to be sent and received repeatedly.
    pub fn messages(&self) -> Result<[Message<'_>; 2], Fault> {
        let message = |part: Part| {
            let (comm, memory, partner) = (self.comm, &self.memory, self.partner);
            let message = match &self.datatype {
                Some(datatype) => Message::derived(comm, memory, (part.offset_bytes(), datatype), partner, TAG),
                None => Message::new(comm, memory, part, partner, TAG),
            };
            message.map_err(broken)
        };
        Ok([message(self.out)?, message(self.into)?])
    }

    /// Writes the message to send anew and clears the one received.
    pub fn refill(&self) {
        payload::fill_apart(&self.memory, self.out, self.layout, self.comm.rank());
        payload::clear(&self.memory, self.into);
    }

    /// Compares every element received with the partner's pattern.
    pub fn check(&self) -> Check {
        let wrong = payload::wrong_apart(&self.memory, self.into, self.layout, self.partner);
        answer::exact("the partner's pattern, every element", wrong)
    }
}

/// The first page boundary at or after `bytes`.
pub fn apart(bytes: usize) -> usize {
    bytes.next_multiple_of(4096)
}

/// Elements of a message, as MPI's int.
pub fn elements(point: &Point) -> Result<i32, Fault> {
    let n = point.int(axis::N).unwrap_or(1);
    i32::try_from(n).map_err(|_| too_long(n))
}

fn too_long(n: i64) -> Fault {
    Fault::Missing(format!("a message of {n} elements is more than MPI's int counts, {}; choose a smaller n", i32::MAX))
}

/// Work of a round trip between all pairs.
pub fn round_trip(point: &Point) -> Work {
    let messages = 2.0 * pairs(point);
    Work { bytes: messages * message_bytes(point), messages, operations: 2.0, ..Work::default() }
}

/// Work of a message both ways at once between all pairs.
pub fn exchange(point: &Point) -> Work {
    Work { operations: 1.0, ..round_trip(point) }
}

/// Pairs of ranks.
pub fn pairs(point: &Point) -> f64 {
    (point.int(axis::RANKS).unwrap_or(2) / 2) as f64
}

/// Bytes of one message.
pub fn message_bytes(point: &Point) -> f64 {
    (point.int(axis::N).unwrap_or(1) * ELEMENT_BYTES) as f64
}
