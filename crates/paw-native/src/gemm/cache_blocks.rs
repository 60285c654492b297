//! How much of each operand is used at a time, so that it stays in the caches of processors that have an instruction set.

use crate::isa::Isa;

/// Whether the processor is one of those with thirty-two registers, whose second-level cache has 1 MiB or more; 256 or 512 KiB else.
#[inline(always)]
const fn is_large(isa: Isa) -> bool {
    isa.registers() == 32
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
