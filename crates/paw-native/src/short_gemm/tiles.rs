//! Blocks on the matrix unit of x86-64 (AMX): four tiles of sums, two of A and two of B.
#![allow(unsafe_code)]

use std::arch::asm;

use super::bfloat16::Bf16;
use super::format::{Pairs, Quads};
use super::kernel::{Block, Kernel};
use super::pack::CHUNK;

use super::vectors::{a_512, b_512, has_512};
use crate::peak::short::tiles;

/// Rows, and sums in a row, of a tile.
const TILE: usize = 16;
/// Rows and columns of a block.
const SIDE: usize = 2 * TILE;

/// The sums of a block.
#[repr(C, align(64))]
struct Sums([u32; SIDE * SIDE]);

/// Multiplies and adds chunk after chunk, and leaves the sums in memory.
macro_rules! block {
    ($name:ident, $sum:ty, $op:literal, $from:expr, $add:expr) => {
        /// # Safety
        /// The processor must have the tiles, `tiles::configure` have been called on this thread, and the block be as [`Block`] says.
        unsafe fn $name(block: &Block<$sum>) {
            let mut sums = Sums([0; SIDE * SIDE]);
            let chunks = block.words.div_ceil(CHUNK);
            if chunks > 0 {
                // SAFETY: the loads are of whole chunks, which strips and panels hold: 32 rows of 64 bytes of A, 16 of 128 bytes of
                // B; the stores fill the sums, 32 rows of 128 bytes.
                unsafe {
                    asm!(
                        "tilezero tmm0", "tilezero tmm1", "tilezero tmm2", "tilezero tmm3",
                        "2:",
                        "tileloadd tmm4, [{a} + {row}*1]", "tileloadd tmm6, [{b} + {two}*1]",
                        "tileloadd tmm7, [{b} + {two}*1 + 64]", "tileloadd tmm5, [{a} + {row}*1 + 1024]",
                        concat!($op, " tmm0, tmm4, tmm6"), concat!($op, " tmm1, tmm4, tmm7"),
                        concat!($op, " tmm2, tmm5, tmm6"), concat!($op, " tmm3, tmm5, tmm7"),
                        "add {a}, 2048", "add {b}, 2048", "dec {chunks}", "jnz 2b",
                        "tilestored [{sums} + {two}*1], tmm0", "tilestored [{sums} + {two}*1 + 64], tmm1",
                        "tilestored [{sums} + {two}*1 + 2048], tmm2", "tilestored [{sums} + {two}*1 + 2112], tmm3",
                        a = inout(reg) block.a => _, b = inout(reg) block.b => _, chunks = inout(reg) chunks => _,
                        row = in(reg) 64_usize, two = in(reg) 128_usize, sums = in(reg) &raw mut sums,
                        out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _, out("tmm4") _, out("tmm5") _,
                        out("tmm6") _, out("tmm7") _, options(nostack)
                    )
                };
            }
            let sums = sums.0.map($from);
            // SAFETY: the caller guarantees C.
            unsafe { block.store(&sums, SIDE, $add) };
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
    &[Kernel { begin: tiles::configure, end: tiles::release, ..BF16_KERNEL }];
pub(super) const INT8: &[Kernel<u8, i8, i32>] =
    &[Kernel { begin: tiles::configure, end: tiles::release, ..INT8_KERNEL }];
