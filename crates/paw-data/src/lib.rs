//! The results of measurements as plain data, and their files.
//!
//! A [`Run`](run::Run) is the type between both sides: producers fill it, viewers read it. This crate never reads a clock and never
//! looks at the host it runs on.
#![forbid(unsafe_code)]

pub mod application;
pub mod axis;
pub mod baseline;
pub mod between_runs;
pub mod bounded;
pub mod build;
pub mod cell;
pub mod cluster;
pub mod code;
pub mod command_text;
pub mod comparison;
pub mod counters;
pub mod document;
pub mod efficiency;
pub mod executed;
pub mod explained;
pub mod explanation;
pub mod headline;
pub mod history;
pub mod json;
pub mod kernel;
pub mod links;
pub mod machine;
pub mod matrix;
pub mod method;
mod number;
pub mod offload;
pub mod outcome;
pub mod pairing;
pub mod parts;
pub mod place;
pub mod point;
pub mod precision;
pub mod profile;
pub mod quantity;
pub mod rounds;
pub mod run;
pub mod sample;
pub mod scaling;
pub mod secondary;
pub mod secondary_median;
pub mod selftest;
pub mod sensitivity;
pub mod share;
pub mod speedup;
pub mod spelling;
pub mod store;
pub mod summary;
pub mod team;
pub mod throttle;
pub mod time_unit;
pub mod tournament;
pub mod train;
pub mod trust;
pub mod visible;
pub mod work;
