//! Whole applications: one command launched, timed and accounted. This crate prints nothing and parses no flag.
#![deny(unsafe_code)]

mod account;
pub mod campaign;
pub mod campaign_file;
mod control;
pub mod difference;
mod excerpt;
pub mod expectation;
mod heed;
mod image;
pub mod input;
pub mod launch;
pub mod launcher;
mod leftover;
mod look;
mod lookup;
pub mod metric;
pub mod outputs;
pub mod plan;
pub mod program;
mod protocol;
mod refusal;
pub mod request;
pub mod serve;
pub mod sweep;
mod sys;
pub mod tail;
pub mod template;
pub mod variables;
mod vigil;
