//! A CUDA driver without a device, for tests: device memory is host memory, and what is queued takes the time that
//! the environment says, by a clock that agrees with the host's.
//!
//! A copy of n bytes begins when the one before it in its queue has ended, and lasts latency + n / bandwidth; copies that share a
//! link share its bandwidth. Marks are stamped with the times that follow, exactly; waiting lasts until the host's clock has come
//! there. Data moves when a call is made, so that answers can be checked; reads of a device's memory that was never written are counted. What it costs and what goes wrong: see [`Config`].
//! Absent: kernels other than paw's own, which do nothing but take time; events without time, graphs, managed memory.
#![deny(unsafe_code)]

mod config;
mod copies;
mod cublas;
mod cublas_lt;
mod driver;
mod elements;
mod kernels;
mod memory;
mod modules;
mod nvml;
mod nvrtc;
mod products;
mod queue;
mod streams;
mod time;
mod written;

pub use config::Config;
