//! The catalogue of benchmarks, and the campaign that runs a selection of them.
//!
//! This crate parses no flag and prints nothing.
#![forbid(unsafe_code)]

mod answer;
pub mod benchmark;
pub mod blas;
mod blas_providers;
pub mod campaign;
mod catalogue;
mod child;
pub mod choice;
pub mod device;
pub mod device_inventory;
mod device_sample;
pub mod device_set;
mod engine;
mod estimate;
pub mod executor;
pub mod follow_up;
pub mod host;
pub mod ladder;
mod library;
pub mod memory;
pub mod mpi;
pub mod mpi_job;
pub mod peak;
pub mod placement;
pub mod plan;
pub mod plan_error;
pub mod provider;
mod recorder;
pub mod request;
pub mod roofs;
mod spec;
pub mod system;
pub mod teamwork;
pub mod track;
mod worker_pool;

pub use catalogue::{catalogue, named};
pub use child::worker_main;
pub use engine::{Engine, local as local_engine};
