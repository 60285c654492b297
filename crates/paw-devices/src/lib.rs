//! How to time what a device does: by the host's clock, by the device's own, and behind a gate; on one device and on several at once.
//!
//! This crate knows no benchmark and no kernel of a user's: those are [`operation::Operation`]s, and [`drive::Task`]s where they know
//! their answer.
#![forbid(unsafe_code)]

mod caveat;
pub mod devices;
pub mod fault;
pub mod observations;
pub mod operation;
pub mod placement;
pub mod region;
pub mod simultaneous;
pub mod tasks;
pub mod timing;
pub mod trust;
pub mod window;
