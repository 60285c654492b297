//! Fuzzes the reader `run_jsonl`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::read("run_jsonl", bytes));
