//! Vectors of AArch64.
#![allow(unsafe_code)]

use std::arch::aarch64::*;
use std::arch::asm;

use super::scalar::One;
use super::{Vector, VectorTypes};
use crate::isa::Isa;

impl VectorTypes for f64 {
    type Scalar = One<f64>;
    type Neon = float64x2_t;
}

impl VectorTypes for f32 {
    type Scalar = One<f32>;
    type Neon = float32x4_t;
}

/// Writes `Vector` for a register type in terms of its intrinsics.
macro_rules! vector {
    ($vector:ty, $element:ty, $lanes:literal, $splat:ident, $load:ident, $store:ident, $add:ident, $mul:ident,
     $mul_add:ident, $sum:ident, $low:ident, $high:ident) => {
        impl Vector for $vector {
            type Element = $element;
            const LANES: usize = $lanes;
            const ISA: Isa = Isa::Neon;

            #[inline(always)]
            fn splat(value: $element) -> Self {
                // SAFETY: NEON is part of every AArch64 target of ours.
                unsafe { $splat(value) }
            }

            #[inline(always)]
            unsafe fn load(from: *const $element) -> Self {
                // SAFETY: the caller guarantees the numbers.
                unsafe { $load(from) }
            }

            #[inline(always)]
            unsafe fn load_first(from: *const $element, count: usize) -> Self {
                let mut lanes = [0.0; $lanes];
                for (lane, value) in lanes[..count].iter_mut().enumerate() {
                    // SAFETY: `lane` is below `count`.
                    *value = unsafe { from.wrapping_add(lane).read() };
                }
                // SAFETY: the array holds as many numbers as the vector has lanes.
                unsafe { $load(lanes.as_ptr()) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $element) {
                // SAFETY: the caller guarantees the numbers.
                unsafe { $store(to, self) }
            }

            #[inline(always)]
            unsafe fn store_first(self, to: *mut $element, count: usize) {
                let mut lanes = [0.0; $lanes];
                // SAFETY: the array holds as many numbers as the vector has lanes.
                unsafe { $store(lanes.as_mut_ptr(), self) };
                for (lane, &value) in lanes[..count].iter().enumerate() {
                    // SAFETY: `lane` is below `count`.
                    unsafe { to.wrapping_add(lane).write(value) };
                }
            }

            #[inline(always)]
            unsafe fn store_past_caches(pair: [Self; 2], to: *mut $element) {
                let [first, second] = pair;
                // SAFETY: the caller guarantees the memory of both; STNP writes these 32 bytes and nothing else.
                unsafe {
                    asm!("stnp {0:q}, {1:q}, [{2}]", in(vreg) first, in(vreg) second, in(reg) to,
                        options(nostack, preserves_flags))
                };
            }

            #[inline(always)]
            fn prefetch(address: *const $element) {
                // SAFETY: a prefetch of any address has no effect but on the caches.
                unsafe {
                    asm!("prfm pldl1keep, [{0}]", in(reg) address, options(nostack, preserves_flags, readonly))
                };
            }

            #[inline(always)]
            fn prefetch_near(address: *const $element) {
                // SAFETY: a prefetch of any address has no effect but on the caches.
                unsafe {
                    asm!("prfm pldl2keep, [{0}]", in(reg) address, options(nostack, preserves_flags, readonly))
                };
            }

            #[inline(always)]
            fn mul_add(self, by: Self, plus: Self) -> Self {
                // SAFETY: NEON is part of every AArch64 target of ours.
                unsafe { $mul_add(plus, self, by) }
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { $add(self, other) }
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                // SAFETY: as above.
                unsafe { $mul(self, other) }
            }

            #[inline(always)]
            fn sum(self) -> $element {
                // SAFETY: as above.
                unsafe { $sum(self) }
            }

            #[inline(always)]
            fn interleave(self, other: Self) -> [Self; 2] {
                // SAFETY: as above.
                let low = unsafe { $low(self, other) };
                // SAFETY: as above.
                [low, unsafe { $high(self, other) }]
            }
        }
    };
}

#[rustfmt::skip]
vector!(float64x2_t, f64, 2, vdupq_n_f64, vld1q_f64, vst1q_f64, vaddq_f64, vmulq_f64, vfmaq_f64, vaddvq_f64,
    vzip1q_f64, vzip2q_f64);
#[rustfmt::skip]
vector!(float32x4_t, f32, 4, vdupq_n_f32, vld1q_f32, vst1q_f32, vaddq_f32, vmulq_f32, vfmaq_f32, vaddvq_f32,
    vzip1q_f32, vzip2q_f32);
