//! Limits of this process on stack, locked memory and processor time.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::state::soft_limit;

/// Limits of this process on stack, locked memory and processor time.
pub const LIMITS: Check = Check {
    id: "limits",
    effect: "a program with large local arrays ends, transfers lack page-locked memory, and a long run is killed",
    size: None,
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/self/limits";
    let text = files.word(path)?;
    let limit = |name| soft_limit(&text, name).unwrap_or_else(|| "unknown".to_owned());
    let (stack, locked, time) = (limit("Max stack size"), limit("Max locked memory"), limit("Max cpu time"));
    let bytes = |text: &str| {
        let bytes = text.parse::<u64>();
        bytes.map_or_else(|_| text.to_owned(), |bytes| format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20)))
    };
    let finding =
        Finding::of(format!("stack {}, locked memory {}, processor time {time}", bytes(&stack), bytes(&locked)), path);
    if time.parse::<u64>().is_ok() {
        let cause = format!("this process ends after {time} s of processor time");
        return Ok(finding.warn(cause, "ulimit -t unlimited"));
    }
    if stack.parse::<u64>().is_ok() {
        let cause = format!("the stack ends after {}", bytes(&stack));
        return Ok(finding.info(cause, "ulimit -s unlimited, and OMP_STACKSIZE for threads of OpenMP"));
    }
    if [&stack, &time].iter().any(|limit| *limit != "unlimited") {
        return Err(Unreadable::new(path, format!("it holds no limit: stack {stack}, processor time {time}")));
    }
    Ok(finding)
}
