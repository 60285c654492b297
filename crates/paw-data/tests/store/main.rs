//! The files a run is kept in.

mod dat;
mod jsonl;
mod sample_run;
