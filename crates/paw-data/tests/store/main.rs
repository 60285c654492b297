//! The files a run is kept in.

mod blocks;
mod dat;
mod dat_mpi;
mod export;
mod extent;
mod format;
mod history;
mod import;
mod jsonl;
mod parquet;
mod sample_code;
mod sample_run;
mod table;
mod writer;
