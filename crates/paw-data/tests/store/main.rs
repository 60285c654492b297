//! The files a run is kept in.

mod jsonl;
mod sample_run;
