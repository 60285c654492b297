//! Devices: what transfers, products and launches cost on an accelerator, by CUDA or OpenCL opened at run time.

use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::fault::Fault;

use crate::benchmark::{Benchmark, Providers, Together};

/// Name of the suite.
pub const SUITE: &str = "device";

/// The benchmarks, in the order they are listed and run.
pub const BENCHMARKS: &[&Benchmark] = &[];

/// What benchmarks of devices have in common.
#[expect(dead_code, reason = "its first user is to come")]
pub(crate) const DEVICE: Benchmark = Benchmark {
    name: "",
    suite: SUITE,
    aliases: &[],
    purpose: "",
    timed: "",
    formula: "",
    headline: Quantity::Bytes,
    providers: Providers::Device(Together::Several),
    axes: &[],
    references: &[],
    dat: None,
    variables: &["PAW_CUDA_LIBRARY", "PAW_OPENCL_LIBRARY"],
    threads: &[],
    quick: None,
    by_name: false,
    work: |_| Work::default(),
    memory_bytes: |_| 0.0,
    start: |_| Err(Fault::Missing("not a benchmark by itself".to_owned())),
};
