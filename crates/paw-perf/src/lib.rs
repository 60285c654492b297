//! Sampling and counting of processes by perf_event. It knows no benchmark, no kernel and no terminal.

#![deny(unsafe_code)]

pub mod circumstances;
pub mod core_kind;
pub mod counting;
mod cpu_list;
pub mod event;
pub mod group;
pub mod processor;
mod record;
mod refusal;
mod ring;
pub mod sampling;
pub mod sys;

pub use refusal::Refusal;
