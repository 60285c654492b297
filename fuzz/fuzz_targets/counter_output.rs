//! Fuzzes the reader `counter_output`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::read("counter_output", bytes));
