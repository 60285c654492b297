//! Blocks in plain code, which runs everywhere; the compiler makes vectors of it.
#![allow(unsafe_code)]

use super::bfloat16::Bf16;
use super::format::{WideBytes, WideFloat};
use super::kernel::{Block, Kernel};
use super::pack::{CHUNK, pack_a, pack_b};

/// Rows and columns of a block: its sums fit the sixteen vectors of 128 bits that every 64-bit processor has.
const ROWS: usize = 4;
const COLUMNS: usize = 8;

/// Computes a block whose words are multiplied and added by `fuse`.
///
/// # Safety
/// The block must be as [`Block`] says.
#[inline(always)]
unsafe fn compute<S: Copy + Default>(block: &Block<S>, fuse: impl Fn(S, u32, u32) -> S, add: impl Fn(S, S) -> S) {
    let mut sums = [[S::default(); COLUMNS]; ROWS];
    let padded = block.words.next_multiple_of(CHUNK);
    // SAFETY: a strip and a panel hold that many words for each row and column.
    let (a, b) = unsafe {
        (std::slice::from_raw_parts(block.a, padded * ROWS), std::slice::from_raw_parts(block.b, padded * COLUMNS))
    };
    for (a, b) in a.chunks_exact(ROWS * CHUNK).zip(b.chunks_exact(COLUMNS * CHUNK)) {
        for (word, b) in b.chunks_exact(COLUMNS).enumerate() {
            for (row, sums) in sums.iter_mut().enumerate() {
                let a = a[row * CHUNK + word];
                sums.iter_mut().zip(b).for_each(|(sum, b)| *sum = fuse(*sum, a, *b));
            }
        }
    }
    // SAFETY: the caller guarantees C.
    unsafe { block.store(sums.as_flattened(), COLUMNS, add) };
}

/// # Safety
/// As for `compute`.
unsafe fn float(block: &Block<f32>) {
    let fuse = |sum: f32, a: u32, b: u32| sum + f32::from_bits(a) * f32::from_bits(b);
    // SAFETY: the caller guarantees the block.
    unsafe { compute(block, fuse, |c, sum| c + sum) };
}

/// # Safety
/// As for `compute`.
unsafe fn bytes(block: &Block<i32>) {
    let low = |word: u32| i32::from(word as u16 as i16);
    let high = |word: u32| i32::from((word >> 16) as u16 as i16);
    let fuse = |sum: i32, a: u32, b: u32| sum.wrapping_add(low(a) * low(b)).wrapping_add(high(a) * high(b));
    // SAFETY: the caller guarantees the block.
    unsafe { compute(block, fuse, i32::wrapping_add) };
}

pub(super) const BF16: &[Kernel<Bf16, Bf16, f32>] =
    &[Kernel::of::<WideFloat>("scalar", [ROWS, COLUMNS], || true, (pack_a::<WideFloat>, pack_b::<WideFloat>), float)];
pub(super) const INT8: &[Kernel<u8, i8, i32>] =
    &[Kernel::of::<WideBytes>("scalar", [ROWS, COLUMNS], || true, (pack_a::<WideBytes>, pack_b::<WideBytes>), bytes)];
