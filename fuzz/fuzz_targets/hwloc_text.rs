//! Fuzzes the reader `hwloc_text`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::read("hwloc_text", bytes));
