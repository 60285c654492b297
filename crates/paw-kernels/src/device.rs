//! Kernels on a device, in CUDA C++ or OpenCL C. They share campaign, jobs, fills and comparisons with other kernels; only children open devices.

pub(crate) mod child;
pub mod plan;
pub mod request;

#[cfg(test)]
mod tests;
