//! Fuzzes the reader `kernel_spec`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::read("kernel_spec", bytes));
