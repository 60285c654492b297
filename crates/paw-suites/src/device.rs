//! Devices: what transfers, products and launches cost on an accelerator, by CUDA or OpenCL opened at run time.

mod gemm;
mod gemm_check;
mod minifloat;
mod operand;
mod operands;

use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::fault::Fault;

use crate::benchmark::{Benchmark, Providers, Together};

/// Name of the suite.
pub const SUITE: &str = "device";

/// The benchmarks, in the order they are listed and run.
pub const BENCHMARKS: &[&Benchmark] = &[
    &gemm::DGEMM, //
    &gemm::SGEMM,
    &gemm::TF32,
    &gemm::BF16,
    &gemm::FP16,
    &gemm::INT8,
    &gemm::FP8,
];

/// What benchmarks of devices have in common.
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
