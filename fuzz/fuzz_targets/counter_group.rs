//! Fuzzes the reader `counter_group`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::read("counter_group", bytes));
