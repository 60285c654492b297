//! Several hardware threads on a core.

use super::machine_files::CPUS;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Several hardware threads on a core.
pub const SMT: Check = Check {
    id: "smt",
    effect: "a program on the other hardware thread of a core takes a part of its units and caches, and of no processor time that is counted",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = format!("{CPUS}/smt/control");
    let value = files.word(&path)?;
    let finding = Finding::of(&value, &path);
    match value.as_str() {
        "on" if !files.shows_cores() => Err(Unreadable::new(CPUS, "no processor names its core")),
        "on" if files.topology.cores.iter().all(|core| core.cpus.len() < 2) => {
            Ok(finding.fine("no core shows two threads"))
        }
        "on" => Ok(finding
            .info(
                "cores have several hardware threads, which share their units and caches",
                "measure with one thread a core, as paw does unless asked otherwise, and keep the others idle",
            )
            .command(format!("echo off > {path}"))),
        "notsupported" | "notimplemented" => {
            Ok(finding.fine("none is shown; a hypervisor may hide it, which the probe hidden-smt tells"))
        }
        "off" | "forceoff" => Ok(finding.fine("it is switched off")),
        _ => Err(Unreadable::new(path, format!("it holds no switch: {value}"))),
    }
}
