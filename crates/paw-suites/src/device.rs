//! The device suite: transfers, products and launches on accelerators, by CUDA, OpenCL or Level Zero opened at run time.

use paw_data::headline::Family;
use paw_data::quantity::Quantity;

use crate::benchmark::{Benchmark, Common, Providers};
use crate::device_set::DeviceGrouping;

pub(crate) mod burn;
mod copies;
mod element;
mod fma;
mod gemm;
mod gemm_check;
mod intensity;
mod latency;
mod launch;
mod managed;
mod matrix_cores;
mod minifloat;
mod names;
mod offload;
mod operand;
mod operands;
mod pattern;
mod peer;
mod peer_copies;
mod peer_matrix;
pub(crate) mod peer_pairs;
mod random;
mod stream;
mod transfer;
mod transfer_spec;

/// Name of the suite.
pub const SUITE: &str = "device";

/// The benchmarks, in the order they are listed and run: first those that answer a question of the suite by themselves.
pub const BENCHMARKS: &[&Benchmark] = &[
    &names::GPU_IN_PINNED, //
    &names::GPU_OUT_PINNED,
    &stream::TRIAD,
    &launch::LAUNCH,
    &fma::PEAK_F64,
    &fma::PEAK_F32,
    &peer::PEER,
    &gemm::DGEMM,
    &gemm::BF16,
    &names::GPU_IN_NOPIN,
    &names::GPU_OUT_NOPIN,
    &names::GPU_INOUT_PINNED,
    &names::GPU_INOUT_NOPIN,
    &stream::COPY,
    &stream::SCALE,
    &stream::ADD,
    &fma::PEAK_F16,
    &fma::PEAK_INT32,
    &matrix_cores::F64,
    &matrix_cores::F16,
    &matrix_cores::BF16,
    &matrix_cores::INT8,
    &matrix_cores::FP8,
    &intensity::INTENSITY,
    &latency::LATENCY,
    &random::RANDOM,
    &gemm::SGEMM,
    &gemm::TF32,
    &gemm::FP16,
    &gemm::INT8,
    &gemm::FP8,
    &names::PHI_KEEP_AL_IN,
    &names::PHI_KEEP_AL_INOUT,
    &names::PHI_KEEP_AL_OUT,
    &names::PHI_KEEP_NOAL_IN,
    &names::PHI_KEEP_NOAL_INOUT,
    &names::PHI_KEEP_NOAL_OUT,
    &names::PHI_ALLOC_AL_IN,
    &names::PHI_ALLOC_AL_INOUT,
    &names::PHI_ALLOC_AL_OUT,
    &names::PHI_ALLOC_NOAL_IN,
    &names::PHI_ALLOC_NOAL_INOUT,
    &names::PHI_ALLOC_NOAL_OUT,
    &offload::OFFLOAD,
    &transfer::TRANSFER,
    &burn::BURN,
    &managed::MANAGED,
    &peer_matrix::MATRIX,
    &peer_matrix::LATENCY,
];

/// Facts that benchmarks of devices share.
pub(crate) const DEVICE: Common = Common {
    suite: SUITE,
    family: Family::Devices,
    headline: Quantity::Bytes,
    providers: Providers::Device(DeviceGrouping::Several),
    axes: &[],
    references: &[],
    variables: &["PAW_CUDA_LIBRARY", "PAW_HIP_LIBRARY", "PAW_OPENCL_LIBRARY"],
    threads: &[],
    by_name: false,
    counts_waits: false,
    memory_bytes: |_| 0.0,
};
