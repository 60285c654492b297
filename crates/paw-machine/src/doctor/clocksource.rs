//! The hardware behind the kernel's clock.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Clocks that live outside the processor, or in the timer tick.
const SLOW: &[&str] = &["hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"];

/// The hardware behind the kernel's clock.
pub const CLOCKSOURCE: Check = Check {
    id: "clocksource",
    effect: "a slow clock makes every reading expensive, so that samples must be longer",
    size: Some("about a microsecond a reading; 20 to 50 ns by the time-stamp counter"),
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let source = files.word(path)?;
    let finding = Finding::of(&source, path);
    if !SLOW.contains(&source.as_str()) {
        return Ok(finding);
    }
    let cause = format!("the kernel's clock is {source}: each reading costs about a microsecond");
    Ok(finding.warn(cause, "find out why the kernel gave up the time-stamp counter: dmesg | grep -i clocksource"))
}
