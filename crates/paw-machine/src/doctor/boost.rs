//! Clocks above the nominal one.

use super::machine_files::CPUS;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Clocks above the nominal one.
pub const BOOST: Check = Check {
    id: "boost",
    effect: "the clock depends on heat, on power and on what the other cores do",
    size: Some("the fastest of all runs moved by 10 % between windows of 30 s on a virtual machine with boost"),
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let generic = format!("{CPUS}/cpufreq/boost");
    let intel = format!("{CPUS}/intel_pstate/no_turbo");
    let (path, value, on, off) = match (files.word(&generic), files.word(&intel)) {
        (Ok(value), _) => (generic, value, "1", "0"),
        (Err(_), Ok(value)) => (intel, value, "0", "1"),
        (Err(unreadable), Err(_)) => return Err(unreadable),
    };
    let finding = Finding::of(&value, &path);
    match value.as_str() {
        known if known == on => {
            let cause = "boost is on: the clock rises above the nominal one as long as heat and power allow";
            Ok(finding
                .info(cause, "switch it off to tell small differences apart; peaks are lower then")
                .write(path, off))
        }
        known if known == off => Ok(finding.fine("boost is off")),
        _ => Err(Unreadable::new(path, format!("it holds no switch: {value}"))),
    }
}
