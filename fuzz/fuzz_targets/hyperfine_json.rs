//! Fuzzes the reader `hyperfine_json`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::read("hyperfine_json", bytes));
