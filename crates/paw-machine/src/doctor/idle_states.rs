//! Sleep of idle processors, and how long they take to wake up.

use super::machine_files::CPUS;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Microseconds: a sample whose threads waited longer is marked as disturbed.
const WAKE_MAX_US: f64 = 20.0;

/// Sleep of idle processors, and how long they take to wake up.
pub const IDLE_STATES: Check = Check {
    id: "idle-states",
    effect: "what waits for a sleeping processor waits until it is awake: messages, barriers, the first work after a pause",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let driver = format!("{CPUS}/cpuidle/current_driver");
    let name = files.word(&driver)?;
    let cpus = || files.topology.cpus.iter().map(|cpu| cpu.number);
    let deep: Vec<(String, f64)> =
        cpus().flat_map(|cpu| enabled(files, cpu)).filter(|(_, us)| *us > WAKE_MAX_US).collect();
    let Some(longest) = deep.iter().map(|(_, us)| *us).reduce(f64::max) else {
        return Ok(Finding::of(name, driver).fine(format!("no idle state takes over {WAKE_MAX_US} us to leave")));
    };
    let cause = format!("an idle processor may take {longest:.0} us to wake up");
    let finding = Finding::of(format!("{name}, up to {longest:.0} us"), driver);
    let finding = finding
        .info(cause, "forbid the states that take longer than 20 us to leave; idle processors use more power then");
    Ok(deep.into_iter().fold(finding, |finding, (directory, _)| finding.write(format!("{directory}/disable"), "1")))
}

/// The idle states of a processor that are not forbidden: directory, and microseconds to leave it.
fn enabled(files: &MachineFiles<'_>, cpu: u32) -> Vec<(String, f64)> {
    let directory = format!("{CPUS}/cpu{cpu}/cpuidle");
    let states = files.root.numbered(&directory, "state").into_iter().map(|state| format!("{directory}/state{state}"));
    let allowed = states.filter(|state| files.root.word(&format!("{state}/disable")).is_some_and(|word| word == "0"));
    allowed.filter_map(|state| Some((state.clone(), files.root.number(&format!("{state}/latency"))?))).collect()
}
