//! How much each rank has of a part, and where.

use std::ffi::c_int;

use super::error::{MpiError, MpiFault};
use super::memory::Part;

/// Elements of each rank, and where they begin in a part, for calls such as `MPI_Gatherv`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    counts: Vec<c_int>,
    displacements: Vec<c_int>,
    /// Elements from the beginning of the part to the end of the last block.
    span: usize,
}

impl Counts {
    /// `count` elements for each of `ranks` ranks, blocks following each other; a negative count is 0.
    pub fn equal(count: i32, ranks: usize) -> Self {
        let counts = vec![count.max(0); ranks];
        // Beyond what an index of MPI can say, the last block ends beyond every part.
        let begins = |rank: usize| i32::try_from(rank * counts[rank] as usize).unwrap_or(i32::MAX);
        let displacements = (0..ranks).map(begins).collect();
        let span = counts.iter().map(|count| *count as usize).sum();
        Self { counts, displacements, span }
    }

    /// `counts[i]` elements of rank `i` from `displacements[i]` on; none negative.
    pub fn new(counts: &[i32], displacements: &[i32]) -> Result<Self, MpiError> {
        let odd = counts.iter().chain(displacements).any(|number| *number < 0);
        if odd || counts.len() != displacements.len() {
            let text = "counts and displacements must be as many, and none of them negative";
            return Err(MpiFault::Arguments(text.into()).into());
        }
        let ends = counts.iter().zip(displacements).map(|(count, from)| *count as usize + *from as usize);
        let span = ends.max().unwrap_or(0);
        Ok(Self { counts: counts.to_vec(), displacements: displacements.to_vec(), span })
    }

    /// `counts[i]` elements of rank `i`, blocks following each other.
    pub fn packed(counts: &[i32]) -> Result<Self, MpiError> {
        let mut next = 0_i32;
        let begins = |count: &i32| {
            let begin = next;
            next = next.saturating_add(*count);
            begin
        };
        let displacements: Vec<i32> = counts.iter().map(begins).collect();
        Self::new(counts, &displacements)
    }

    /// The addresses of counts and displacements, if there are `ranks` of each and all blocks lie in `part`.
    #[inline]
    pub(super) fn within(&self, part: Part, ranks: usize) -> Result<(*const c_int, *const c_int), MpiError> {
        if self.span > part.len() || self.counts.len() != ranks {
            return Err(self.unfit(part, ranks));
        }
        Ok((self.counts.as_ptr(), self.displacements.as_ptr()))
    }

    /// As [`Counts::within`], for calls that take no displacements: blocks follow each other.
    pub(super) fn packed_within(&self, part: Part, ranks: usize) -> Result<(*const c_int, *const c_int), MpiError> {
        let elements: usize = self.counts.iter().map(|count| *count as usize).sum();
        if elements > part.len() {
            return Err(self.unfit(part, ranks));
        }
        self.within(part, ranks)
    }

    /// The beginning of `part`, as long as the block of `rank`.
    pub(super) fn own(&self, part: Part, rank: usize) -> Part {
        Part::new(part.offset_bytes(), self.counts.get(rank).copied().unwrap_or(0), part.kind())
    }

    #[cold]
    fn unfit(&self, part: Part, ranks: usize) -> MpiError {
        let (blocks, span, elements) = (self.counts.len(), self.span, part.len());
        let text = format!("{blocks} blocks over {span} elements do not fit {ranks} ranks and {elements} elements");
        MpiFault::Arguments(text).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::Datatype;

    #[test]
    fn blocks_are_held_against_the_part() {
        let part = |count| Part::new(0, count, Datatype::Double);
        let counts = Counts::new(&[2, 0, 3], &[0, 9, 4]).expect("none is negative");
        assert!(counts.within(part(9), 3).is_ok());
        assert!(counts.within(part(8), 3).is_err());
        assert!(counts.within(part(9), 2).is_err());
        assert!(Counts::new(&[1], &[-1]).is_err());
        assert!(Counts::new(&[1, 1], &[0]).is_err());
    }

    #[test]
    fn equal_counts_are_packed() {
        assert_eq!(Some(Counts::equal(5, 3)), Counts::packed(&[5, 5, 5]).ok());
        assert!(Counts::equal(i32::MAX, 4).within(Part::new(0, i32::MAX, Datatype::Byte), 4).is_err());
    }
}
