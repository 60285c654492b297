//! AMD's HIP without a device, for tests: the symbols of `libamdhip64.so`, hiprtc and rocBLAS over the device of `mock-device`, which
//! has the memory, the queues and the time. What it costs and what goes wrong: see [`mock_device::Config`], by variables that begin with
//! `MOCK_HIP_`. Values and layouts are those of the headers of ROCm 5.2 and 6 (hip_runtime_api.h, hiprtc.h, rocblas-types.h).
#![deny(unsafe_code)]

mod copies;
mod hiprtc;
mod memory;
mod modules;
mod rocblas;
mod runtime;
mod streams;
