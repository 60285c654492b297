//! Other programs that run.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// A quiet machine's load stays below a tenth of a processor.
const LOAD_IDLE: f64 = 0.1;

/// Other programs that run.
pub const LOAD: Check = Check {
    id: "load",
    effect: "other programs take turns on the processors, and share caches and memory",
    size: Some("the best of 16 to 32 runs was 10 to 41 % too long in three busy runs on two virtual cores"),
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/loadavg";
    let text = files.word(path)?;
    let load = text.split_whitespace().next().and_then(|field| field.parse::<f64>().ok());
    let load = load.ok_or_else(|| Unreadable::new(path, format!("it holds no load: {text}")))?;
    let finding = Finding::of(format!("{load:.2}"), path);
    if load <= LOAD_IDLE {
        return Ok(finding);
    }
    let cpus = files.topology.cpus.len();
    let cause = format!("load of the last minute is {load:.2} on {cpus} processors: other programs are running");
    Ok(finding.warn(cause, "stop other programs, or wait until the load is below 0.1"))
}
