//! The policy that chooses frequencies.

use super::machine_files::CPUS;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::state::tally;

/// The policy that chooses frequencies.
pub const GOVERNOR: Check = Check {
    id: "governor",
    effect: "under most policies clocks rise only after work has begun, so that short samples are measured at a lower clock; where the \
             policy is not shown, nobody can tell from files whether the clock is steady",
    size: Some("the clock of a virtual machine, which shows no policy, drifted by 1.5 to 2 % while equal programs ran"),
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let (path, values) = match files.of_processors("cpufreq/scaling_governor") {
        Ok(read) => read,
        Err(unreadable) => {
            let finding = Finding::of("not shown", unreadable.path).warn(
                "this machine shows no frequency control: whether clocks are steady is unknown",
                "check the measured core clock in the run, and compare alternatives within one run",
            );
            return Ok(finding.for_any_user());
        }
    };
    let seen = tally(values.into_iter()).unwrap_or_default();
    let finding = Finding::of(&seen, path);
    if seen == "performance" {
        return Ok(finding);
    }
    let cause = format!("the frequency governor is {seen}: clocks rise only after work has begun");
    let finding = finding.warn(cause, "sudo cpupower frequency-set -g performance");
    Ok(policies(files, "scaling_governor")
        .into_iter()
        .fold(finding, |finding, path| finding.write(path, "performance")))
}

/// A file of every frequency policy; processors that share a clock share a policy.
pub fn policies(files: &MachineFiles<'_>, file: &str) -> Vec<String> {
    let numbers = files.root.numbered(&format!("{CPUS}/cpufreq"), "policy");
    let paths = numbers.iter().map(|policy| format!("{CPUS}/cpufreq/policy{policy}/{file}"));
    paths.filter(|path| files.root.word(path).is_some()).collect()
}
