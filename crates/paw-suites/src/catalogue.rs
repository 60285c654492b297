//! Every benchmark there is.

use std::sync::LazyLock;

use crate::benchmark::Benchmark;
use crate::{blas, device, memory, mpi, peak, system};

/// The suites, in the order they are listed and run.
const SUITES: &[&[&Benchmark]] =
    &[peak::BENCHMARKS, memory::BENCHMARKS, blas::BENCHMARKS, mpi::BENCHMARKS, device::BENCHMARKS, system::BENCHMARKS];

/// Every benchmark, suite by suite.
pub fn catalogue() -> &'static [&'static Benchmark] {
    static ALL: LazyLock<Vec<&'static Benchmark>> = LazyLock::new(|| SUITES.concat());
    &ALL
}

/// The benchmark of that name.
pub fn named(name: &str) -> Option<&'static Benchmark> {
    catalogue().iter().copied().find(|benchmark| benchmark.name == name)
}
