//! Sums in one rank's window: `col_acc`, `col_acc_fence`, `col_racc`. Every other rank adds to the memory of rank 0.

use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::work::Work;
use paw_foreign::mpi::{Comm, Datatype, Group, Memory, MpiError, Op, Part, Requests};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::FLAVOR;
use super::buffer::BUFFER;
use super::collective::{self, COLLECTIVE};
use super::error::broken;
use super::extent::Extent;
use super::pair::{elements, message_bytes};
use super::payload;
use super::rank_buffers::ROOT;
use super::window::Freed;
use crate::answer;
use crate::benchmark::{Benchmark, Common, Own, Start};

/// Sums in an epoch that the target and all origins open and close.
pub const ACC: Benchmark = sum(
    "col_acc",
    "How long until one rank's memory holds the sum of what all others add to it?",
    "every rank but 0: MPI_Win_start, MPI_Accumulate, MPI_Win_complete | rank 0: MPI_Win_post, MPI_Win_wait",
    |start| begin(start, Epoch::Exposed),
)
.of(Common {
    family: Family::OneSided,
    axes: &[collective::N, collective::CADENCE, FLAVOR, BUFFER],
    memory_bytes: |point| collective::bytes(point, Extent::One, Extent::One),
    ..COLLECTIVE
})
.aliases(&["col_acc"])
.dat("acc", "COL_ACC")
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Sums between fences of all ranks.
pub const ACC_FENCE: Benchmark = sum(
    "col_acc_fence",
    "How long until one rank's memory holds the sum of what all others add to it, between fences?",
    "every rank but 0: MPI_Accumulate, MPI_Win_fence | rank 0: MPI_Win_fence",
    |start| begin(start, Epoch::Fenced),
)
.of(ACC.common)
.aliases(&["col_acc_fence"])
.dat("accfence", "COL_ACC_FENCE")
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Sums by requests, without a call of the target.
pub const RACC: Benchmark = sum(
    "col_racc",
    "How long until one rank's memory holds the sum of what all others add to it, by requests?",
    "every rank but 0: MPI_Raccumulate, MPI_Wait, MPI_Win_flush inside MPI_Win_lock_all | rank 0: nothing",
    |start| begin(start, Epoch::Passive),
)
.of(ACC.common)
.aliases(&["col_racc"])
.dat("racc", "COL_RACC")
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// The facts of sums with one kind of synchronisation.
const fn sum(
    name: &'static str,
    purpose: &'static str,
    timed: &'static str,
    start: fn(&Start<'_>) -> Result<Box<dyn Timed>, Fault>,
) -> Own {
    let work =
        |point: &Point| Work { bytes: (collective::ranks(point) - 1.0) * message_bytes(point), ..Work::default() };
    Own { name, purpose, timed, formula: "8*n*(ranks-1)", work, start }
}

/// The synchronisation around the accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Epoch {
    Exposed,
    Fenced,
    Passive,
}

struct Accumulation {
    comm: Comm,
    window: Freed,
    memory: Rc<Memory>,
    part: Part,
    requests: Requests,
    /// The group of the other side: all other ranks for rank 0, rank 0 for the others.
    others: Group,
    epoch: Epoch,
}

fn begin(start: &Start<'_>, epoch: Epoch) -> Result<Box<dyn Timed>, Fault> {
    let world = start.engine.world()?;
    let comm = world.comm();
    let part = Part::new(0, elements(start.point)?, Datatype::Double);
    let (window, memory) = world.updated_window(start.point, part.bytes(), part.bytes())?;
    let origins: Vec<usize> = (0..comm.size()).filter(|rank| *rank != ROOT).collect();
    let others = if comm.rank() == ROOT { origins } else { vec![ROOT] };
    let others = comm.group(&others).map_err(broken)?;
    let requests = Requests::new(comm, Rc::clone(&memory), 1);
    match epoch {
        Epoch::Exposed => {}
        Epoch::Fenced => window.fence().map_err(broken)?,
        Epoch::Passive if comm.rank() != ROOT => window.lock_all().map_err(broken)?,
        Epoch::Passive => {}
    }
    Ok(Box::new(Accumulation { comm, window, memory, part, requests, others, epoch }))
}

impl Accumulation {
    fn is_target(&self) -> bool {
        self.comm.rank() == ROOT
    }

    #[inline]
    fn add(&self) -> Result<(), MpiError> {
        self.window.accumulate(&self.memory, self.part, ROOT, 0, Op::Sum)
    }

    #[inline]
    fn once(&mut self) -> Result<(), MpiError> {
        match (self.epoch, self.is_target()) {
            (Epoch::Exposed, true) => {
                self.window.post(&self.others)?;
                self.window.wait()
            }
            (Epoch::Exposed, false) => {
                self.window.start(&self.others)?;
                self.add()?;
                self.window.complete()
            }
            (Epoch::Fenced, true) => self.window.fence(),
            (Epoch::Fenced, false) => {
                self.add()?;
                self.window.fence()
            }
            (Epoch::Passive, true) => Ok(()),
            (Epoch::Passive, false) => {
                self.window.raccumulate(&mut self.requests, 0, self.part, ROOT, 0, Op::Sum)?;
                self.requests.wait(0)?;
                self.window.flush(ROOT)
            }
        }
    }
}

impl Timed for Accumulation {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        for _ in 0..loops {
            self.once().map_err(broken)?;
        }
        let stop = clock.stop();
        if self.epoch == Epoch::Passive {
            // The target may have to make progress inside its library: it waits there, outside the timed region.
            self.comm.barrier().map_err(broken)?;
        }
        Ok(clock.seconds(start, stop))
    }

    fn takes_part(&self) -> bool {
        self.epoch != Epoch::Passive || !self.is_target()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        payload::fill(&self.memory, self.part, self.comm.rank());
        self.window.memory().fill(self.part, 0);
        match self.epoch {
            // Other ranks see a local write to the window after a fence.
            Epoch::Fenced => self.window.fence().map_err(broken)?,
            Epoch::Exposed | Epoch::Passive => self.comm.barrier().map_err(broken)?,
        }
        self.time(1, &Clock::monotonic())?;
        if !self.is_target() {
            return Ok(answer::exact("the target's side is checked", None));
        }
        let n = self.part.len();
        let expected = |index| (1..self.comm.size()).map(|rank| payload::value(rank, n, index)).sum();
        Ok(answer::exact(
            "the sum of all others' patterns, every element",
            payload::wrong(self.window.memory(), self.part, expected),
        ))
    }
}

impl Drop for Accumulation {
    fn drop(&mut self) {
        if self.epoch == Epoch::Passive && !self.is_target() {
            // A window that cannot be unlocked cannot be freed either, and then keeps its memory.
            let _ = self.window.unlock_all();
        }
    }
}
