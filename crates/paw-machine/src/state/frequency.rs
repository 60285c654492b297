//! Frequencies, what governs them, and whether heat held them back.

use crate::cpuinfo::CpuInfo;
use crate::root::Root;
use crate::state::{StateItems, tally};
use crate::topology::Topology;

const CPUS: &str = "/sys/devices/system/cpu";

pub(super) fn read(root: &Root, topology: &Topology, cpuinfo: &CpuInfo, items: &mut StateItems) {
    let each = |file: &str| {
        let words = topology.cpus.iter().filter_map(|cpu| root.word(&format!("{CPUS}/cpu{}/{file}", cpu.number)));
        words.collect::<Vec<String>>()
    };
    items.put("governor", tally(each("cpufreq/scaling_governor").into_iter()));
    items.put("frequency_driver", tally(each("cpufreq/scaling_driver").into_iter()));
    items.put("energy_preference", tally(each("cpufreq/energy_performance_preference").into_iter()));
    items.put("boost", boost(root));
    let current = each("cpufreq/scaling_cur_freq");
    let mhz: Vec<f64> = current.iter().filter_map(|khz| khz.parse::<f64>().ok()).map(|khz| khz / 1e3).collect();
    items.put("frequency_mhz", mean(if mhz.is_empty() { cpuinfo.frequencies_mhz() } else { mhz }));
    let bound = |file, pick: fn(f64, f64) -> f64| {
        let khz = each(file).into_iter().filter_map(|khz| khz.parse::<f64>().ok());
        khz.reduce(pick).map(|khz| khz / 1e3)
    };
    items.put("frequency_min_mhz", bound("cpufreq/scaling_min_freq", f64::min));
    items.put("frequency_max_mhz", bound("cpufreq/scaling_max_freq", f64::max));
    // Every hardware thread repeats the count of its core or package: only changes of the sum have a meaning.
    let total = |file| each(file).iter().filter_map(|n| n.parse::<u64>().ok()).reduce(|a, b| a + b);
    items.put("throttle_core", total("thermal_throttle/core_throttle_count"));
    items.put("throttle_package", total("thermal_throttle/package_throttle_count"));
    items.put("temperature_c", temperature(root));
}

/// `on` or `off`, by the driver's own switch.
fn boost(root: &Root) -> Option<&'static str> {
    let word = |on| if on { "on" } else { "off" };
    let generic = root.number::<u8>(&format!("{CPUS}/cpufreq/boost")).map(|boost| word(boost == 1));
    generic.or_else(|| root.number::<u8>(&format!("{CPUS}/intel_pstate/no_turbo")).map(|off| word(off == 0)))
}

fn mean(values: Vec<f64>) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).round())
}

/// The hottest thermal zone, in degrees Celsius.
fn temperature(root: &Root) -> Option<f64> {
    let zones = root.numbered("/sys/class/thermal", "thermal_zone");
    let milli = zones.iter().filter_map(|z| root.number::<f64>(&format!("/sys/class/thermal/thermal_zone{z}/temp")));
    milli.reduce(f64::max).map(|t| (t / 1e3).round())
}
