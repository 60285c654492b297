//! Axes, work, timed region and check of blocking collectives.

use paw_data::axis;
use paw_data::cell::Combine;
use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::MpiError;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::PAIRWISE;
use super::buffer::BUFFER;
use super::error::broken;
use super::extent::Extent;
use super::pair::message_bytes;
use super::rank_buffers::RankBuffers;
use crate::benchmark::{Axis, Common, Own, Providers, Start, Values};
use crate::teamwork::{Carrier, Ranks, Series, Teamwork};

/// Two or more ranks; a collective is complete when the slowest rank is done.
pub const TOGETHER: Teamwork = Teamwork {
    ranks: Ranks::Several,
    combine: Combine::Slowest,
    guide: Combine::Fastest,
    series: Series::ByMethod,
    thread_level: None,
    carrier: Carrier::Mpi,
};

/// Collectives in which the root sends: PAW's guide counts the slowest rank, because the root is done before any rank has received.
pub const GIVEN: Providers = Providers::Mpi(Teamwork { guide: Combine::Slowest, ..TOGETHER });

/// Facts that collectives share.
pub const COLLECTIVE: Common = Common {
    family: Family::Collectives,
    headline: Quantity::Time,
    providers: Providers::Mpi(TOGETHER),
    axes: &[N, CADENCE, SCOPE, BUFFER],
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
pub const AXES_WITH_ROOT: &[Axis] = &[N, CADENCE, SCOPE, ROOTS, BUFFER];

/// Axes of the collectives with a root whose contribution or result may stay where it is on the root.
pub const AXES_WITH_PLACE_AND_ROOT: &[Axis] = &[N, CADENCE, SCOPE, PLACE, ROOTS, BUFFER];

const ROOTS: Axis = Axis {
    name: axis::ROOT,
    meaning: "the root of a call: rank 0 always (fixed), or each rank in its turn (rotating: rank i mod P in call i)",
    values: Values::Words(&[axis::FIXED, "rotating"]),
};

/// Where the result lies.
pub const PLACE: Axis = Axis {
    name: axis::PLACE,
    meaning: "whether the result has memory of its own (separate), or lies where the rank's contribution was (in: MPI_IN_PLACE, or as NCCL has it)",
    values: Values::Words(&[axis::SEPARATE, "in"]),
};

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
