//! Names of the providers on this machine: BLAS libraries, MPI libraries, devices.

use paw_foreign::mpi::discovery;
use paw_suites::benchmark::BlasRoutine;
use paw_suites::host::Host;

use crate::host_facts::devices;

/// Names of the BLAS providers on this machine that may have `routine`.
pub fn blas_names(host: &Host, routine: BlasRoutine) -> Vec<String> {
    host.blas_with(routine).into_iter().map(|provider| provider.name).collect()
}

/// Identifiers and products of the devices on this machine.
pub fn device_names() -> Vec<String> {
    let inventory = devices().unwrap_or_default();
    inventory.devices().map(|facts| format!("{} {}", facts.id(), facts.name)).collect()
}

/// The devices on one line, or a hint where to read why there is none.
pub fn devices_summary() -> String {
    let names = device_names();
    if names.is_empty() {
        return "no device was found; `paw list --libraries` says why".to_owned();
    }
    names.join(", ")
}

/// Versions of the MPI libraries on this machine.
pub fn mpi_versions() -> Vec<String> {
    let mut versions: Vec<String> = discovery::all().into_iter().map(|found| found.version).collect();
    versions.dedup();
    versions
}
