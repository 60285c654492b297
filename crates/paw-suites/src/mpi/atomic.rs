//! One element changed in another rank's memory: `p2p_accumulate`, `p2p_fetch_and_op`, `p2p_compare_and_swap`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::{Comm, Datatype, Memory, Mpi, MpiError, Op, Part};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::buffer::BUFFER;
use super::error::broken;
use super::pair;
use super::partner::{Pairing, Side};
use super::window::{Flavor, Freed};
use super::{FLAVOR, PAIRS, PAIRWISE};
use crate::answer;
use crate::benchmark::{Benchmark, Common, Own, Start};

/// Adds an element to the target's.
pub const ACCUMULATE: Benchmark = update(
    "p2p_accumulate",
    "How long does it take to add to one element of another rank's memory?",
    "first half: MPI_Accumulate, MPI_Win_flush inside MPI_Win_lock_all | second half: nothing; one 64-bit integer",
    |start| begin(start, Action::Accumulate),
)
.of(Common {
    family: Family::OneSided,
    headline: Quantity::Time,
    axes: &[PAIRS, FLAVOR, BUFFER],
    variables: &["PAW_MPI_LIBRARY"],
    memory_bytes: |_| 0.0,
    ..PAIRWISE
})
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Adds an element to the target's, and fetches the old value.
pub const FETCH_AND_OP: Benchmark = update(
    "p2p_fetch_and_op",
    "How long does it take to fetch and add one element of another rank's memory?",
    "first half: MPI_Fetch_and_op, MPI_Win_flush inside MPI_Win_lock_all | second half: nothing; one 64-bit integer",
    |start| begin(start, Action::FetchAndOp),
)
.of(ACCUMULATE.common)
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// Exchanges an element if it has the expected value.
pub const COMPARE_AND_SWAP: Benchmark = update(
    "p2p_compare_and_swap",
    "How long does a compare-and-swap in another rank's memory take?",
    "first half: MPI_Compare_and_swap, MPI_Win_flush inside MPI_Win_lock_all | second half: nothing; one 64-bit integer",
    |start| begin(start, Action::CompareAndSwap),
)
.of(ACCUMULATE.common)
.quick(&[])
.alternatives(axis::FLAVOR, axis::CREATE);

/// The facts of one kind of update.
const fn update(
    name: &'static str,
    purpose: &'static str,
    timed: &'static str,
    start: fn(&Start<'_>) -> Result<Box<dyn Timed>, Fault>,
) -> Own {
    let work = |point: &Point| Work { messages: pair::pairs(point), ..Work::default() };
    Own { name, purpose, timed, formula: "1; one operation, all pairs at once", work, start }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Accumulate,
    FetchAndOp,
    CompareAndSwap,
}

/// Offsets in an origin's memory: the element it gives, the one it compares with, the one it fetches.
const GIVEN: usize = 0;
const COMPARED: usize = 64;
const FETCHED: usize = 128;

fn element(offset_bytes: usize) -> Part {
    Part::new(offset_bytes, 1, Datatype::Int64)
}

struct Atomic {
    comm: Comm,
    window: Freed,
    memory: Rc<Memory>,
    partner: usize,
    is_origin: bool,
    action: Action,
}

fn begin(start: &Start<'_>, action: Action) -> Result<Box<dyn Timed>, Fault> {
    let world = start.engine.world()?;
    let comm = world.comm();
    let Side { partner, is_first: is_origin } = Pairing::of(start.point).side(comm.rank(), comm.size());
    let flavor = Flavor::of(start.point);
    swaps(comm.mpi(), action, flavor)?;
    let (window, memory) = world.updated_window(start.point, 8, FETCHED + 8)?;
    if is_origin {
        window.lock_all().map_err(broken)?;
    }
    Ok(Box::new(Atomic { comm, window, memory, partner, is_origin, action }))
}

/// Refuses a compare-and-swap that would end the job: in memory that Open MPI 4 allocated, its target crashes, of a plain C program too.
fn swaps(mpi: &Mpi, action: Action, flavor: Flavor) -> Result<(), Fault> {
    let is_given = flavor == Flavor::Allocate;
    if action == Action::CompareAndSwap && is_given && mpi.version().starts_with("Open MPI v4.") {
        return Err(Fault::Missing(format!(
            "{} crashes in MPI_Compare_and_swap on memory that it allocated. hint: --set flavor=create",
            mpi.version()
        )));
    }
    Ok(())
}

impl Atomic {
    #[inline]
    fn once(&self) -> Result<(), MpiError> {
        let Self { window, memory, partner, .. } = self;
        match self.action {
            Action::Accumulate => window.accumulate(memory, element(GIVEN), *partner, 0, Op::Sum)?,
            Action::FetchAndOp => {
                window.fetch_and_op(memory, element(GIVEN), element(FETCHED), *partner, 0, Op::Sum)?
            }
            Action::CompareAndSwap => {
                window.compare_and_swap(memory, element(GIVEN), element(COMPARED), element(FETCHED), *partner, 0)?;
            }
        }
        window.flush(*partner)
    }

    fn value(memory: &Memory, offset_bytes: usize) -> i64 {
        memory.read_integers(element(offset_bytes))[0]
    }
}

/// The target's value before the operation, and the origin's operand.
const BEFORE: i64 = 1000;
const ADDED: i64 = 7;

impl Timed for Atomic {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        if self.is_origin {
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
        self.is_origin
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.window.memory().write_integers(0, &[BEFORE]);
        for (offset_bytes, value) in [(GIVEN, ADDED), (COMPARED, BEFORE), (FETCHED, -1)] {
            self.memory.write_integers(offset_bytes, &[value]);
        }
        self.comm.barrier().map_err(broken)?;
        self.time(1, &Clock::monotonic())?;
        let after = if self.action == Action::CompareAndSwap { ADDED } else { BEFORE + ADDED };
        let (what, found, expected) = match (self.is_origin, self.action) {
            (false, _) => ("target", Self::value(self.window.memory(), 0), after),
            (true, Action::Accumulate) => return Ok(answer::exact("the target's side is checked", None)),
            (true, _) => ("fetched element", Self::value(&self.memory, FETCHED), BEFORE),
        };
        let wrong = (found != expected).then(|| format!("the {what} is {found} and should be {expected}"));
        Ok(answer::exact("the element before and after", wrong))
    }
}

impl Drop for Atomic {
    fn drop(&mut self) {
        if self.is_origin {
            // A window that cannot be unlocked cannot be freed either, and then keeps its memory.
            let _ = self.window.unlock_all();
        }
    }
}
