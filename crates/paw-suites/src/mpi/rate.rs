//! Many messages in flight: `p2p_mrate`, `p2p_mrate_bidir`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::cell::Combine;
use paw_data::headline::{Family, Pick};
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::{Comm, Datatype, Memory, Part, Requests};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::buffer::BUFFER;
use super::error::broken;
use super::pair::{self, TAG, apart, elements};
use super::partner::{Pairing, Side};
use super::payload;
use super::{BY_PAIRS, PAIRS, PAIRWISE};
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Providers, Start, Values};
use crate::teamwork::Teamwork;

/// Messages from the first half of the ranks to the second.
pub const RATE: Benchmark = Own {
    name: "p2p_mrate",
    purpose: "How many messages a second go from one half of the ranks to the other?",
    timed: "first half: W x MPI_Isend, MPI_Waitall | second half: W x MPI_Irecv, MPI_Waitall; each into a buffer of its own, or, as in PAW, all into one",
    formula: "window*(ranks/2); messages of a window of all pairs",
    work: |point| work(point, 1.0),
    start: |start| Ok(Box::new(Rate { window: Window::new(start, 1)? })),
}
.of(Common {
    family: Family::MessageRate,
    headline: Quantity::Messages,
    // The ranks share the network, so the time is that from the first start to the last end.
    providers: Providers::Mpi(Teamwork { combine: Combine::Window, ..BY_PAIRS }),
    axes: &[MESSAGES, WINDOW, BUFFERS, ACK, PAIRS, BUFFER],
    variables: &["MIN_P2P_SIZE", "MED_P2P_SIZE", "MAX_P2P_SIZE", "WINDOW_SIZE", "PAW_MPI_LIBRARY"],
    memory_bytes: bytes,
    ..PAIRWISE
})
.aliases(&["p2p_mrate"])
.dat("mrate", "P2P_MRATE")
.quick(&[])
.figures(&[Figure { line: 62, preference: 0, label: "message rate", pick: Pick::Best }]);

/// Messages in both directions at once.
pub const RATE_BIDIR: Benchmark = Own {
    name: "p2p_mrate_bidir",
    purpose: "How many messages a second go both ways at once between two halves of the ranks?",
    timed: "first half: W x (MPI_Isend, MPI_Irecv), MPI_Waitall | second half: W x (MPI_Irecv, MPI_Isend), MPI_Waitall",
    formula: "2*window*(ranks/2); messages of a window of all pairs",
    work: |point| work(point, 2.0),
    start: |start| Ok(Box::new(BothWays { window: Window::new(start, 2)? })),
}
.of(RATE.common)
.aliases(&["p2p_mrate_bidir"])
.dat("mrate_bidir", "P2P_MRATE_BIDIR")
.quick(&[])
.figures(&[Figure { line: 62, preference: 1, label: "message rate", pick: Pick::Best }]);

/// The ladder of messages: short ones, because the bandwidth limits the rate of long ones.
const MESSAGES: Axis =
    Axis { name: axis::N, meaning: "elements of 8 bytes in a message", values: Values::Ints(&[1, 8, 64, 512, 4096]) };
const WINDOW: Axis = Axis { name: axis::WINDOW, meaning: "messages in flight", values: Values::Ints(&[128]) };
const BUFFERS: Axis = Axis {
    name: axis::BUFFERS,
    meaning: "whether every message of a window has a buffer of its own (each), or all share one (one: PAW's form, which MPI does not allow: receives under way must not overlap)",
    values: Values::Words(&["each", axis::ONE]),
};
const ACK: Axis = Axis {
    name: axis::ACK,
    meaning: "whether the receiver acknowledges every window with an empty message",
    values: Values::Words(&["no", "yes"]),
};

fn messages_in_flight(point: &Point) -> i64 {
    point.int(axis::WINDOW).unwrap_or(128)
}

fn work(point: &Point, directions: f64) -> Work {
    let messages = directions * messages_in_flight(point) as f64 * pair::pairs(point);
    Work { messages, bytes: messages * pair::message_bytes(point), operations: messages, ..Work::default() }
}

/// Bytes of a rank's buffers: one for each message sent and one for each received, or one for all of them.
fn bytes(point: &Point) -> f64 {
    let buffers = if has_one_buffer(point) { 1 } else { messages_in_flight(point) };
    2.0 * buffers as f64 * apart_bytes(point)
}

fn has_one_buffer(point: &Point) -> bool {
    point.text(axis::BUFFERS) == Some(axis::ONE)
}

/// Bytes of a message's buffer: at least a cache line.
fn apart_bytes(point: &Point) -> f64 {
    pair::message_bytes(point).max(pair::LINE_BYTES as f64)
}

/// One side of a pair with a window of messages.
struct Window {
    comm: Comm,
    memory: Rc<Memory>,
    requests: Requests,
    partner: usize,
    is_first: bool,
    out: Vec<Part>,
    into: Vec<Part>,
    /// How many of the parts on each side differ: all, or one.
    buffers: usize,
    is_acknowledged: bool,
}

impl Window {
    /// A window with `directions` requests for each message.
    fn new(start: &Start<'_>, directions: usize) -> Result<Self, Fault> {
        let world = start.engine.world()?;
        let count = elements(start.point)?;
        let size = usize::try_from(messages_in_flight(start.point)).unwrap_or(0);
        if size == 0 {
            return Err(Fault::Missing("a window of 0 messages sends nothing. hint: --set window=1".to_owned()));
        }
        let one = Part::new(0, count, Datatype::Double).bytes().next_multiple_of(pair::LINE_BYTES);
        let (stride, buffers) = if has_one_buffer(start.point) { (0, 1) } else { (one, size) };
        let parts = |from: usize| (0..size).map(|i| Part::new(from + i * stride, count, Datatype::Double)).collect();
        let second = apart(buffers * one);
        let (out, into): (Vec<Part>, Vec<Part>) = (parts(0), parts(second));
        let memory = world.memory_at(start.point, second + buffers * one)?;
        let comm = world.comm();
        let Side { partner, is_first } = Pairing::of(start.point).side(comm.rank(), comm.size());
        let requests = Requests::new(comm, Rc::clone(&memory), directions * size);
        let is_acknowledged = start.point.text(axis::ACK) == Some("yes");
        let window = Self { comm, memory, requests, partner, is_first, out, into, buffers, is_acknowledged };
        window.refill();
        Ok(window)
    }

    /// Writes every message anew, each with another pattern, and clears those received.
    fn refill(&self) {
        for (slot, (out, into)) in self.out.iter().zip(&self.into).enumerate().take(self.buffers) {
            payload::fill(&self.memory, *out, self.comm.rank() + slot);
            payload::clear(&self.memory, *into);
        }
    }

    fn check(&self) -> Check {
        let wrong = self.into.iter().enumerate().take(self.buffers).find_map(|(slot, into)| {
            let expected = |index| payload::value(self.partner + slot, into.len(), index);
            Some(format!("message {slot}: {}", payload::wrong(&self.memory, *into, expected)?))
        });
        answer::exact("the partner's pattern in every buffer of the window", wrong)
    }

    /// Sends an empty message from the receiver to the sender after a window.
    #[inline]
    fn acknowledge(&self, is_receiver: bool) -> Result<(), Fault> {
        let empty = self.out[0].empty();
        if is_receiver {
            self.comm.send(&self.memory, empty, self.partner, TAG).map_err(broken)
        } else {
            self.comm.recv(&self.memory, empty, self.partner, TAG).map_err(broken)
        }
    }
}

struct Rate {
    window: Window,
}

impl Timed for Rate {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let window = &mut self.window;
        let partner = window.partner;
        let start = clock.start();
        for _ in 0..loops {
            if window.is_first {
                for (slot, out) in window.out.iter().enumerate() {
                    window.requests.isend(slot, *out, partner, TAG).map_err(broken)?;
                }
            } else {
                for (slot, into) in window.into.iter().enumerate() {
                    window.requests.irecv(slot, *into, partner, TAG).map_err(broken)?;
                }
            }
            window.requests.wait_all().map_err(broken)?;
            if window.is_acknowledged {
                window.acknowledge(!window.is_first)?;
            }
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.window.refill();
        self.time(1, &Clock::monotonic())?;
        // Only ranks of the second half have a message to check.
        Ok(if self.window.is_first {
            answer::exact("the receiver's side is checked", None)
        } else {
            self.window.check()
        })
    }
}

struct BothWays {
    window: Window,
}

impl Timed for BothWays {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let window = &mut self.window;
        let partner = window.partner;
        let start = clock.start();
        for _ in 0..loops {
            for (pair, (out, into)) in window.out.iter().zip(&window.into).enumerate() {
                if window.is_first {
                    window.requests.isend(2 * pair, *out, partner, TAG).map_err(broken)?;
                    window.requests.irecv(2 * pair + 1, *into, partner, TAG).map_err(broken)?;
                } else {
                    window.requests.irecv(2 * pair + 1, *into, partner, TAG).map_err(broken)?;
                    window.requests.isend(2 * pair, *out, partner, TAG).map_err(broken)?;
                }
            }
            window.requests.wait_all().map_err(broken)?;
            if window.is_acknowledged {
                window.acknowledge(!window.is_first)?;
            }
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.window.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.window.check())
    }
}
