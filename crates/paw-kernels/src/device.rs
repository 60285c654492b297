//! Kernels on a device: a user's CUDA C++ or OpenCL C, compiled, launched, checked and timed.
//!
//! The workbench is the one of all kernels: specs, fills, references and comparisons stand in their own rooms, and
//! devices are opened in a child alone.

pub(crate) mod child;
pub mod plan;
pub mod request;

#[cfg(test)]
mod tests;
