//! The lowest and the highest clock that the system asks for.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// The lowest and the highest clock that the system asks for.
pub const FREQUENCY_LIMITS: Check = Check {
    id: "frequency-limits",
    effect: "a limit below what the processor can makes everything slower, steadily; a fixed clock makes times repeat",
    size: None,
    privilege: Privilege::Root,
    examine,
};

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let (path, highest) = extreme(files, "scaling_max_freq", f64::max)?;
    let (_, lowest) = extreme(files, "scaling_min_freq", f64::min)?;
    let (_, possible) = extreme(files, "cpuinfo_max_freq", f64::max)?;
    let mhz = |khz: f64| format!("{:.0} MHz", khz / 1e3);
    let finding = Finding::of(format!("{} to {}", mhz(lowest), mhz(highest)), path);
    if lowest >= highest {
        return Ok(finding.fine("the clock is fixed"));
    }
    // Rounding in the driver is no limit.
    if highest < 0.99 * possible {
        let cause = format!("clocks are kept to {} of {}", mhz(highest), mhz(possible));
        return Ok(finding.info(cause, "sudo cpupower frequency-set -u MAX, if that is not meant"));
    }
    Ok(finding.fine("clocks may be anything in between"))
}

fn extreme(files: &MachineFiles<'_>, file: &str, pick: fn(f64, f64) -> f64) -> Result<(String, f64), Unreadable> {
    let (path, values) = files.of_processors(&format!("cpufreq/{file}"))?;
    let numbers = values.iter().filter_map(|khz| khz.parse::<f64>().ok());
    numbers.reduce(pick).map(|khz| (path.clone(), khz)).ok_or_else(|| Unreadable::new(path, "it holds no number"))
}
