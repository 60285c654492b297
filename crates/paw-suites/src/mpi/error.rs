//! Errors of MPI calls as faults of a measurement.

use paw_foreign::mpi::MpiError;
use paw_measure::fault::Fault;

/// An MPI call's error as a fault.
#[cold]
pub fn broken(error: MpiError) -> Fault {
    if error.is_absent() { Fault::Missing(error.to_string()) } else { Fault::Broken(error.to_string()) }
}
