//! Signals at random moments and files that refuse, and what they cost runs of paw.

#![forbid(unsafe_code)]

pub mod blow;
pub mod refusal;
pub mod remains;
pub mod saved_run;
pub mod subject;
pub mod tally;
