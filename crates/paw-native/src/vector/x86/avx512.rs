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
