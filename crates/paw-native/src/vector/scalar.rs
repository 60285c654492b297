//! A "vector" of one number, for processors without vectors of ours and as the reference of every kernel.
#![allow(unsafe_code)]

use std::ops::{Add, Mul};

use super::Vector;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use super::VectorTypes;
use crate::isa::Isa;

/// One number.
#[derive(Clone, Copy)]
pub struct One<T>(T);

impl<T: Copy + Default + Add<Output = T> + Mul<Output = T>> Vector for One<T> {
    type Element = T;
    const LANES: usize = 1;
    const ISA: Isa = Isa::Scalar;

    #[inline(always)]
    fn splat(value: T) -> Self {
        One(value)
    }

    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: the caller guarantees one number.
        One(unsafe { from.read() })
    }

    #[inline(always)]
    unsafe fn load_first(from: *const T, count: usize) -> Self {
        if count == 0 {
            return One(T::default());
        }
        // SAFETY: the caller guarantees one number.
        One(unsafe { from.read() })
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: the caller guarantees one number.
        unsafe { to.write(self.0) }
    }

    #[inline(always)]
    unsafe fn store_first(self, to: *mut T, count: usize) {
        if count > 0 {
            // SAFETY: the caller guarantees one number.
            unsafe { to.write(self.0) }
        }
    }

    #[inline(always)]
    unsafe fn store_past_caches(pair: [Self; 2], to: *mut T) {
        // SAFETY: the caller guarantees two numbers.
        unsafe { to.cast::<[Self; 2]>().write_unaligned(pair) }
    }

    #[inline(always)]
    fn mul_add(self, by: Self, plus: Self) -> Self {
        One(self.0 * by.0 + plus.0)
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        One(self.0 + other.0)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        One(self.0 * other.0)
    }

    #[inline(always)]
    fn sum(self) -> T {
        self.0
    }

    #[inline(always)]
    fn interleave(self, other: Self) -> [Self; 2] {
        [self, other]
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl VectorTypes for f64 {
    type Scalar = One<f64>;
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl VectorTypes for f32 {
    type Scalar = One<f32>;
}
