//! How to time what a device does: by the host's clock, by the device's own, and behind a gate; on one device and on several at once.
//!
//! This crate knows no benchmark and no kernel of a user's: those are [`operation::Operation`]s, and [`drive::Task`]s where they know
//! their answer.
#![forbid(unsafe_code)]

pub mod affinity;
mod caveat;
pub mod devices;
pub mod drive;
pub mod fault;
pub mod observed;
pub mod operation;
pub mod region;
pub mod timing;
pub mod together;
pub mod trust;
pub mod window;
