//! The BLAS suite.

pub mod verify;
