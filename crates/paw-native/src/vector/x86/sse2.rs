//! Operations that SSE2 lacks: partial moves, multiply-add, lane sums.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// The first `count` of 2 numbers at `from`, zeros after them.
///
/// # Safety
/// The numbers must be readable.
#[inline(always)]
pub(super) unsafe fn load_first_f64(from: *const f64, count: usize) -> __m128d {
    let mut lanes = [0.0; 2];
    for (lane, value) in lanes[..count].iter_mut().enumerate() {
        // SAFETY: `lane` is below `count`.
        *value = unsafe { from.wrapping_add(lane).read() };
    }
    // SAFETY: the array holds 2 numbers.
    unsafe { _mm_loadu_pd(lanes.as_ptr()) }
}

/// Writes the first `count` of 2 lanes to `to`.
///
/// # Safety
/// The numbers must be writable.
#[inline(always)]
pub(super) unsafe fn store_first_f64(vector: __m128d, to: *mut f64, count: usize) {
    for (lane, &value) in lanes_f64(vector)[..count].iter().enumerate() {
        // SAFETY: `lane` is below `count`.
        unsafe { to.wrapping_add(lane).write(value) };
    }
}

/// The lanes one by one.
#[inline(always)]
fn lanes_f64(vector: __m128d) -> [f64; 2] {
    // SAFETY: the types have the same size, and every pattern of bits is a number.
    unsafe { std::mem::transmute(vector) }
}

/// Product and sum in two instructions, rounded twice.
///
/// # Safety
/// None: SSE2 is part of every x86-64; the wider counterparts make this function unsafe.
#[inline(always)]
pub(super) unsafe fn mul_add_f64(vector: __m128d, by: __m128d, plus: __m128d) -> __m128d {
    // SAFETY: SSE2 is part of every x86-64.
    let product = unsafe { _mm_mul_pd(vector, by) };
    // SAFETY: as above.
    unsafe { _mm_add_pd(product, plus) }
}

/// The sum of the lanes.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn sum_f64(vector: __m128d) -> f64 {
    let lanes = lanes_f64(vector);
    lanes[0] + lanes[1]
}

/// The first `count` of 4 numbers at `from`, zeros after them.
///
/// # Safety
/// The numbers must be readable.
#[inline(always)]
pub(super) unsafe fn load_first_f32(from: *const f32, count: usize) -> __m128 {
    let mut lanes = [0.0; 4];
    for (lane, value) in lanes[..count].iter_mut().enumerate() {
        // SAFETY: `lane` is below `count`.
        *value = unsafe { from.wrapping_add(lane).read() };
    }
    // SAFETY: the array holds 4 numbers.
    unsafe { _mm_loadu_ps(lanes.as_ptr()) }
}

/// Writes the first `count` of 4 lanes to `to`.
///
/// # Safety
/// The numbers must be writable.
#[inline(always)]
pub(super) unsafe fn store_first_f32(vector: __m128, to: *mut f32, count: usize) {
    for (lane, &value) in lanes_f32(vector)[..count].iter().enumerate() {
        // SAFETY: `lane` is below `count`.
        unsafe { to.wrapping_add(lane).write(value) };
    }
}

/// The lanes one by one.
#[inline(always)]
fn lanes_f32(vector: __m128) -> [f32; 4] {
    // SAFETY: the types have the same size, and every pattern of bits is a number.
    unsafe { std::mem::transmute(vector) }
}

/// Product and sum in two instructions, rounded twice.
///
/// # Safety
/// None: SSE2 is part of every x86-64; the wider counterparts make this function unsafe.
#[inline(always)]
pub(super) unsafe fn mul_add_f32(vector: __m128, by: __m128, plus: __m128) -> __m128 {
    // SAFETY: SSE2 is part of every x86-64.
    let product = unsafe { _mm_mul_ps(vector, by) };
    // SAFETY: as above.
    unsafe { _mm_add_ps(product, plus) }
}

/// The sum of the lanes.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn sum_f32(vector: __m128) -> f32 {
    let lanes = lanes_f32(vector);
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

/// The lanes of both in turns.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn interleave_f64(first: __m128d, second: __m128d) -> [__m128d; 2] {
    // SAFETY: SSE2 is part of every x86-64.
    let low = unsafe { _mm_unpacklo_pd(first, second) };
    // SAFETY: as above.
    [low, unsafe { _mm_unpackhi_pd(first, second) }]
}

/// The lanes of both in turns.
///
/// # Safety
/// The processor must have the instructions.
#[inline(always)]
pub(super) unsafe fn interleave_f32(first: __m128, second: __m128) -> [__m128; 2] {
    // SAFETY: SSE2 is part of every x86-64.
    let low = unsafe { _mm_unpacklo_ps(first, second) };
    // SAFETY: as above.
    [low, unsafe { _mm_unpackhi_ps(first, second) }]
}
