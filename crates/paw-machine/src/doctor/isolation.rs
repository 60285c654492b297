//! Processors kept free of other tasks and of the timer's tick.

use super::machine_files::CPUS;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::cpuset::CpuSet;

/// Processors kept free of other tasks and of the timer's tick.
pub const ISOLATION: Check = Check {
    id: "isolation",
    effect: "where no processor is kept free, any task of the system may interrupt a measurement",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = format!("{CPUS}/isolated");
    let list = |path: &str| files.root.read(path).ok().filter(|text| !text.is_empty() && text != "(null)");
    if files.root.read(&path).is_err() {
        files.word(&path)?;
    }
    let isolated = list(&path);
    let tickless = list(&format!("{CPUS}/nohz_full"));
    let word = |list: &Option<String>| list.clone().unwrap_or_else(|| "none".to_owned());
    let finding = Finding::of(format!("isolated {}, nohz_full {}", word(&isolated), word(&tickless)), path);
    let Some(isolated) = isolated else {
        return Ok(
            finding.fine("no processor is kept free of other tasks; the boot options isolcpus and nohz_full do that")
        );
    };
    let own = files.topology.allowed();
    let kept: CpuSet = isolated.parse().unwrap_or_else(|_| CpuSet::new());
    if own.iter().any(|cpu| kept.contains(cpu)) {
        return Ok(finding.fine(format!("processors {isolated} are kept free, and this process may use them")));
    }
    let cause = format!("processors {isolated} are kept free of tasks, and this process may not use them");
    Ok(finding.info(cause, format!("start it with taskset -c {isolated}")))
}
