//! One-sided messages between pairs, by kind of synchronisation: `p2p_get`, `p2p_put`, `p2p_get_fence` …
//!
//! The first half of the ranks are origins, the second half targets. The timed region is a whole epoch: only its end guarantees that
//! the data arrived.

use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::work::Work;
use paw_foreign::mpi::{Comm, Datatype, Group, LockKind, Memory, MpiError, Part, Requests};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::buffer::BUFFER;
use super::error::broken;
use super::pair::{self, elements};
use super::partner::{self, Pairing};
use super::payload;
use super::window::Freed;
use super::{FLAVOR, MESSAGES, PAIRS, PAIRWISE};
use crate::answer;
use crate::benchmark::{Benchmark, Common, Own, Start};

/// An origin's access to its target's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads the target's window.
    Get,
    /// Writes the target's window.
    Put,
}

/// Read, between an epoch's start and end.
pub const GET: Benchmark = epoch(
    "p2p_get",
    "What does reading another rank's memory cost, both sides taking part?",
    "first half: MPI_Win_start, MPI_Get, MPI_Win_complete | second half: MPI_Win_post, MPI_Win_wait",
    |start| exposed(start, Access::Get),
)
.of(Common {
    family: Family::OneSided,
    axes: &[MESSAGES, PAIRS, FLAVOR, BUFFER],
    memory_bytes: |point| 2.0 * pair::message_bytes(point),
    ..PAIRWISE
})
.aliases(&["p2p_get"])
.dat("get", "P2P_GET")
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Write, between an epoch's start and end.
pub const PUT: Benchmark = epoch(
    "p2p_put",
    "What does writing another rank's memory cost, both sides taking part?",
    "first half: MPI_Win_start, MPI_Put, MPI_Win_complete | second half: MPI_Win_post, MPI_Win_wait",
    |start| exposed(start, Access::Put),
)
.of(GET.common)
.aliases(&["p2p_put"])
.dat("put", "P2P_PUT")
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Read, between two fences of all ranks.
pub const GET_FENCE: Benchmark = epoch(
    "p2p_get_fence",
    "What does reading another rank's memory cost between fences?",
    "first half: MPI_Get, MPI_Win_fence | second half: MPI_Win_fence",
    |start| fenced(start, Access::Get),
)
.of(GET.common)
.aliases(&["p2p_get_fence"])
.dat("getfence", "P2P_GET_FENCE")
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Write, between two fences of all ranks.
pub const PUT_FENCE: Benchmark = epoch(
    "p2p_put_fence",
    "What does writing another rank's memory cost between fences?",
    "first half: MPI_Put, MPI_Win_fence | second half: MPI_Win_fence",
    |start| fenced(start, Access::Put),
)
.of(GET.common)
.aliases(&["p2p_put_fence"])
.dat("putfence", "P2P_PUT_FENCE")
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Read, with a request of its own.
pub const RGET: Benchmark = epoch(
    "p2p_rget",
    "What does reading another rank's memory cost where only the origin takes part and waits for its request?",
    "first half: MPI_Rget, MPI_Wait inside MPI_Win_lock_all | second half: nothing",
    |start| passive(start, Access::Get, Completion::Request),
)
.of(GET.common)
.aliases(&["p2p_rget"])
.dat("rget", "P2P_RGET")
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Write, with a request of its own, and flushed.
pub const RPUT: Benchmark = epoch(
    "p2p_rput",
    "What does writing another rank's memory cost where only the origin takes part and waits for its request?",
    "first half: MPI_Rput, MPI_Wait, MPI_Win_flush inside MPI_Win_lock_all | second half: nothing",
    |start| passive(start, Access::Put, Completion::Request),
)
.of(GET.common)
.aliases(&["p2p_rput"])
.dat("rput", "P2P_RPUT")
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Read, flushed.
pub const GET_FLUSH: Benchmark = epoch(
    "p2p_get_flush",
    "What does reading another rank's memory cost where only the origin takes part and flushes?",
    "first half: MPI_Get, MPI_Win_flush inside MPI_Win_lock_all | second half: nothing",
    |start| passive(start, Access::Get, Completion::Flush),
)
.of(GET.common)
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Write, flushed.
pub const PUT_FLUSH: Benchmark = epoch(
    "p2p_put_flush",
    "What does writing another rank's memory cost where only the origin takes part and flushes?",
    "first half: MPI_Put, MPI_Win_flush inside MPI_Win_lock_all | second half: nothing",
    |start| passive(start, Access::Put, Completion::Flush),
)
.of(GET.common)
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Write, with a lock of its own each time.
pub const PUT_LOCK: Benchmark = epoch(
    "p2p_put_lock",
    "What does writing another rank's memory cost with a lock around every access?",
    "first half: MPI_Win_lock, MPI_Put, MPI_Win_unlock | second half: nothing",
    |start| passive(start, Access::Put, Completion::Unlock),
)
.of(GET.common)
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Read, with a lock of its own each time.
pub const GET_LOCK: Benchmark = epoch(
    "p2p_get_lock",
    "What does reading another rank's memory cost with a lock around every access?",
    "first half: MPI_Win_lock, MPI_Get, MPI_Win_unlock | second half: nothing",
    |start| passive(start, Access::Get, Completion::Unlock),
)
.of(GET.common)
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// The facts of one kind of epoch; all kinds do the same work.
const fn epoch(
    name: &'static str,
    purpose: &'static str,
    timed: &'static str,
    start: fn(&Start<'_>) -> Result<Box<dyn Timed>, Fault>,
) -> Own {
    Own { name, purpose, timed, formula: "8*n*(ranks/2); bytes of all pairs in an epoch", work, start }
}

fn work(point: &Point) -> Work {
    let messages = pair::pairs(point);
    Work { bytes: messages * pair::message_bytes(point), messages, ..Work::default() }
}

/// One side of a pair of origin and target.
struct OneSidedEnd {
    /// The target's memory is in it.
    window: Freed,
    /// The origin's buffer.
    memory: Rc<Memory>,
    part: Part,
    rank: usize,
    partner: usize,
    is_origin: bool,
    access: Access,
}

impl OneSidedEnd {
    fn new(start: &Start<'_>, access: Access) -> Result<Self, Fault> {
        let world = start.engine.world()?;
        let part = Part::new(0, elements(start.point)?, Datatype::Double);
        let (window, memory) = world.window(start.point, part.bytes(), part.bytes())?;
        let rank = world.rank();
        let partner::Side { partner, is_first: is_origin } = Pairing::of(start.point).side(rank, world.size());
        let side = Self { window, memory, part, rank, partner, is_origin, access };
        side.refill();
        Ok(side)
    }

    /// Fills the source and clears the destination.
    fn refill(&self) {
        let (own, shown) = (self.memory.as_ref(), self.window.memory());
        let (gives, takes) = match self.access {
            Access::Put => (own, shown),
            Access::Get => (shown, own),
        };
        payload::fill(gives, self.part, self.rank);
        payload::clear(takes, self.part);
    }

    /// Compares the destination with the partner's pattern; passes on the source's side.
    fn check(&self) -> Check {
        let takes = match (self.access, self.is_origin) {
            (Access::Put, false) => self.window.memory(),
            (Access::Get, true) => self.memory.as_ref(),
            _ => return answer::exact("the partner's side is checked", None),
        };
        let expected = |index| payload::value(self.partner, self.part.len(), index);
        answer::exact("the partner's pattern, every element", payload::wrong(takes, self.part, expected))
    }

    #[inline]
    fn access(&self) -> Result<(), MpiError> {
        match self.access {
            Access::Put => self.window.put(&self.memory, self.part, self.partner, 0),
            Access::Get => self.window.get(&self.memory, self.part, self.partner, 0),
        }
    }
}

/// An epoch that both sides open and close.
struct Exposed {
    side: OneSidedEnd,
    partner: Group,
}

fn exposed(start: &Start<'_>, access: Access) -> Result<Box<dyn Timed>, Fault> {
    let side = OneSidedEnd::new(start, access)?;
    let partner = start.engine.world()?.comm().group(&[side.partner]).map_err(broken)?;
    Ok(Box::new(Exposed { side, partner }))
}

impl Timed for Exposed {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let Self { side, partner } = self;
        let start = clock.start();
        if side.is_origin {
            for _ in 0..loops {
                side.window.start(partner).map_err(broken)?;
                side.access().map_err(broken)?;
                side.window.complete().map_err(broken)?;
            }
        } else {
            for _ in 0..loops {
                side.window.post(partner).map_err(broken)?;
                side.window.wait().map_err(broken)?;
            }
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.side.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.side.check())
    }
}

/// An epoch between fences of all ranks.
struct Fenced(OneSidedEnd);

fn fenced(start: &Start<'_>, access: Access) -> Result<Box<dyn Timed>, Fault> {
    let side = OneSidedEnd::new(start, access)?;
    side.window.fence().map_err(broken)?;
    Ok(Box::new(Fenced(side)))
}

impl Timed for Fenced {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let side = &self.0;
        let start = clock.start();
        if side.is_origin {
            for _ in 0..loops {
                side.access().map_err(broken)?;
                side.window.fence().map_err(broken)?;
            }
        } else {
            for _ in 0..loops {
                side.window.fence().map_err(broken)?;
            }
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.0.refill();
        // Other ranks see a local write to the window after a fence.
        self.0.window.fence().map_err(broken)?;
        self.time(1, &Clock::monotonic())?;
        Ok(self.0.check())
    }
}

/// The call by which a passive-target origin completes an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Completion {
    Request,
    Flush,
    Unlock,
}

/// Passive-target accesses: the target makes no call.
struct Passive {
    side: OneSidedEnd,
    requests: Requests,
    completion: Completion,
    comm: Comm,
}

fn passive(start: &Start<'_>, access: Access, completion: Completion) -> Result<Box<dyn Timed>, Fault> {
    let side = OneSidedEnd::new(start, access)?;
    let comm = start.engine.world()?.comm();
    let requests = Requests::new(comm, Rc::clone(&side.memory), 1);
    if completion != Completion::Unlock && side.is_origin {
        side.window.lock_all().map_err(broken)?;
    }
    Ok(Box::new(Passive { side, requests, completion, comm }))
}

impl Passive {
    #[inline]
    fn once(&mut self) -> Result<(), MpiError> {
        let Self { side, requests, .. } = self;
        match (self.completion, side.access) {
            (Completion::Request, Access::Get) => {
                side.window.rget(requests, 0, side.part, side.partner, 0)?;
                requests.wait(0)
            }
            (Completion::Request, Access::Put) => {
                side.window.rput(requests, 0, side.part, side.partner, 0)?;
                requests.wait(0)?;
                side.window.flush(side.partner)
            }
            (Completion::Flush, _) => {
                side.access()?;
                side.window.flush(side.partner)
            }
            (Completion::Unlock, _) => {
                side.window.lock(side.partner, LockKind::Exclusive)?;
                side.access()?;
                side.window.unlock(side.partner)
            }
        }
    }
}

impl Timed for Passive {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        if self.side.is_origin {
            for _ in 0..loops {
                self.once().map_err(broken)?;
            }
        }
        let stop = clock.stop();
        // A target may have to make progress inside its library: it waits there, outside the timed region.
        self.comm.barrier().map_err(broken)?;
        Ok(clock.seconds(start, stop))
    }

    fn takes_part(&self) -> bool {
        self.side.is_origin
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.side.refill();
        self.comm.barrier().map_err(broken)?;
        self.time(1, &Clock::monotonic())?;
        Ok(self.side.check())
    }
}

impl Drop for Passive {
    fn drop(&mut self) {
        if self.completion != Completion::Unlock && self.side.is_origin {
            // A window that cannot be unlocked cannot be freed either, and then keeps its memory.
            let _ = self.side.window.unlock_all();
        }
    }
}
