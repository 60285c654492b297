//! Pages of applications: the conclusion, tables over threads and sizes, and remarks.

mod chapter;
mod division;
pub mod figure;
mod finding;
mod grid;
mod leader;
mod notes;
mod ranking;
mod roofline;
mod shares;
mod tables;
pub mod threads;
mod used;
pub mod verdict;
pub mod words;

pub use chapter::chapter;
pub use finding::findings;

/// The suite of an application's cells.
pub const SUITE: &str = "app";
