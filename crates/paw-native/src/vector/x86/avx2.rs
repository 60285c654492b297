//! Masked moves and lane sums of AVX2.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// A window into these words that starts `count` before the zeros is the mask of the first `count` lanes.
const WORDS_64: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];
/// The same for eight lanes.
const WORDS_32: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

/// The mask of the first `count` of 4 lanes.
#[inline(always)]
fn mask_f64(count: usize) -> __m256i {
    let window = &WORDS_64[4 - count..8 - count];
    // SAFETY: the window has 4 words; only kernels that run where AVX2 was found get here.
    unsafe { _mm256_loadu_si256(window.as_ptr().cast()) }
}

/// The first `count` of 4 numbers at `from`, zeros after them.
///
/// # Safety
/// AVX2 must be there, and the numbers readable.
#[inline(always)]
pub(super) unsafe fn load_first_f64(from: *const f64, count: usize) -> __m256d {
    // SAFETY: lanes outside the mask are not read.
    unsafe { _mm256_maskload_pd(from, mask_f64(count)) }
}

/// Writes the first `count` of 4 lanes to `to`.
///
/// # Safety
/// AVX2 must be there, and the numbers writable.
#[inline(always)]
pub(super) unsafe fn store_first_f64(vector: __m256d, to: *mut f64, count: usize) {
    // SAFETY: lanes outside the mask are not written.
    unsafe { _mm256_maskstore_pd(to, mask_f64(count), vector) }
}

/// The sum of the lanes.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn sum_f64(vector: __m256d) -> f64 {
    // SAFETY: the types have the same size, and every pattern of bits is a number.
    let lanes: [f64; 4] = unsafe { std::mem::transmute(vector) };
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

/// The mask of the first `count` of 8 lanes.
#[inline(always)]
fn mask_f32(count: usize) -> __m256i {
    let window = &WORDS_32[8 - count..16 - count];
    // SAFETY: the window has 8 words; only kernels that run where AVX2 was found get here.
    unsafe { _mm256_loadu_si256(window.as_ptr().cast()) }
}

/// The first `count` of 8 numbers at `from`, zeros after them.
///
/// # Safety
/// AVX2 must be there, and the numbers readable.
#[inline(always)]
pub(super) unsafe fn load_first_f32(from: *const f32, count: usize) -> __m256 {
    // SAFETY: lanes outside the mask are not read.
    unsafe { _mm256_maskload_ps(from, mask_f32(count)) }
}

/// Writes the first `count` of 8 lanes to `to`.
///
/// # Safety
/// AVX2 must be there, and the numbers writable.
#[inline(always)]
pub(super) unsafe fn store_first_f32(vector: __m256, to: *mut f32, count: usize) {
    // SAFETY: lanes outside the mask are not written.
    unsafe { _mm256_maskstore_ps(to, mask_f32(count), vector) }
}

/// The sum of the lanes.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn sum_f32(vector: __m256) -> f32 {
    // SAFETY: the types have the same size, and every pattern of bits is a number.
    let lanes: [f32; 8] = unsafe { std::mem::transmute(vector) };
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))
}

/// The lanes of both in turns.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn interleave_f64(first: __m256d, second: __m256d) -> [__m256d; 2] {
    // SAFETY: the caller guarantees the instructions. In each half of 128 bits the lanes of both, in turns.
    let low = unsafe { _mm256_unpacklo_pd(first, second) };
    // SAFETY: as above.
    let high = unsafe { _mm256_unpackhi_pd(first, second) };
    // SAFETY: as above. The lower halves of both, and the upper ones.
    let lower = unsafe { _mm256_permute2f128_pd::<0x20>(low, high) };
    // SAFETY: as above.
    [lower, unsafe { _mm256_permute2f128_pd::<0x31>(low, high) }]
}

/// The lanes of both in turns.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn interleave_f32(first: __m256, second: __m256) -> [__m256; 2] {
    // SAFETY: the caller guarantees the instructions. In each half of 128 bits the lanes of both, in turns.
    let low = unsafe { _mm256_unpacklo_ps(first, second) };
    // SAFETY: as above.
    let high = unsafe { _mm256_unpackhi_ps(first, second) };
    // SAFETY: as above. The lower halves of both, and the upper ones.
    let lower = unsafe { _mm256_permute2f128_ps::<0x20>(low, high) };
    // SAFETY: as above.
    [lower, unsafe { _mm256_permute2f128_ps::<0x31>(low, high) }]
}
