//! Reads facts of compiled functions from shared objects, without loading or running them.
#![forbid(unsafe_code)]

mod error;
mod fast_math;
mod fingerprint;
mod shared_object;

pub use error::BinaryError;
pub use shared_object::SharedObject;
