//! Whole applications: one command launched, timed and accounted. This crate prints nothing and parses no flag.
#![forbid(unsafe_code)]

pub mod campaign_file;
pub mod difference;
mod excerpt;
pub mod expectation;
pub mod input;
pub mod launch;
pub mod metric;
pub mod outputs;
mod spelling;
pub mod sweep;
pub mod template;
