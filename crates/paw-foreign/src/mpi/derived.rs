//! Derived datatypes: elements that lie apart in memory, described to the library once.
#![allow(unsafe_code)]

use super::abi::{Datatype, MpiHandle};
use super::calls::call_if_there;
use super::error::{MpiError, MpiFault};
use super::library::Mpi;
use super::memory::Part;

/// A committed datatype of the library: elements of one kind with gaps between them. It is freed when it is dropped; messages that
/// are under way then still end as they should.
#[derive(Debug)]
pub struct DerivedDatatype {
    mpi: &'static Mpi,
    handle: MpiHandle,
    /// Elements from the first that it describes to the last, gaps included.
    span: i32,
    kind: Datatype,
}

impl DerivedDatatype {
    /// `count` elements of `kind`, each `stride` elements behind the one before it (`MPI_Type_vector`); neither is below 1.
    pub fn vector(mpi: &'static Mpi, count: i32, stride: i32, kind: Datatype) -> Result<Self, MpiError> {
        let last = count.checked_sub(1).and_then(|gaps| gaps.checked_mul(stride));
        let last = last.filter(|_| count >= 1 && stride >= 1);
        let span = last.and_then(|last| last.checked_add(1)).ok_or_else(|| unfit("a vector"))?;
        let mut slot = 0_usize;
        call_if_there!(mpi, type_vector(count, 1, stride, mpi.kind(kind), (&raw mut slot).cast()))?;
        Self { mpi, handle: MpiHandle(slot), span, kind }.committed()
    }

    /// Single elements of `kind` that begin at these displacements, counted in elements, ascending from 0 or more (`MPI_Type_indexed`).
    pub fn indexed(mpi: &'static Mpi, displacements: &[i32], kind: Datatype) -> Result<Self, MpiError> {
        let is_ascending = displacements.is_sorted_by(|sooner, later| sooner < later);
        let ends = displacements.first().zip(displacements.last()).filter(|(first, _)| is_ascending && **first >= 0);
        let span = ends.and_then(|(_, last)| last.checked_add(1)).ok_or_else(|| unfit("an indexed datatype"))?;
        let count = i32::try_from(displacements.len()).map_err(|_| unfit("an indexed datatype"))?;
        let lengths = vec![1; displacements.len()];
        let mut slot = 0_usize;
        let place = (&raw mut slot).cast();
        call_if_there!(mpi, type_indexed(count, lengths.as_ptr(), displacements.as_ptr(), mpi.kind(kind), place))?;
        Self { mpi, handle: MpiHandle(slot), span, kind }.committed()
    }

    /// All that one such datatype spans from `offset_bytes` on, gaps included.
    pub fn span(&self, offset_bytes: usize) -> Part {
        Part::new(offset_bytes, self.span, self.kind)
    }

    #[inline]
    pub(super) fn handle(&self) -> MpiHandle {
        self.handle
    }

    fn committed(self) -> Result<Self, MpiError> {
        let mut slot = self.handle.0;
        call_if_there!(self.mpi, type_commit((&raw mut slot).cast()))?;
        Ok(self)
    }
}

impl Drop for DerivedDatatype {
    fn drop(&mut self) {
        let mut slot = self.handle.0;
        // A datatype that the library does not take back costs some memory, and nothing after MPI_Finalize.
        let _ = call_if_there!(self.mpi, type_free((&raw mut slot).cast()));
    }
}

#[cold]
fn unfit(what: &str) -> MpiError {
    let text =
        format!("{what} has one element or more, each behind the one before it, and ends where MPI's int can count");
    MpiFault::Arguments(text).into()
}
