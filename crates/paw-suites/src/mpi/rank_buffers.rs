//! The memory of a rank in a collective: its contribution, its result, and the check of what arrived.

use std::cell::Cell;
use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_foreign::mpi::{Comm, Datatype, Memory, Part};
use paw_measure::fault::Fault;

use super::error::broken;
use super::extent::Extent;
use super::pair::{apart, elements};
use super::payload;
use super::scope::Scope;
use crate::answer;
use crate::benchmark::Start;

/// The rank that broadcasts, gathers, reduces and scatters, where roots do not rotate.
pub const ROOT: usize = 0;

/// Whether a point's result lies where the contribution was.
pub fn is_in_place(point: &Point) -> bool {
    point.text(axis::PLACE) == Some("in")
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
    /// Where the collective writes on this rank.
    pub into: Part,
    /// The collective's result on this rank: `into`, or its beginning.
    result: Part,
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
    pub fn new(start: &Start<'_>, extents: (Extent, Extent)) -> Result<Self, Fault> {
        let world = start.engine.world()?;
        Self::allocated(start, extents, |bytes| world.memory_at(start.point, bytes))
    }

    /// As [`RankBuffers::new`], in the memory of the device by which this rank takes part in collectives between devices.
    pub fn on_device(start: &Start<'_>, extents: (Extent, Extent)) -> Result<Self, Fault> {
        let world = start.engine.world()?;
        Self::allocated(start, extents, |bytes| world.device_collectives().memory(bytes))
    }

    fn allocated(
        start: &Start<'_>,
        (from, into): (Extent, Extent),
        allocate: impl FnOnce(usize) -> Result<Rc<Memory>, Fault>,
    ) -> Result<Self, Fault> {
        let (world, n) = (start.engine.world()?, elements(start.point)?);
        let comm = world.comm_of(Scope::of(start.point))?;
        let from = Part::new(0, from.elements(n, comm.size())?, Datatype::Double);
        let into = Part::new(apart(from.bytes()), into.elements(n, comm.size())?, Datatype::Double);
        let memory = allocate((into.offset_bytes() + into.bytes()).max(1))?;
        let is_in_place = is_in_place(start.point);
        let root_step = usize::from(start.point.text(axis::ROOT) == Some("rotating"));
        // The first call moves on to rank 0.
        let root = Cell::new(if root_step == 0 { ROOT } else { comm.size() - 1 });
        let n = n as usize;
        let buffers = Self { comm, _own: None, memory, from, into, result: into, n, is_in_place, root, root_step };
        buffers.refill();
        Ok(buffers)
    }

    /// As [`RankBuffers::new`], for n elements that in place lie at the beginning of what was contributed there.
    pub fn shrinking(start: &Start<'_>, (from, into): (Extent, Extent)) -> Result<Self, Fault> {
        let buffers = Self::new(start, (from, if is_in_place(start.point) { from } else { into }))?;
        let result = Part::new(buffers.into.offset_bytes(), elements(start.point)?, Datatype::Double);
        Ok(Self { result, ..buffers })
    }

    /// As [`RankBuffers::on_device`], for n elements that in place are this rank's block of what was contributed there.
    pub fn scattering_on_device(start: &Start<'_>, (from, into): (Extent, Extent)) -> Result<Self, Fault> {
        let is_in_place = is_in_place(start.point);
        let buffers = Self::on_device(start, (from, if is_in_place { from } else { into }))?;
        let nth = if is_in_place { buffers.comm.rank() } else { 0 };
        let offset_bytes = buffers.into.offset_bytes() + nth * buffers.n * Datatype::Double.bytes();
        Ok(Self { result: Part::new(offset_bytes, elements(start.point)?, Datatype::Double), ..buffers })
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

    /// Where this rank's contribution is: in place, where `into` holds it.
    #[inline]
    pub fn contribution(&self) -> Part {
        if self.is_in_place { self.own_block() } else { self.from }
    }

    /// The collective's result on this rank.
    #[inline]
    pub fn result(&self) -> Part {
        self.result
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
    pub fn next_call(&self) {
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
        let looked_at = !self.result.is_empty() && expected(self, 0).is_some();
        let all = |index| expected(self, index).unwrap_or(f64::NAN);
        let wrong = if looked_at { payload::wrong(&self.memory, self.result, all) } else { None };
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
