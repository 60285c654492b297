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
    let states: Vec<IdleState> = files.topology.cpus.iter().flat_map(|cpu| idle_states(files, cpu.number)).collect();
    if states.is_empty() {
        return Err(Unreadable::new(driver, format!("{name} lists no idle state with the time to leave it")));
    }
    let deep: Vec<IdleState> =
        states.into_iter().filter(|state| state.is_enabled && state.wake_us > WAKE_MAX_US).collect();
    let Some(longest) = deep.iter().map(|state| state.wake_us).reduce(f64::max) else {
        return Ok(Finding::of(name, driver).fine(format!("no idle state takes over {WAKE_MAX_US} us to leave")));
    };
    let cause = format!("an idle processor may take {longest:.0} us to wake up");
    let finding = Finding::of(format!("{name}, up to {longest:.0} us"), driver);
    let finding = finding
        .info(cause, "forbid the states that take longer than 20 us to leave; idle processors use more power then");
    Ok(deep.into_iter().fold(finding, |finding, state| finding.write(format!("{}/disable", state.directory), "1")))
}

/// A way in which a processor idles.
struct IdleState {
    /// Its directory.
    directory: String,
    /// Whether it is not forbidden.
    is_enabled: bool,
    /// Microseconds to leave it.
    wake_us: f64,
}

/// The idle states of a processor, as far as they are described.
fn idle_states(files: &MachineFiles<'_>, cpu: u32) -> Vec<IdleState> {
    let all = format!("{CPUS}/cpu{cpu}/cpuidle");
    let state = |number: u32| {
        let directory = format!("{all}/state{number}");
        let is_enabled = files.root.word(&format!("{directory}/disable"))? == "0";
        let wake_us = files.root.number(&format!("{directory}/latency"))?;
        Some(IdleState { directory, is_enabled, wake_us })
    };
    files.root.numbered(&all, "state").into_iter().filter_map(state).collect()
}
