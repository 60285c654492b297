//! A CUDA driver without a device, for tests: the symbols of `libcuda.so.1`, NVML, cuBLAS, cuBLASLt and NVRTC over the device of
//! `mock-device`, which has the memory, the queues and the time. What it costs and what goes wrong: see [`mock_device::Config`], by
//! variables that begin with `MOCK_CUDA_`.
#![deny(unsafe_code)]

mod copies;
mod cublas;
mod cublas_lt;
mod driver;
mod managed;
mod memory;
mod modules;
mod nvlinks;
mod nvml;
mod nvrtc;
mod peers;
mod streams;
