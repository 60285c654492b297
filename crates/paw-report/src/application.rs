//! Whole applications: what the run comes to, tables over threads and sizes, and what they mean.

mod bars;
pub mod figure;
pub mod markdown;
pub mod sheets;
pub mod text;
pub mod threads;
pub mod verdict;

/// The suite of an application's cells.
pub const SUITE: &str = "app";
