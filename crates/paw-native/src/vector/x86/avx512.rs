//! Masked moves of AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// The first `count` of 8 numbers at `from`, zeros after them.
///
/// # Safety
/// AVX-512 must be there, and the numbers readable.
#[inline(always)]
pub(super) unsafe fn load_first_f64(from: *const f64, count: usize) -> __m512d {
    let mask = ((1u32 << count) - 1) as __mmask8;
    // SAFETY: lanes outside the mask are not read.
    unsafe { _mm512_maskz_loadu_pd(mask, from) }
}

/// Writes the first `count` of 8 lanes to `to`.
///
/// # Safety
/// AVX-512 must be there, and the numbers writable.
#[inline(always)]
pub(super) unsafe fn store_first_f64(vector: __m512d, to: *mut f64, count: usize) {
    let mask = ((1u32 << count) - 1) as __mmask8;
    // SAFETY: lanes outside the mask are not written.
    unsafe { _mm512_mask_storeu_pd(to, mask, vector) }
}

/// The first `count` of 16 numbers at `from`, zeros after them.
///
/// # Safety
/// AVX-512 must be there, and the numbers readable.
#[inline(always)]
pub(super) unsafe fn load_first_f32(from: *const f32, count: usize) -> __m512 {
    let mask = ((1u32 << count) - 1) as __mmask16;
    // SAFETY: lanes outside the mask are not read.
    unsafe { _mm512_maskz_loadu_ps(mask, from) }
}

/// Writes the first `count` of 16 lanes to `to`.
///
/// # Safety
/// AVX-512 must be there, and the numbers writable.
#[inline(always)]
pub(super) unsafe fn store_first_f32(vector: __m512, to: *mut f32, count: usize) {
    let mask = ((1u32 << count) - 1) as __mmask16;
    // SAFETY: lanes outside the mask are not written.
    unsafe { _mm512_mask_storeu_ps(to, mask, vector) }
}

/// The lanes of both in turns.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn interleave_f64(first: __m512d, second: __m512d) -> [__m512d; 2] {
    // SAFETY: the caller guarantees the instructions. Lanes from 8 on are those of the second.
    let low = unsafe { _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11) };
    // SAFETY: as above.
    let high = unsafe { _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15) };
    // SAFETY: as above.
    let lower = unsafe { _mm512_permutex2var_pd(first, low, second) };
    // SAFETY: as above.
    [lower, unsafe { _mm512_permutex2var_pd(first, high, second) }]
}

/// The lanes of both in turns.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn interleave_f32(first: __m512, second: __m512) -> [__m512; 2] {
    // SAFETY: the caller guarantees the instructions. Lanes from 16 on are those of the second.
    let low = unsafe { _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23) };
    // SAFETY: as above.
    let high = unsafe { _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31) };
    // SAFETY: as above.
    let lower = unsafe { _mm512_permutex2var_ps(first, low, second) };
    // SAFETY: as above.
    [lower, unsafe { _mm512_permutex2var_ps(first, high, second) }]
}
