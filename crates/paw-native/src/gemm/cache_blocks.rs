//! How much of each operand is used at a time, so that it stays in the caches of processors that have an instruction set.

use crate::isa::Isa;

/// Distance of lines in the same set of a first-level cache: 64 sets of 64 bytes.
pub(crate) const ALIAS_BYTES: usize = 4096;

/// Whether the processor is one of those with thirty-two registers, whose second-level cache has 1 MiB or more; 256 or 512 KiB else.
#[inline(always)]
const fn is_large(isa: Isa) -> bool {
    isa.registers() == 32
}

/// Whether, of two grids of tiles that are otherwise alike, the one with more rows is faster, for the prefetcher of a worker takes lines of
/// the same rows of C that another is writing: a fifth at N = 256. With AVX2 a tile of few columns, for which A is not packed, is worth more: a tenth.
#[inline(always)]
pub(super) const fn prefers_rows(isa: Isa) -> bool {
    is_large(isa)
}

/// Most steps along k summed at a time: enough that the time to read and write C in between is negligible, few enough for a panel of B.
/// With AVX-512 one of 98 KB of doubles stays in the second-level cache beside the packed A; with AVX2 one of 16 KiB stays in the first.
#[inline(always)]
pub(super) const fn steps_most(isa: Isa) -> usize {
    if is_large(isa) { 512 } else { 256 }
}

/// Bytes of A that are packed at a time, to stay in the second-level cache beside a panel of B.
#[inline(always)]
pub(super) const fn a_bytes(isa: Isa) -> usize {
    if is_large(isa) { 512 << 10 } else { 192 << 10 }
}

/// Largest B, in bytes, used without packing: it stays in the second-level cache.
#[inline(always)]
pub(super) const fn in_place_bytes(isa: Isa) -> usize {
    if is_large(isa) { 400 << 10 } else { 160 << 10 }
}

/// Largest B, in bytes, with which strips of C's rows go first: every strip reads it again from the second-level cache.
#[inline(always)]
pub(super) const fn rows_first_bytes(isa: Isa) -> usize {
    if is_large(isa) { 512 << 10 } else { 192 << 10 }
}

/// Most rows of C for which B, if it is small enough, is used without packing: each row more uses the copy once more.
#[inline(always)]
pub(super) const fn in_place_rows(isa: Isa) -> usize {
    if is_large(isa) { usize::MAX } else { 512 }
}

/// Rows of C from which on a B whose rows fall into few sets of the first-level cache is packed however small it is.
#[inline(always)]
pub(super) const fn aliased_rows(isa: Isa) -> usize {
    if is_large(isa) { usize::MAX } else { 48 }
}

/// Most rows of C for which a B of few steps is used without packing.
#[inline(always)]
pub(super) const fn few_steps_rows(isa: Isa) -> usize {
    if is_large(isa) { usize::MAX } else { 64 }
}

/// Most panels and rows of a C so slim that packing costs more than it gains: a panel of B then is read from the second-level cache.
#[inline(always)]
pub(super) const fn slim(isa: Isa) -> (usize, usize) {
    if is_large(isa) { (4, usize::MAX) } else { (6, 64) }
}

/// Most steps along k at a time of such a C: with sixteen registers a strip of A, which takes twice the lines where it is transposed, and a
/// panel of B stay in the first-level cache.
#[inline(always)]
pub(super) const fn slim_steps(isa: Isa, is_transposed: bool) -> usize {
    match (is_large(isa), is_transposed) {
        (true, _) => usize::MAX,
        (false, false) => steps_most(isa),
        (false, true) => steps_most(isa) / 2,
    }
}

/// Rows of a large B read side by side where C has `rows`, which are few: as many streams as prefetchers follow, and more where their
/// panels are computed long enough to hide that.
#[inline(always)]
pub(super) const fn streams(isa: Isa, rows: usize) -> usize {
    if is_large(isa) || rows <= 8 { 16 } else { 64 }
}
