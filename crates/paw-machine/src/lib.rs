//! The host: topology, affinity, identity, state, and the variables that change results.
//!
//! Every reader takes a [`Root`](root::Root), so that a captured or generated tree is read as the host is.
//! This crate knows no benchmark and no terminal, times nothing, and never writes to the host
//! but for the affinity of threads it is asked to bind.
#![forbid(unsafe_code)]

mod adapter;
pub mod affinity;
pub mod allowance;
mod cgroup;
mod core_peak;
pub mod cpuinfo;
pub mod cpuset;
pub mod doctor;
pub mod environment;
pub mod hardware;
pub mod hypervisor;
pub mod identity;
pub mod idle;
mod microarchitecture;
mod processor_model;
pub mod root;
pub mod state;
pub mod threads;
pub mod topology;
