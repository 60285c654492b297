//! Vectors of x86-64: SSE2, AVX2 with FMA, AVX-512.
#![allow(unsafe_code)]

mod avx2;
mod avx512;
mod sse2;

use std::arch::x86_64::*;

use super::scalar::One;
use super::{Vector, VectorKernel, VectorTypes};
use crate::isa::Isa;

impl VectorTypes for f64 {
    type Scalar = One<f64>;
    type Sse2 = __m128d;
    type Avx2 = __m256d;
    type Avx512 = __m512d;
}

impl VectorTypes for f32 {
    type Scalar = One<f32>;
    type Sse2 = __m128;
    type Avx2 = __m256;
    type Avx512 = __m512;
}

/// Runs a kernel with what every x86-64 has.
#[inline(never)]
pub(super) fn in_sse2<K: VectorKernel>(kernel: K) -> K::Out {
    kernel.run::<<K::Element as VectorTypes>::Sse2>()
}

/// Runs a kernel with AVX2 and FMA.
///
/// # Safety
/// The processor must have both.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn in_avx2<K: VectorKernel>(kernel: K) -> K::Out {
    kernel.run::<<K::Element as VectorTypes>::Avx2>()
}

/// Runs a kernel with AVX-512.
///
/// # Safety
/// The processor must have its parts F, DQ, BW and VL, and AVX2 and FMA.
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
pub(super) unsafe fn in_avx512<K: VectorKernel>(kernel: K) -> K::Out {
    kernel.run::<<K::Element as VectorTypes>::Avx512>()
}

/// Writes `Vector` for a register type in terms of its intrinsics.
macro_rules! vector {
    ($isa:ident, $vector:ty, $element:ty, $lanes:literal, $splat:ident, $load:ident, $store:ident, $stream:ident, $add:ident,
     $mul:ident, $mul_add:path, $sum:path, $load_first:path, $store_first:path,
     $interleave:path) => {
        impl Vector for $vector {
            type Element = $element;
            const LANES: usize = $lanes;
            const ISA: Isa = Isa::$isa;

            #[inline(always)]
            fn splat(value: $element) -> Self {
                // SAFETY: kernels of this width run only where its instructions were found.
                unsafe { $splat(value) }
            }

            #[inline(always)]
            unsafe fn load(from: *const $element) -> Self {
                // SAFETY: the caller guarantees the numbers; the instructions were found.
                unsafe { $load(from) }
            }

            #[inline(always)]
            unsafe fn load_first(from: *const $element, count: usize) -> Self {
                // SAFETY: as for `load`, and nothing beyond `count` is read.
                unsafe { $load_first(from, count) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $element) {
                // SAFETY: the caller guarantees the numbers; the instructions were found.
                unsafe { $store(to, self) }
            }

            #[inline(always)]
            unsafe fn store_first(self, to: *mut $element, count: usize) {
                // SAFETY: as for `store`, and nothing beyond `count` is written.
                unsafe { $store_first(self, to, count) }
            }

            #[inline(always)]
            unsafe fn store_past_caches(pair: [Self; 2], to: *mut $element) {
                // SAFETY: the caller guarantees the first vector's memory and its alignment.
                unsafe { $stream(to, pair[0]) };
                // SAFETY: and for the second's, one vector on.
                unsafe { $stream(to.wrapping_add($lanes), pair[1]) };
            }

            #[inline(always)]
            fn prefetch(address: *const $element) {
                // SAFETY: a prefetch of any address has no effect but on the caches.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
            }

            #[inline(always)]
            fn prefetch_near(address: *const $element) {
                // SAFETY: a prefetch of any address has no effect but on the caches.
                unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
            }

            #[inline(always)]
            fn settle() {
                // SAFETY: every x86-64 has it.
                unsafe { _mm_sfence() };
            }

            #[inline(always)]
            fn mul_add(self, by: Self, plus: Self) -> Self {
                // SAFETY: kernels of this width run only where its instructions were found.
                unsafe { $mul_add(self, by, plus) }
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
                unsafe { $interleave(self, other) }
            }
        }
    };
}

#[rustfmt::skip]
vector!(Sse2, __m128d, f64, 2, _mm_set1_pd, _mm_loadu_pd, _mm_storeu_pd, _mm_stream_pd, _mm_add_pd, _mm_mul_pd,
    sse2::mul_add_f64, sse2::sum_f64, sse2::load_first_f64, sse2::store_first_f64, sse2::interleave_f64);
#[rustfmt::skip]
vector!(Sse2, __m128, f32, 4, _mm_set1_ps, _mm_loadu_ps, _mm_storeu_ps, _mm_stream_ps, _mm_add_ps, _mm_mul_ps,
    sse2::mul_add_f32, sse2::sum_f32, sse2::load_first_f32, sse2::store_first_f32, sse2::interleave_f32);
#[rustfmt::skip]
vector!(Avx2, __m256d, f64, 4, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_stream_pd, _mm256_add_pd, _mm256_mul_pd,
    _mm256_fmadd_pd, avx2::sum_f64, avx2::load_first_f64, avx2::store_first_f64, avx2::interleave_f64);
#[rustfmt::skip]
vector!(Avx2, __m256, f32, 8, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_stream_ps, _mm256_add_ps, _mm256_mul_ps,
    _mm256_fmadd_ps, avx2::sum_f32, avx2::load_first_f32, avx2::store_first_f32, avx2::interleave_f32);
#[rustfmt::skip]
vector!(Avx512, __m512d, f64, 8, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_stream_pd, _mm512_add_pd, _mm512_mul_pd,
    _mm512_fmadd_pd, _mm512_reduce_add_pd, avx512::load_first_f64, avx512::store_first_f64, avx512::interleave_f64);
#[rustfmt::skip]
vector!(Avx512, __m512, f32, 16, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_stream_ps, _mm512_add_ps, _mm512_mul_ps,
    _mm512_fmadd_ps, _mm512_reduce_add_ps, avx512::load_first_f32, avx512::store_first_f32, avx512::interleave_f32);
