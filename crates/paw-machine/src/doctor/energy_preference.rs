//! The hint to the processor between speed and saving.

use super::governor::policies;
use super::{Check, Finding, MachineFiles, Privilege, Unreadable};
use crate::state::tally;

/// The hint to the processor between speed and saving.
pub const ENERGY_PREFERENCE: Check = Check {
    id: "energy-preference",
    effect: "the processor raises its clock late and lowers it early",
    size: None,
    privilege: Privilege::Root,
    examine,
};

const FILE: &str = "energy_performance_preference";

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let (path, values) = files.of_processors(&format!("cpufreq/{FILE}"))?;
    let seen = tally(values.into_iter()).unwrap_or_default();
    let finding = Finding::of(&seen, path);
    if seen == "performance" {
        return Ok(finding);
    }
    let finding = finding.info(format!("the processor is asked to save energy: {seen}"), "ask it for performance");
    Ok(policies(files, FILE).into_iter().fold(finding, |finding, path| finding.write(path, "performance")))
}
