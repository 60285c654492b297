//! `paw app` as a user meets it: what it says, what it leaves behind, what it exits with, and whether its numbers are true.
//!
//! Time is real here, for a program is what is measured. What is held against a number is therefore the best of several runs
//! of a load that sleeps for a known time, with bounds that a busy machine keeps.

mod alternatives;
mod around;
mod asking;
mod breaking;
mod brief;
mod counters;
mod exports;
mod headline;
mod implementations;
mod launching;
mod outputs;
mod plans;
mod programs;
mod resuming;
mod roofline;
mod stopping;
mod thread_compliance;
mod tools;
mod truth;
mod workplace;
