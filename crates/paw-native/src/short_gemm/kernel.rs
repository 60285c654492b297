//! What computes a block of C in one instruction set, and how its operands are packed.

use super::pack::{CHUNK, Format};

/// Packs rows or columns of a matrix into words. It is called with the matrix, its columns, the first row or column and their count. The
/// processor must have the kernel's instruction set.
pub(super) type Pack<T> = unsafe fn(&[T], usize, usize, usize, &mut [u32]);

/// Tables of kernels, one for each file of them.
pub type Tables<A, B, S> = &'static [&'static [Kernel<A, B, S>]];

/// Bytes of A that stay in a second-level cache of 1 MiB beside a panel of B.
const A_BYTES: usize = 256 * 1024;

/// A kernel of a product in one instruction set.
pub struct Kernel<A, B, S> {
    /// The instruction set, as it appears in results.
    pub(super) isa: &'static str,
    /// Rows and columns of a block.
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Neighbours along k in a word.
    pub(super) depth: usize,
    /// Bytes of A that all panels of B go past.
    pub(super) a_bytes: usize,
    pub(super) is_here: fn() -> bool,
    /// Packs a strip of rows of A.
    pub(super) pack_a: Pack<A>,
    /// Packs a panel of columns of B.
    pub(super) pack_b: Pack<B>,
    /// What a thread does before its first block, and after its last. The processor must have the instruction set.
    pub(super) begin: unsafe fn(),
    pub(super) end: unsafe fn(),
    /// Computes a block. The processor must have the instruction set, and the block be as [`Block`] says.
    pub(super) block: unsafe fn(&Block<S>),
}

/// A block of C, and its operands: `words` words along k of a packed strip of A and of a packed panel of B. Behind them both hold zeros
/// up to a whole chunk.
pub struct Block<S> {
    pub(super) a: *const u32,
    pub(super) b: *const u32,
    pub(super) words: usize,
    pub(super) c: *mut S,
    /// Elements from row to row of C.
    pub(super) ldc: usize,
    /// Rows and columns that C has.
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) update: Update,
}

/// What becomes of the old C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Update {
    /// It is not read.
    Replace,
    /// The block is added to it.
    Add,
}

impl<A, B, S> Kernel<A, B, S> {
    /// A kernel without anything to do before and after.
    pub(super) const fn of<F: Format<A = A, B = B>>(
        isa: &'static str,
        [rows, columns]: [usize; 2],
        is_here: fn() -> bool,
        (pack_a, pack_b): (Pack<A>, Pack<B>),
        block: unsafe fn(&Block<S>),
    ) -> Self {
        let nothing: unsafe fn() = || {};
        Self {
            isa,
            rows,
            columns,
            depth: F::DEPTH,
            a_bytes: A_BYTES,
            is_here,
            pack_a,
            pack_b,
            begin: nothing,
            end: nothing,
            block,
        }
    }

    /// Words of a packed strip of A.
    pub(super) fn strip_words(&self, k: usize) -> usize {
        self.padded(k) * self.rows
    }

    /// Words of a packed panel of B.
    pub(super) fn panel_words(&self, k: usize) -> usize {
        self.padded(k) * self.columns
    }

    /// Words along k, in whole chunks.
    fn padded(&self, k: usize) -> usize {
        k.div_ceil(self.depth).next_multiple_of(CHUNK)
    }

    /// Words of the packed A and of the packed B.
    pub(super) fn room(&self, [m, n, k]: [usize; 3]) -> [usize; 2] {
        let words = |blocks: usize, each: usize| blocks.saturating_mul(each);
        [words(m.div_ceil(self.rows), self.strip_words(k)), words(n.div_ceil(self.columns), self.panel_words(k))]
    }
}

impl<S: Copy> Block<S> {
    /// Writes the valid part of a block whose sums lie in `sums`, `columns` a row.
    ///
    /// # Safety
    /// The rows and columns of C must be writable by the caller alone.
    #[inline(always)]
    pub(super) unsafe fn store(&self, sums: &[S], columns: usize, add: impl Fn(S, S) -> S) {
        for (row, sums) in sums.chunks_exact(columns).take(self.rows).enumerate() {
            // SAFETY: the caller guarantees the row of C.
            let c = unsafe { std::slice::from_raw_parts_mut(self.c.add(row * self.ldc), self.columns) };
            match self.update {
                Update::Replace => c.copy_from_slice(&sums[..c.len()]),
                Update::Add => c.iter_mut().zip(sums).for_each(|(c, sum)| *c = add(*c, *sum)),
            }
        }
    }
}
