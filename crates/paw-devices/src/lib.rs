//! Timing of what devices do: by the host's clock, by the device's own, and behind a gate; on one device and on several at once.
//!
//! This crate knows no benchmark and no user's kernel: those are [`operation::Operation`]s, or [`tasks::Task`]s if they can check
//! their answer.
#![forbid(unsafe_code)]

mod caveat;
pub mod devices;
pub mod fault;
pub mod link;
pub mod observations;
pub mod operation;
pub mod placement;
pub mod region;
pub mod simultaneous;
pub mod tasks;
pub mod timing;
pub mod trust;
pub mod unit_clock;
pub mod watched;
pub mod window;
