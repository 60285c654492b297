//! The catalogue of benchmarks, and the campaign that runs a selection of them.
//!
//! This crate parses no flag and prints nothing.
#![forbid(unsafe_code)]

pub mod benchmark;
pub mod blas;
pub mod request;
