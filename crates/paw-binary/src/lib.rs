//! What a compiled function is: read from the file, never loaded or run. This crate knows no run and no process.
#![forbid(unsafe_code)]
