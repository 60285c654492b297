//! Blocks on the matrix unit of x86-64 (AMX): four tiles of sums, two of A and two of B.
#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
use std::mem::MaybeUninit;

use super::bfloat16::Bf16;
use super::format::{Pairs, Quads};
use super::kernel::{Block, Kernel, Update};
use super::pack::CHUNK;

use super::vectors::{a_512, b_512, has_512};
use crate::peak::short::tiles;

/// Rows, and sums in a row, of a tile.
const TILE: usize = 16;
/// Rows and columns of a block.
const SIDE: usize = 2 * TILE;

/// Bytes of A that all panels of B go past: a part of the second-level cache, which is of 2 MiB in every processor with tiles.
const A_BYTES: usize = 512 * 1024;

/// The sums of a block at the edge of C.
#[repr(C, align(64))]
struct Sums([u32; SIDE * SIDE]);

/// The row of sums that a block begins with where the old C is not read.
#[repr(C, align(64))]
struct Zeros([u32; SIDE]);

static ZEROS: Zeros = Zeros([0; SIDE]);

/// Multiplies and adds chunk after chunk, onto C or onto zeros; tiles go from C and to C, whose rows of sums are theirs.
macro_rules! block {
    ($name:ident, $sum:ty, $op:literal, $from:expr, $add:expr) => {
        /// # Safety
        /// The processor must have the tiles, `tiles::configure` have been called on this thread, and the block be as [`Block`] says.
        unsafe fn $name(block: &Block<$sum>) {
            let is_whole = block.rows == SIDE && block.columns == SIDE;
            let mut edge = MaybeUninit::<Sums>::uninit();
            let (to, to_row) = if is_whole {
                (block.c.cast::<u32>(), block.ldc * size_of::<u32>())
            } else {
                (edge.as_mut_ptr().cast::<u32>(), SIDE * size_of::<u32>())
            };
            // Rows that lie 0 bytes apart are one row.
            let (from, from_row) = match block.update {
                Update::Add if is_whole => (to.cast_const(), to_row),
                _ => (ZEROS.0.as_ptr(), 0),
            };
            // C comes from memory meanwhile: the stores of tiles wait for it.
            for row in 0..block.rows {
                let line = block.c.wrapping_add(row * block.ldc).cast::<i8>();
                // SAFETY: a processor with tiles has the instruction, which does nothing that a program sees, whatever the address.
                unsafe {
                    _mm_prefetch::<_MM_HINT_T1>(line);
                    _mm_prefetch::<_MM_HINT_T1>(line.wrapping_add(64));
                }
            }
            let chunks = block.words.div_ceil(CHUNK);
            // SAFETY: the loads are of whole chunks, which strips and panels hold: 32 rows of 64 bytes of A, 16 of 128 bytes of B; tiles
            // of sums are 32 rows of 128 bytes: of the zeros, of C where the block is whole, else of the sums beside it.
            unsafe {
                asm!(
                    "tileloadd tmm0, [{from} + {from_row}*1]", "tileloadd tmm1, [{from} + {from_row}*1 + 64]",
                    "tileloadd tmm2, [{from_low} + {from_row}*1]", "tileloadd tmm3, [{from_low} + {from_row}*1 + 64]",
                    "test {chunks}, {chunks}", "jz 3f",
                    "2:",
                    "tileloadd tmm4, [{a} + {row}*1]", "tileloadd tmm6, [{b} + {two}*1]",
                    "tileloadd tmm7, [{b} + {two}*1 + 64]", "tileloadd tmm5, [{a} + {row}*1 + 1024]",
                    concat!($op, " tmm0, tmm4, tmm6"), concat!($op, " tmm1, tmm4, tmm7"),
                    concat!($op, " tmm2, tmm5, tmm6"), concat!($op, " tmm3, tmm5, tmm7"),
                    "add {a}, 2048", "add {b}, 2048", "dec {chunks}", "jnz 2b",
                    "3:",
                    "tilestored [{to} + {to_row}*1], tmm0", "tilestored [{to} + {to_row}*1 + 64], tmm1",
                    "tilestored [{to_low} + {to_row}*1], tmm2", "tilestored [{to_low} + {to_row}*1 + 64], tmm3",
                    a = inout(reg) block.a => _, b = inout(reg) block.b => _, chunks = inout(reg) chunks => _,
                    row = in(reg) 64_usize, two = in(reg) 128_usize,
                    from = in(reg) from, from_low = in(reg) from.wrapping_byte_add(TILE * from_row), from_row = in(reg) from_row,
                    to = in(reg) to, to_low = in(reg) to.wrapping_byte_add(TILE * to_row), to_row = in(reg) to_row,
                    out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _, out("tmm4") _, out("tmm5") _,
                    out("tmm6") _, out("tmm7") _, options(nostack)
                )
            };
            if !is_whole {
                // SAFETY: the tiles have filled it.
                let sums = unsafe { edge.assume_init() }.0.map($from);
                // SAFETY: the caller guarantees C.
                unsafe { block.store(&sums, SIDE, $add) };
            }
        }
    };
}

block!(bf16, f32, "tdpbf16ps", f32::from_bits, |c, sum| c + sum);
// Unsigned by signed.
block!(int8, i32, "tdpbusd", u32::cast_signed, i32::wrapping_add);

const BF16_KERNEL: Kernel<Bf16, Bf16, f32> = Kernel::of::<Pairs>(
    "amx_bf16",
    [SIDE, SIDE],
    || has_512() && tiles::has_bf16(),
    (a_512::<Pairs>, b_512::<Pairs>),
    bf16,
);
const INT8_KERNEL: Kernel<u8, i8, i32> = Kernel::of::<Quads>(
    "amx_int8",
    [SIDE, SIDE],
    || has_512() && tiles::has_int8(),
    (a_512::<Quads>, b_512::<Quads>),
    int8,
);

pub(super) const BF16: &[Kernel<Bf16, Bf16, f32>] =
    &[Kernel { begin: tiles::configure, end: tiles::release, a_bytes: A_BYTES, ..BF16_KERNEL }];
pub(super) const INT8: &[Kernel<u8, i8, i32>] =
    &[Kernel { begin: tiles::configure, end: tiles::release, a_bytes: A_BYTES, ..INT8_KERNEL }];
