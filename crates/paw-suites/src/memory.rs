//! The memory suite: what the caches and the memory deliver.

pub mod latency;
pub mod read;
pub mod stream;

use crate::benchmark::Benchmark;

/// Name of the suite.
pub const SUITE: &str = "memory";

/// STREAM's rule: arrays of four times the caches that hold data, so that nothing is found there again.
pub const CACHES: f64 = 4.0;

/// Table of contents.
pub const BENCHMARKS: &[&Benchmark] = &[
    &stream::COPY, //
    &stream::SCALE,
    &stream::ADD,
    &stream::TRIAD,
    &read::READ,
    &latency::LATENCY,
];
