//! How to time well: clocks, instruments, loops, rounds, endings, disturbance.
//!
//! This crate never opens a result file and knows no benchmark, no library and no terminal.

pub mod clock;
pub mod disturbance;
pub mod fault;
pub mod workload;
