//! Fuzzes the reader `dat_file`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::read("dat_file", bytes));
