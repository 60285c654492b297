//! The memory suite: what the caches and the memory deliver.

pub mod latency;
pub mod read;
pub mod stream;

use crate::benchmark::Benchmark;

/// Table of contents.
pub const BENCHMARKS: &[&Benchmark] = &[
    &stream::COPY, //
    &stream::SCALE,
    &stream::ADD,
    &stream::TRIAD,
    &read::READ,
    &latency::LATENCY,
];
