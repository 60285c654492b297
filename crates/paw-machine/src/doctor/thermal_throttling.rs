//! Clocks lowered because of heat.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Clocks lowered because of heat.
pub const THERMAL_THROTTLING: Check = Check {
    id: "thermal-throttling",
    effect: "the clock falls while the processor is too hot, and later samples are slower than earlier ones",
    size: None,
    privilege: Privilege::User,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let count = |file: &str| files.of_processors(&format!("thermal_throttle/{file}_throttle_count"));
    let (path, mut counts) = count("core").or_else(|unreadable| count("package").map_err(|_| unreadable))?;
    counts.extend(count("package").map(|(_, counts)| counts).unwrap_or_default());
    let counts: Vec<f64> = counts.iter().filter_map(|count| count.parse().ok()).collect();
    if counts.is_empty() {
        return Err(Unreadable::new(path, "it holds no number"));
    }
    let sum: f64 = counts.iter().sum();
    let finding = Finding::of(sum, path);
    if sum <= 0.0 {
        return Ok(finding);
    }
    Ok(finding.warn(
        "heat has slowed processors since the machine was started",
        "compare throttle_core and throttle_package of two states; improve cooling if they grow",
    ))
}
