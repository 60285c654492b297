//! A tool in the sense of MPI's profiling interface: preloaded over any MPI library, it makes `MPI_Send`, `MPI_Recv`,
//! `MPI_Allreduce` and `MPI_Finalize` late or wrong on request. What calls the library past its tools is not concerned.
//!
//! - `PMPI_DELAY_NS=N`: every `MPI_Send` of a rank is later by N nanoseconds; `PMPI_DELAY_RANK=RANK`: of that rank alone.
//! - `PMPI_HANG=RANK:CALL:K`, `PMPI_FAIL=RANK:CALL:K`: the rank's K-th call of that name never returns, or returns an error.
//! - `PMPI_CORRUPT=RANK:K:BYTES`: the K-th message of at least BYTES bytes that the rank receives has a wrong byte; `K+`: that and
//!   every one after.
//! - `PMPI_SIGN=DIR`: a file `rank-0001` appears there before rank 1 hangs or fails.
#![deny(unsafe_code)]

mod faults;
mod sys;
