//! Profiles: where the processor time of a program or build went.

mod chapter;
mod sentence;
mod tables;

pub use chapter::chapter;
pub use sentence::{conclusion, misplaced, protocol, tally};
