//! Kernels on a device: a user's CUDA C++ or OpenCL C, compiled, launched, checked and timed.
//!
//! Campaign, jobs, fills, references and comparisons are those of all kernels. Only children open devices.

pub(crate) mod child;
pub mod plan;
pub mod request;

#[cfg(test)]
mod tests;
