//! How to time what a device does: by the host's clock, by the device's own, and behind a gate; on one device and on several at once.
//!
//! This crate knows no benchmark and no kernel of a user's: those are [`operation::Operation`]s.
#![forbid(unsafe_code)]

pub mod devices;
pub mod fault;
pub mod operation;
pub mod timing;
