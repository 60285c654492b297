//! Ranks of paw under a real MPI whose calls go wrong on request, by a preloaded tool.

use std::process::Command;

use crate::job::{self, Job, Mpi, Ran};
use crate::mock::built;

/// The command of two ranks, with faults in the variables of `testing/pmpi-fault`.
pub fn command(job: &Job, mpi: &Mpi, faults: &[(&str, &str)], args: &str) -> Command {
    let mut command = job.command(mpi, 2, faults, &format!("{args} --out r"));
    command.env("LD_PRELOAD", built("libpmpi_fault.so"));
    command
}

/// What came of two ranks, once no other job runs.
pub fn paw(job: &Job, mpi: &Mpi, faults: &[(&str, &str)], args: &str) -> Ran {
    job::ran(command(job, mpi, faults, args))
}
