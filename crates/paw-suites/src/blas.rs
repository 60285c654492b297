//! The BLAS suite: dense linear algebra, by the embedded code and by every library found.

pub mod call;
pub mod fill;
pub mod gemm;
pub mod gemv;
#[cfg(test)]
mod null;
mod product;
mod product_shape;
pub mod short_gemm;
pub mod verify;
#[cfg(test)]
mod wrong_library;

use crate::benchmark::Benchmark;

/// Table of contents.
pub const BENCHMARKS: &[&Benchmark] = &[
    &gemm::DGEMM, //
    &gemm::SGEMM,
    &gemm::DGEMM_SINGLE,
    &gemv::DGEMV,
    &gemv::SGEMV,
    &short_gemm::BF16GEMM,
    &short_gemm::INT8GEMM,
];
