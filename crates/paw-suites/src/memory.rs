//! The memory suite: bandwidth and latency of caches and memory.

pub mod bandwidth;
pub mod core_to_core;
mod granted_pages;
pub mod latency;
pub mod loaded_latency;
pub mod mixed_bandwidth;
pub mod numa;
pub mod random_access;
pub mod read;
pub mod stream;
pub mod tlb;

use paw_data::headline::Family;
use paw_data::quantity::Quantity;

use crate::benchmark::{Benchmark, Common, Providers};
use crate::choice::Threads;

/// Name of the suite.
pub const SUITE: &str = "memory";

/// STREAM's rule: arrays of four times the last-level caches, so that none of their data stays cached.
pub const CACHES: f64 = 4.0;

/// The facts of a bandwidth that our own code measures, but for its axes and its memory.
const BANDWIDTH: Common = Common {
    suite: SUITE,
    family: Family::Memory,
    headline: Quantity::Bytes,
    providers: Providers::Native,
    axes: &[],
    references: &[],
    variables: &[],
    threads: &[Threads::Count(1), Threads::All],
    by_name: false,
    counts_waits: false,
    memory_bytes: |_| 0.0,
};

/// Table of contents.
pub const BENCHMARKS: &[&Benchmark] = &[
    &stream::COPY, //
    &stream::SCALE,
    &stream::ADD,
    &stream::TRIAD,
    &read::READ,
    &bandwidth::CACHE_BANDWIDTH,
    &mixed_bandwidth::MIXED_BANDWIDTH,
    &latency::LATENCY,
    &loaded_latency::LOADED_LATENCY,
    &core_to_core::CORE_TO_CORE,
    &numa::NUMA_LATENCY,
    &numa::NUMA_BANDWIDTH,
    &tlb::TLB_LATENCY,
    &random_access::RANDOM_ACCESS,
];
