//! The system suite: what a program pays for the small services of the system.

pub mod os_noise;
pub mod page_fault;
pub mod services;
pub mod threads;
pub mod turns;

use paw_data::headline::Family;
use paw_data::quantity::Quantity;

use crate::benchmark::{Benchmark, Common, Providers};
use crate::choice::Threads;

/// Name of the suite.
pub const SUITE: &str = "system";

/// The facts of a time that one thread pays.
const COST: Common = Common {
    suite: SUITE,
    family: Family::System,
    headline: Quantity::Time,
    providers: Providers::Native,
    axes: &[],
    references: &[],
    variables: &[],
    threads: &[Threads::Count(1)],
    by_name: false,
    counts_waits: false,
    memory_bytes: |_| 4096.0,
};

/// Table of contents.
pub const BENCHMARKS: &[&Benchmark] = &[
    &services::SYSTEM_CALL,
    &services::TIMER_READ,
    &page_fault::PAGE_FAULT,
    &threads::THREAD_CREATE,
    &turns::CONTEXT_SWITCH,
    &turns::FUTEX_WAKE,
    &threads::THREAD_FORK_JOIN,
    &threads::THREAD_BARRIER,
    &os_noise::OS_NOISE,
];
