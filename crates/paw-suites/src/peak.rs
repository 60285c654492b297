//! The peak suite: how fast cores compute without waiting for memory.

pub mod active_clock;
pub mod clock;
pub mod fma;
pub mod short;

use crate::benchmark::Benchmark;

/// Table of contents.
pub const BENCHMARKS: &[&Benchmark] = &[
    &clock::CORE_CLOCK, //
    &fma::PEAK_F64,
    &fma::PEAK_F32,
    &short::PEAK_F16,
    &short::PEAK_BF16,
    &short::PEAK_INT8,
    &active_clock::ACTIVE_CLOCK,
];
