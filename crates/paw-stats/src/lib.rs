//! Statistics of measurements: numbers in, numbers out.
//!
//! This crate knows neither time nor units nor files; every function takes slices of `f64`.
#![forbid(unsafe_code)]
