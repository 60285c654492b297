//! The kernel workbench: a function built many ways, sized, called, checked and timed. This crate prints nothing and parses no flag of paw.
#![deny(unsafe_code)]

pub mod accuracy;
pub mod answers;
pub mod builds;
pub mod cachegrind;
pub mod campaign;
pub mod child;
pub mod counting;
pub mod device;
pub mod element;
pub mod executed;
pub mod explain;
pub mod fit;
pub mod generate;
pub mod job;
mod load;
pub mod null;
mod number;
pub mod plan;
pub mod processor_model;
pub mod request;
pub mod search;
pub mod sensitivity;
pub mod spec;
mod trips;
pub mod workload;
