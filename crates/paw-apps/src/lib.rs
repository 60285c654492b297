//! Whole applications: one command launched, timed and accounted. This crate prints nothing and parses no flag.
#![deny(unsafe_code)]

mod account;
pub mod campaign;
pub mod campaign_file;
mod contention;
mod control;
pub mod counting;
pub mod difference;
mod excerpt;
pub mod expectation;
pub mod fixed_layout;
pub mod ignored_codes;
mod image;
pub mod input;
pub mod launch;
pub mod launcher;
mod leftover;
pub mod lookup;
pub mod metric;
pub mod output_pipe;
pub mod outputs;
pub mod plan;
mod processor_time;
pub mod program;
mod protocol;
mod refusal;
pub mod request;
mod series;
pub mod serve;
mod supervisor;
pub mod sweep;
mod sys;
pub mod tail;
pub mod template;
mod thread_compliance;
mod thread_snapshot;
pub mod variables;
