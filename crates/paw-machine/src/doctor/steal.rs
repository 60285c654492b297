//! Time that the hypervisor gave to other machines.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Share of the processors' time below which stolen time cannot explain a difference of one per cent.
const STEAL_MAX: f64 = 0.005;

/// Time that the hypervisor gave to other machines.
pub const STEAL: Check = Check {
    id: "steal",
    effect: "the whole machine stands still for as long, and its processor time may count that as work",
    size: Some("0.1 % of the time, in 0.2 to 1.2 % of the samples, during 300 s on a virtual machine"),
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let path = "/proc/stat";
    let text = files.word(path)?;
    let line = text.lines().find(|line| line.starts_with("cpu ")).unwrap_or_default();
    // user nice system idle iowait irq softirq steal (proc_stat(5)).
    let ticks: Vec<f64> = line.split_whitespace().skip(1).take(8).map_while(|field| field.parse().ok()).collect();
    let total: f64 = ticks.iter().sum();
    let Some(steal) = ticks.get(7).filter(|_| total > 0.0) else {
        return Err(Unreadable::new(path, "it counts no stolen time"));
    };
    let share = steal / total;
    let finding = Finding::of(format!("{:.2} % since the machine was started", share * 100.0), path);
    if share <= STEAL_MAX {
        return Ok(finding);
    }
    let cause = format!("the hypervisor gave {:.1} % of the processors' time to others since the start", share * 100.0);
    Ok(finding.warn(cause, "repeat runs at other times, or measure on bare metal"))
}
