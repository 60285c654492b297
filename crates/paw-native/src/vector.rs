//! Vector registers as types, so that each kernel is written once and runs in every instruction set.
//!
//! A kernel is a [`VectorKernel`]: a value with its arguments, generic over [`Vector`]. [`run`] enters a function compiled
//! for the instruction set that was found and runs the kernel there, with all of it inlined.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::isa::{DetectedIsa, Isa};

/// A vector register. Its functions, the safe ones too, may be called only below [`run`], where the processor is known to have
/// the instructions.
pub trait Vector: Copy {
    /// The numbers.
    type Element: Copy;
    /// How many there are.
    const LANES: usize;
    /// The instruction set they belong to.
    const ISA: Isa;

    /// The same number in every lane.
    fn splat(value: Self::Element) -> Self;

    /// The `LANES` numbers at `from`.
    ///
    /// # Safety
    /// They must be readable.
    unsafe fn load(from: *const Self::Element) -> Self;

    /// The first `count` numbers at `from` (at most `LANES`), and zeros after them.
    ///
    /// # Safety
    /// The first `count` must be readable; nothing beyond them is read.
    unsafe fn load_first(from: *const Self::Element, count: usize) -> Self;

    /// Writes the `LANES` numbers to `to`.
    ///
    /// # Safety
    /// They must be writable by the caller alone.
    unsafe fn store(self, to: *mut Self::Element);

    /// Writes the first `count` lanes to `to` (at most `LANES`) and nothing beyond them.
    ///
    /// # Safety
    /// They must be writable by the caller alone.
    unsafe fn store_first(self, to: *mut Self::Element, count: usize);

    /// Writes two vectors to `to` past the caches, where the instruction set can, else as [`Vector::store`] does.
    ///
    /// # Safety
    /// They must be writable by the caller alone, and `to` a multiple of 64 bytes.
    unsafe fn store_past_caches(pair: [Self; 2], to: *mut Self::Element);

    /// Asks for the cache line at `address`; any address is allowed.
    fn prefetch(address: *const Self::Element) {
        let _ = address;
    }

    /// As [`Vector::prefetch`], into the second-level cache.
    fn prefetch_near(address: *const Self::Element) {
        let _ = address;
    }

    /// Orders stores past the caches before every later store, as normal stores are by themselves.
    fn settle() {}

    /// `self * by + plus`, rounded once where the instruction set has a fused multiply-add.
    fn mul_add(self, by: Self, plus: Self) -> Self;

    /// The sum, lane by lane.
    fn add(self, other: Self) -> Self;

    /// The product, lane by lane.
    fn mul(self, other: Self) -> Self;

    /// The sum of all lanes.
    fn sum(self) -> Self::Element;

    /// The lanes of both in turns, in two vectors: the first of this one, the first of the other, the second of this one.
    fn interleave(self, other: Self) -> [Self; 2];
}

/// The vectors a number type has on this architecture.
pub trait VectorTypes: Sized {
    /// One number.
    type Scalar: Vector<Element = Self>;
    /// Two or four numbers of x86-64's baseline.
    #[cfg(target_arch = "x86_64")]
    type Sse2: Vector<Element = Self>;
    /// 256 bits of x86-64.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Vector<Element = Self>;
    /// 512 bits of x86-64.
    #[cfg(target_arch = "x86_64")]
    type Avx512: Vector<Element = Self>;
    /// 128 bits of AArch64.
    #[cfg(target_arch = "aarch64")]
    type Neon: Vector<Element = Self>;
}

/// Work that is written for vectors of any length.
pub(crate) trait VectorKernel {
    /// The numbers it works on.
    type Element: VectorTypes;
    /// The type of the result.
    type Out;

    /// Does the work. Implementations are `#[inline(always)]`, so that they become part of the function compiled for
    /// the instruction set. They fill arrays of vectors in loops: `array::map` and `array::from_fn` may remain functions of their own,
    /// compiled without the instruction set, in which each load is a call.
    fn run<V: Vector<Element = Self::Element>>(self) -> Self::Out;
}

/// Runs `kernel` in the instruction set that was found.
#[inline(always)]
pub(crate) fn run<K: VectorKernel>(found: DetectedIsa, kernel: K) -> K::Out {
    match found.isa() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: AVX-512 F, DQ, BW and VL were found on this processor.
        Isa::Avx512 => unsafe { x86::in_avx512(kernel) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: AVX2 and FMA were found on this processor.
        Isa::Avx2 => unsafe { x86::in_avx2(kernel) },
        #[cfg(target_arch = "x86_64")]
        Isa::Sse2 => x86::in_sse2(kernel),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon => kernel.run::<<K::Element as VectorTypes>::Neon>(),
        _ => in_scalar(kernel),
    }
}

/// Runs a kernel one number at a time; a function of its own, as those of the other instruction sets are.
#[inline(never)]
fn in_scalar<K: VectorKernel>(kernel: K) -> K::Out {
    kernel.run::<<K::Element as VectorTypes>::Scalar>()
}
