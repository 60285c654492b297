//! Measures how often paw's verdicts, intervals and words of trust are right.
//!
//! The program runs the real `paw` as a user would, again and again, and counts: verdicts on equal things, intervals that hold what the
//! repeats agree on, known differences that are found. [`simulation`] asks the same of machines of scripted time, through the same code that
//! measures and compares.
#![forbid(unsafe_code)]

pub mod apps;
pub mod blas;
pub mod coverage;
pub mod experiment;
pub mod history;
pub mod kernels;
pub mod load;
pub mod machine_state;
pub mod memory;
pub mod mpi;
pub mod pairs;
pub mod power;
pub mod proportion;
pub mod repeats;
pub mod result_table;
pub mod sections;
pub mod simulation;
pub mod timetable;
pub mod tool;
