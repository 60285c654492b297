//! Buffers, timed region and check of blocking collectives.

use std::cell::Cell;
use std::rc::Rc;

use paw_data::axis;
use paw_data::cell::Combine;
use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::{Comm, Datatype, Memory, MpiError, Part};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::PAIRWISE;
use super::buffer::BUFFER;
use super::error::broken;
use super::pair::{apart, elements, message_bytes};
use super::payload;
use super::scope::Scope;
use crate::answer;
use crate::benchmark::{Axis, Common, Own, Providers, Start, Values};
use crate::teamwork::{Ranks, Series, Teamwork};

/// The rank that broadcasts, gathers, reduces and scatters, where roots do not rotate.
pub const ROOT: usize = 0;

/// Two or more ranks; a collective is complete when the slowest rank is done.
pub const TOGETHER: Teamwork = Teamwork {
    ranks: Ranks::Several,
    combine: Combine::Slowest,
    guide: Combine::Fastest,
    series: Series::ByMethod,
    thread_level: None,
};

/// Collectives in which the root sends: PAW's guide counts the slowest rank, because the root is done before any rank has received.
pub const GIVEN: Providers = Providers::Mpi(Teamwork { guide: Combine::Slowest, ..TOGETHER });

/// Facts that collectives share.
pub const COLLECTIVE: Common = Common {
    family: Family::Collectives,
    headline: Quantity::Time,
    providers: Providers::Mpi(TOGETHER),
    axes: &[N, CADENCE, SCOPE],
    variables: &["MIN_COL_SIZE", "MED_COL_SIZE", "MAX_COL_SIZE", "PAW_MPI_LIBRARY"],
    ..PAIRWISE
};

/// The ladder of elements, short enough to measure all MPI benchmarks in two minutes; PAW's is `n=1..100000`.
pub const N: Axis = Axis {
    name: axis::N,
    meaning: "elements of 8 bytes that each rank contributes or receives",
    values: Values::Ints(&[1, 64, 4096, 32_768]),
};

/// How calls follow each other: a library may overlap streaming calls, but not isolated ones.
pub const CADENCE: Axis = Axis {
    name: axis::CADENCE,
    meaning: "each call started in step and timed alone (isolated), or one after the other (streaming)",
    values: Values::Each(&[axis::ISOLATED, axis::STREAMING]),
};

/// The ranks that call together, so that the cost on one node compares with that over all nodes.
pub const SCOPE: Axis = Axis {
    name: axis::SCOPE,
    meaning: "the ranks that call together: all (world), or those of each node, all nodes at once (node)",
    values: Values::Words(&["world", "node"]),
};

/// Axes of the collectives whose contribution may lie where the result will.
pub const AXES_WITH_PLACE: &[Axis] = &[N, CADENCE, SCOPE, PLACE, BUFFER];

/// Axes of the collectives in which the root sends the same to all.
pub const AXES_WITH_ROOT: &[Axis] = &[N, CADENCE, SCOPE, ROOTS];

/// Axes of the collectives with a root whose contribution or result may stay where it is on the root.
pub const AXES_WITH_PLACE_AND_ROOT: &[Axis] = &[N, CADENCE, SCOPE, PLACE, ROOTS];

const ROOTS: Axis = Axis {
    name: axis::ROOT,
    meaning: "the root of a call: rank 0 always (fixed), or each rank in its turn (rotating: rank i mod P in call i)",
    values: Values::Words(&[axis::FIXED, "rotating"]),
};

const PLACE: Axis = Axis {
    name: axis::PLACE,
    meaning: "whether the result has memory of its own (separate), or lies where the rank's contribution was (in: MPI_IN_PLACE)",
    values: Values::Words(&[axis::SEPARATE, "in"]),
};

/// The length of a rank's buffer in a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// No elements.
    None,
    /// n elements.
    One,
    /// n elements for each of this many neighbours.
    Times(usize),
    /// n elements for every rank.
    All,
}

impl Extent {
    /// Elements on `ranks` ranks.
    fn elements(self, n: i32, ranks: usize) -> Result<i32, Fault> {
        let times = match self {
            Extent::None => 0,
            Extent::One => 1,
            Extent::Times(times) => times,
            Extent::All => ranks,
        };
        i32::try_from(times).ok().and_then(|times| n.checked_mul(times)).ok_or_else(|| {
            Fault::Missing(format!(
                "{n} elements for each of {times} ranks are more than MPI's int counts, {}; choose a smaller n",
                i32::MAX
            ))
        })
    }

    fn times(self, ranks: f64) -> f64 {
        match self {
            Extent::None => 0.0,
            Extent::One => 1.0,
            Extent::Times(times) => times as f64,
            Extent::All => ranks,
        }
    }
}

/// Bytes of both sides of a rank.
pub fn bytes(point: &Point, from: Extent, into: Extent) -> f64 {
    (from.times(ranks(point)) + into.times(ranks(point))) * message_bytes(point)
}

/// Ranks that call together.
pub fn ranks(point: &Point) -> f64 {
    point.float(axis::RANKS).unwrap_or(2.0)
}

/// The data that a collective moves, whatever its algorithm: the size its caller counts, and the part that crosses the busiest link
/// (bus bandwidth in nccl-tests, PERFORMANCE.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// n elements from one rank to all, or from all into one: all n cross.
    Whole,
    /// Blocks of n elements that change ranks: P·n elements, of which (P - 1)/P cross.
    Blocks,
    /// A sum on every rank: n elements, of which 2 (P - 1)/P cross.
    SumToAll,
    /// Each rank's own share of a sum: no convention is known.
    Prefix,
}

/// Work of a collective: bytes by PAW's convention, which counts the elements of `counted` ranks, and by the field's.
fn work(point: &Point, counted: f64, movement: Movement) -> Work {
    let (one, p) = (message_bytes(point), ranks(point));
    let (bytes_algorithm, crossing) = match movement {
        Movement::Whole => (one, 1.0),
        Movement::Blocks => (p * one, (p - 1.0) / p),
        Movement::SumToAll => (one, 2.0 * (p - 1.0) / p),
        Movement::Prefix => (0.0, 0.0),
    };
    Work { bytes: counted * one, bytes_algorithm, bytes_bus: crossing * bytes_algorithm, ..Work::default() }
}

/// Work of collectives in which PAW counts the n elements of every rank.
pub fn everyones(point: &Point, movement: Movement) -> Work {
    work(point, ranks(point), movement)
}

/// Work of broadcast and scatter, in which PAW counts n elements once.
pub fn ones(point: &Point, movement: Movement) -> Work {
    work(point, 1.0, movement)
}

/// A rank's buffers in a collective.
pub struct RankBuffers {
    /// The communicator of the timed calls.
    pub comm: Comm,
    /// The same, where it was made for these calls alone.
    _own: Option<FreedComm>,
    /// The memory of contribution and result.
    pub memory: Rc<Memory>,
    /// This rank's contribution.
    pub from: Part,
    /// The collective's result on this rank.
    pub into: Part,
    /// Elements of one contribution.
    pub n: usize,
    /// Whether the contribution lies in `into` where MPI takes it from there.
    pub is_in_place: bool,
    /// The root of the current call, and by how many ranks the next call's is further.
    root: Cell<usize>,
    root_step: usize,
}

impl RankBuffers {
    /// The buffers of this rank at a point, its contribution filled in.
    pub fn new(start: &Start<'_>, (from, into): (Extent, Extent)) -> Result<Self, Fault> {
        let (world, n) = (start.engine.world()?, elements(start.point)?);
        let comm = world.comm_of(Scope::of(start.point))?;
        let from = Part::new(0, from.elements(n, comm.size())?, Datatype::Double);
        let into = Part::new(apart(from.bytes()), into.elements(n, comm.size())?, Datatype::Double);
        let memory = world.memory_at(start.point, (into.offset_bytes() + into.bytes()).max(1))?;
        let is_in_place = start.point.text(axis::PLACE) == Some("in");
        let root_step = usize::from(start.point.text(axis::ROOT) == Some("rotating"));
        // The first call moves on to rank 0.
        let root = Cell::new(if root_step == 0 { ROOT } else { comm.size() - 1 });
        let n = n as usize;
        let buffers = Self { comm, _own: None, memory, from, into, n, is_in_place, root, root_step };
        buffers.refill();
        Ok(buffers)
    }

    /// As [`RankBuffers::new`], the ranks being a closed ring in which each has the one before it and the one after it as neighbours.
    pub fn in_ring(start: &Start<'_>, extents: (Extent, Extent)) -> Result<Self, Fault> {
        let buffers = Self::new(start, extents)?;
        let ring = buffers.comm.ring().map_err(broken)?;
        Ok(Self { comm: ring, _own: Some(FreedComm(ring)), ..buffers })
    }

    /// The ranks before and after this one, the last and the first being neighbours.
    pub fn neighbours(&self) -> (usize, usize) {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        ((rank + size - 1) % size, (rank + 1) % size)
    }

    /// Writes the contribution anew and clears the result.
    pub fn refill(&self) {
        payload::fill(&self.memory, self.from, self.comm.rank());
        payload::clear(&self.memory, self.into);
        if self.is_in_place && self.into.len() >= self.from.len() {
            payload::fill(&self.memory, self.own_block(), self.comm.rank());
        }
    }

    /// Where `into` holds this rank's contribution: all of it, or the block that is this rank's.
    fn own_block(&self) -> Part {
        let nth = if self.into.len() == self.from.len() { 0 } else { self.comm.rank() };
        let offset_bytes = self.into.offset_bytes() + nth * self.from.bytes();
        Part::new(offset_bytes, self.from.count(), self.from.kind())
    }

    /// The root of the current call, or after it, of the last one.
    #[inline]
    pub fn root(&self) -> usize {
        self.root.get()
    }

    /// Moves on to the next call, which has the same number on every rank because all ranks make the same calls.
    #[inline]
    fn next_call(&self) {
        let next = self.root.get() + self.root_step;
        self.root.set(if next == self.comm.size() { 0 } else { next });
    }

    /// Whether this rank is the root of the current or last call.
    #[inline]
    pub fn is_root(&self) -> bool {
        self.comm.rank() == self.root()
    }

    /// Whether this rank is the root and its result in place, so that it receives nothing.
    pub fn is_root_in_place(&self) -> bool {
        self.is_in_place && self.is_root()
    }

    /// Element `index` of the contribution of rank `from`.
    pub fn value(&self, from: usize, index: usize) -> f64 {
        payload::value(from, self.from.len(), index)
    }

    /// The sum of element `index` over the contributions of the first `ranks` ranks.
    pub fn sum(&self, ranks: usize, index: usize) -> f64 {
        (0..ranks).map(|rank| self.value(rank, index)).sum()
    }

    /// Compares the result with `expected`; passes unseen where that is `None`, as on ranks without a result.
    pub fn check(&self, expected: impl Fn(&RankBuffers, usize) -> Option<f64>) -> Check {
        let looked_at = !self.into.is_empty() && expected(self, 0).is_some();
        let all = |index| expected(self, index).unwrap_or(f64::NAN);
        let wrong = if looked_at { payload::wrong(&self.memory, self.into, all) } else { None };
        answer::exact("every element received", wrong)
    }
}

/// A communicator that is freed on drop, which all ranks do at the same place of the plan.
struct FreedComm(Comm);

impl Drop for FreedComm {
    fn drop(&mut self) {
        // An error shows in the next call.
        let _ = self.0.free();
    }
}

/// The work, buffers and result of a kind of collective.
pub struct CollectiveKind {
    /// The formula of its work: of a call alone, and of one that a computation overlaps.
    pub formulas: [&'static str; 2],
    /// The work of one call.
    pub work: fn(&Point) -> Work,
    /// Lengths of a rank's contribution and of its result.
    pub extents: (Extent, Extent),
    /// Bytes of memory that both sides of a rank need.
    pub memory_bytes: fn(&Point) -> f64,
    /// The result's element by index; `None` on ranks without a result.
    pub expected: Expected,
    /// Another result that is as right, where the library may choose.
    pub otherwise: Option<Expected>,
}

/// Gives the element of a rank's result by index; `None` on ranks without a result.
pub type Expected = fn(&RankBuffers, usize) -> Option<f64>;

impl CollectiveKind {
    /// The facts of a benchmark of this kind.
    pub const fn own(
        &self,
        name: &'static str,
        purpose: &'static str,
        timed: &'static str,
        start: fn(&Start<'_>) -> Result<Box<dyn Timed>, Fault>,
    ) -> Own {
        Own { name, purpose, timed, formula: self.formulas[0], work: self.work, start }
    }

    /// Compares the result with what is expected; passes unseen on ranks without a result.
    pub fn check(&self, buffers: &RankBuffers) -> Check {
        let first = buffers.check(self.expected);
        match self.otherwise.map(|otherwise| buffers.check(otherwise)) {
            Some(other) if first.error != 0.0 && other.error == 0.0 => other,
            _ => first,
        }
    }

    /// The facts that all collectives share, with the memory of this kind.
    pub const fn common(&self) -> Common {
        Common { memory_bytes: self.memory_bytes, ..COLLECTIVE }
    }
}

/// A timed collective: its call, and the kind that knows its result.
struct Collective<C> {
    buffers: RankBuffers,
    call: C,
    kind: &'static CollectiveKind,
}

/// Starts a collective of this kind, made by `call`.
pub fn begin<C>(start: &Start<'_>, kind: &'static CollectiveKind, call: C) -> Result<Box<dyn Timed>, Fault>
where
    C: Fn(&RankBuffers) -> Result<(), MpiError> + 'static,
{
    Ok(called(RankBuffers::new(start, kind.extents)?, kind, call))
}

/// A collective of this kind on these buffers, made by `call`.
pub fn called<C>(buffers: RankBuffers, kind: &'static CollectiveKind, call: C) -> Box<dyn Timed>
where
    C: Fn(&RankBuffers) -> Result<(), MpiError> + 'static,
{
    Box::new(Collective { buffers, call, kind })
}

impl<C: Fn(&RankBuffers) -> Result<(), MpiError>> Timed for Collective<C> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        for _ in 0..loops {
            self.buffers.next_call();
            (self.call)(&self.buffers).map_err(broken)?;
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.buffers.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.kind.check(&self.buffers))
    }
}
