//! Whole applications: one command launched, timed and accounted. This crate prints nothing and parses no flag.
#![forbid(unsafe_code)]

pub mod launch;
