//! `paw list --libraries`: the BLAS and MPI libraries and the devices of this machine. BLAS and MPI are not started; drivers of devices are, in
//! processes of their own.

use paw_foreign::device::{self, DeviceFacts};
use paw_foreign::mpi::discovery::{self, FoundMpi};
use paw_suites::host::Host;

use crate::amount::binary;
use crate::host_facts::devices;
use crate::table::Table;

/// Every library found, with the rule that found it.
pub fn libraries(host: &Host) -> Table {
    let mut table = Table::new(&["provider", "kind", "file", "version, and why it was looked for there"]);
    for provider in host.blas_here() {
        let path = provider.library.as_deref();
        let why = path.and_then(|path| host.found_at(path)).map_or("part of paw", |found| found.why.as_str());
        let file = path.map_or_else(String::new, |path| path.display().to_string());
        table.row([&provider.name, "BLAS", &file, why]);
    }
    for found in discovery::all() {
        let FoundMpi { path, abi, version, why, .. } = &found;
        let text = format!("{version}, {} ABI, for {}; {why}", abi.name(), found.launchers());
        table.row([found.name(), "MPI", &path.display().to_string(), &text]);
    }
    for found in devices().unwrap_or_default().found() {
        device_rows(found, &mut table);
    }
    table
}

/// Rows for the devices of a back-end and its libraries, or one with the reason why there is none.
fn device_rows(found: &device::FoundDevices, table: &mut Table) {
    let title = found.backend.title();
    for facts in &found.devices {
        table.row([&facts.id(), title, &facts.library.display().to_string(), &device_sentence(facts)]);
    }
    if let Some(missing) = &found.missing {
        table.row(["", title, "", missing]);
    }
    for (name, place) in &found.libraries {
        let (file, why) = match place {
            Ok(path) => (path.as_str(), ""),
            Err(why) => ("", why.as_str()),
        };
        table.row(["", name, file, why]);
    }
}

/// A device's description in one line.
pub fn device_sentence(facts: &DeviceFacts) -> String {
    let bus = facts.bus_id.as_ref().map(|bus| format!(" at {bus}")).unwrap_or_default();
    let unified = if facts.unified { ", shared with the host" } else { "" };
    let memory = binary(facts.memory_bytes);
    format!("{}{bus}, {memory} of memory{unified}; {}, driver {}", facts.name, facts.api, facts.driver)
}
