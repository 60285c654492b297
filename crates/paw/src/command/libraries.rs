//! `paw list --libraries`: the BLAS and MPI libraries of this machine; none of them is started.

use paw_foreign::mpi::discovery::{self, Found};
use paw_suites::host::Host;

use crate::table::Table;

/// Every library found, and why it was looked for there.
pub fn libraries(host: &Host) -> Table {
    let mut table = Table::new(&["provider", "kind", "file", "version, and why it was looked for there"]);
    for provider in host.blas_here() {
        let path = provider.library.as_deref();
        let why = path.and_then(|path| host.found_at(path)).map_or("part of paw", |found| found.why.as_str());
        let file = path.map_or_else(String::new, |path| path.display().to_string());
        table.row([&provider.name, "BLAS", &file, why]);
    }
    for found in discovery::all() {
        let Found { path, abi, version, why, .. } = &found;
        let text = format!("{version}, {} ABI, for {}; {why}", abi.name(), found.launchers());
        table.row([found.name(), "MPI", &path.display().to_string(), &text]);
    }
    table
}

/// Versions of the MPI libraries that are here.
pub fn mpi_here() -> Vec<String> {
    let mut versions: Vec<String> = discovery::all().into_iter().map(|found| found.version).collect();
    versions.dedup();
    versions
}

/// The MPI libraries in a sentence, with what to do where there is none.
pub fn mpi_line() -> String {
    let versions = mpi_here();
    if versions.is_empty() {
        return "MPI here: none found; load its module, or name its library with --mpi-library or PAW_MPI_LIBRARY"
            .to_owned();
    }
    format!("MPI here: {}; measured by ranks, as in mpirun -n 2 paw run latency", versions.join(", "))
}
