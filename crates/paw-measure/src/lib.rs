//! How to time well: clocks, instruments, loops, rounds, endings, disturbance.
//!
//! This crate never opens a result file and knows no benchmark, no library and no terminal.
//! It reads the kernel's scheduling statistics under `/proc`, and nothing else of the host.
#![deny(unsafe_code)]

pub mod campaign;
pub mod caveat;
pub mod channel;
pub mod clock;
pub mod diagnostics;
pub mod disturbance;
pub mod ending;
pub mod fault;
pub mod global_clock;
pub mod in_step;
pub mod instrument;
pub mod invocations;
mod likeness;
pub mod local;
pub mod loops;
pub mod measure;
mod message;
pub mod method;
pub mod planned;
pub mod prepared_cell;
pub mod ranks;
pub mod recorder;
pub mod rounds;
pub mod schedstat_probe;
mod series;
pub mod session;
pub mod shared_loops;
pub mod starter;
mod sys;
pub mod team;
pub mod undecidable;
mod verdict;
pub mod watch;
pub mod watchdog;
pub mod workload;
