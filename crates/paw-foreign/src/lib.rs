//! Finds vendor libraries and calls them at run time, through dlopen.
//!
//! This crate reads no clock, so it cannot time what it calls. Finding a BLAS looks at file names only; it is opened where
//! the caller decides, which is a worker process: a vendor library may hang, crash or change the process it is loaded into.
//! An MPI is opened in the rank itself, which the launcher started and which cannot be another process.
#![deny(unsafe_code)]

pub mod blas;
pub mod device;
mod elf;
pub mod mpi;
pub mod nccl;
pub mod null;
mod object;
pub mod process;

pub use object::NO_LOADER;
