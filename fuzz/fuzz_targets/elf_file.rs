//! Fuzzes the reader `elf_file`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| readers::read("elf_file", bytes));
