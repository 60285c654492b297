//! The memory suite: bandwidth and latency of caches and memory.

pub mod bandwidth;
pub mod latency;
pub mod read;
pub mod stream;

use crate::benchmark::Benchmark;

/// Name of the suite.
pub const SUITE: &str = "memory";

/// STREAM's rule: arrays of four times the last-level caches, so that none of their data stays cached.
pub const CACHES: f64 = 4.0;

/// Table of contents.
pub const BENCHMARKS: &[&Benchmark] = &[
    &stream::COPY, //
    &stream::SCALE,
    &stream::ADD,
    &stream::TRIAD,
    &read::READ,
    &bandwidth::CACHE_BANDWIDTH,
    &latency::LATENCY,
];
