//! What [`Gemm`], [`Gemv`] and [`StreamKernels`] do with each number type, compiled in this crate.
//!
//! A generic function is compiled in every crate that calls it, with that crate's settings: compiled for size, the product ran at an eighth
//! of its speed. These functions are generic for their callers alone.

use std::ops::Range;

use crate::gemm::{Gemm, GemmLayout};
use crate::gemv::{Gemv, GemvLayout};
use crate::pool::ThreadPool;
use crate::stream::kernels::{self, ElementwiseLoop, Fill, Increase, StreamSum, WindowSum};
use crate::stream::{Stores, StreamKernels, StreamOp};

/// The loops of one number type. It cannot be implemented elsewhere.
pub trait Loops: Sized {
    /// [`Gemm::run`].
    #[expect(clippy::too_many_arguments, reason = "they are those of BLAS")]
    fn gemm(
        gemm: Gemm,
        pool: &ThreadPool,
        layout: &GemmLayout,
        alpha: Self,
        a: &[Self],
        b: &[Self],
        beta: Self,
        c: &mut [Self],
    );

    /// [`Gemv::run`].
    #[expect(clippy::too_many_arguments, reason = "they are those of BLAS")]
    fn gemv(
        gemv: Gemv,
        pool: &ThreadPool,
        layout: &GemvLayout,
        alpha: Self,
        a: &[Self],
        x: &[Self],
        beta: Self,
        y: &mut [Self],
    );

    /// An operation of [`StreamKernels`] with the scalar `s`.
    fn stream(kernels: StreamKernels, op: StreamOp, stores: Stores, s: Self, from: [&[Self]; 2], to: &mut [Self]);

    /// [`StreamKernels::write`].
    fn write(kernels: StreamKernels, stores: Stores, value: Self, to: &mut [Self]);

    /// [`StreamKernels::increase`].
    fn increase(kernels: StreamKernels, by: Self, data: &mut [Self]);

    /// [`StreamKernels::read`].
    fn read(kernels: StreamKernels, streams: usize, data: &[Self]) -> Self;

    /// [`StreamKernels::read_windows`].
    fn read_windows(kernels: StreamKernels, window: Range<usize>, data: &[Self]) -> Self;
}

macro_rules! compile {
    ($($real:ty),+) => {$(
        impl Loops for $real {
            fn gemm(gemm: Gemm, pool: &ThreadPool, layout: &GemmLayout, alpha: $real, a: &[$real], b: &[$real], beta: $real, c: &mut [$real]) {
                gemm.compute(pool, layout, alpha, a, b, beta, c);
            }

            fn gemv(gemv: Gemv, pool: &ThreadPool, layout: &GemvLayout, alpha: $real, a: &[$real], x: &[$real], beta: $real, y: &mut [$real]) {
                gemv.compute(pool, layout, alpha, a, x, beta, y);
            }

            fn stream(kernels: StreamKernels, op: StreamOp, stores: Stores, s: $real, from: [&[$real]; 2], to: &mut [$real]) {
                match op {
                    StreamOp::Copy => kernels.enter(|passes| ElementwiseLoop { passes, stores, from, to, each: kernels::Copy }),
                    StreamOp::Scale => kernels.enter(|passes| ElementwiseLoop { passes, stores, from, to, each: kernels::Scale(s) }),
                    StreamOp::Add => kernels.enter(|passes| ElementwiseLoop { passes, stores, from, to, each: kernels::Add }),
                    StreamOp::Triad => kernels.enter(|passes| ElementwiseLoop { passes, stores, from, to, each: kernels::Triad(s) }),
                }
            }

            fn write(kernels: StreamKernels, stores: Stores, value: $real, to: &mut [$real]) {
                kernels.enter(|passes| Fill { passes, stores, value, to });
            }

            fn increase(kernels: StreamKernels, by: $real, data: &mut [$real]) {
                kernels.enter(|passes| Increase { passes, by, data });
            }

            fn read(kernels: StreamKernels, streams: usize, data: &[$real]) -> $real {
                kernels.enter(|passes| StreamSum { passes, streams, data })
            }

            fn read_windows(kernels: StreamKernels, window: Range<usize>, data: &[$real]) -> $real {
                kernels.enter(|_| WindowSum { window, data })
            }
        }
    )+};
}

compile!(f32, f64);
