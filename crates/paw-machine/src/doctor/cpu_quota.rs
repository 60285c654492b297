//! The processor time that the control group may use.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// The processor time that the control group may use.
pub const CPU_QUOTA: Check = Check {
    id: "cpu-quota",
    effect: "the process is stopped until the next period whenever it has used its time, in the middle of samples",
    size: Some(
        "at a quota of half a processor every second of work takes two, and samples show it as waiting (correlation 1.000)",
    ),
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let allowed = files.topology.allowed().len();
    let Some(quota) = &files.topology.allowance.quota else {
        return files.group_of("cpu").map(|group| Finding::of("none", group));
    };
    let finding = Finding::of(format!("{:.2} of {allowed} processors", quota.cpus), &quota.path);
    if quota.cpus >= allowed as f64 {
        return Ok(finding);
    }
    let cause = format!(
        "{} lets this process use {:.2} of its {allowed} processors: beyond that it is stopped until the next period",
        quota.path, quota.cpus
    );
    Ok(finding.fail(cause, "measure outside the container, or give it no CPU limit"))
}
