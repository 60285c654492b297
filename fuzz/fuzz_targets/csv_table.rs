//! Fuzzes the reader `csv_table`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::read("csv_table", bytes));
