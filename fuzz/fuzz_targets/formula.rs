//! Fuzzes the reader `formula`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::read("formula", bytes));
