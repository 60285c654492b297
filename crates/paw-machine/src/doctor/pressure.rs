//! Tasks that wait for a processor or for memory.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Per cent of the time: a sample that waited for more than this part of its time is marked as disturbed, too.
const PRESSURE_IDLE: f64 = 1.0;

/// Tasks that wait for a processor or for memory.
pub const PRESSURE: Check = Check {
    id: "pressure",
    effect: "tasks wait for processors or memory, measured ones among them",
    size: Some(
        "waiting explained all that wall time had more than processor time (correlation 0.999) on two virtual cores",
    ),
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let share =
        |path: &str| average_10s(&files.word(path)?).ok_or_else(|| Unreadable::new(path, "it holds no line `some`"));
    let cpu = "/proc/pressure/cpu";
    let (processors, memory) = (share(cpu)?, share("/proc/pressure/memory"));
    let shown = memory.as_ref().map_or_else(|_| "not shown".to_owned(), |share| format!("{share:.1} %"));
    let finding = Finding::of(format!("processors {processors:.1} %, memory {shown}"), cpu);
    let (what, worst) = match memory {
        Ok(memory) if memory > processors => ("memory", memory),
        // Only a half that disturbs is a finding without the other.
        Err(unreadable) if processors <= PRESSURE_IDLE => return Err(unreadable),
        _ => ("a processor", processors),
    };
    if worst <= PRESSURE_IDLE {
        return Ok(finding);
    }
    let cause = format!("tasks waited for {what} during {worst:.0} % of the last 10 s");
    Ok(finding.warn(cause, "stop other programs, or wait until they have ended"))
}

/// `some avg10=1.53 avg60=…` (kernel documentation, accounting/psi).
fn average_10s(text: &str) -> Option<f64> {
    let some = text.lines().find(|line| line.starts_with("some "))?;
    some.split_whitespace().find_map(|field| field.strip_prefix("avg10="))?.parse().ok()
}
