//! What a compiled function is: read from the file, never loaded or run. This crate knows no run and no process.
#![forbid(unsafe_code)]

mod error;
mod fast_math;
mod fingerprint;
mod shared_object;

pub use error::BinaryError;
pub use shared_object::SharedObject;
