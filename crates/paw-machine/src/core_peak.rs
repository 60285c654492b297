//! What a core does at most, by a table of designs: derived, not measured.

use paw_data::machine::CorePeak;

use crate::cpuinfo::CpuInfo;
use crate::processor_model;
use crate::root::Root;
use crate::topology::Topology;

/// Designs, and the double-precision operations that one core does in a clock: vector units × numbers of a vector × 2 where they multiply
/// and add in one instruction. Of a design whose parts differ, the most. Sources: Intel's and AMD's optimisation manuals, Arm's software
/// optimisation guides of the Neoverse cores, Fujitsu's A64FX microarchitecture manual.
const FP64_PER_CLOCK: &[(&str, f64)] = &[
    ("Penryn", 4.0),
    ("Nehalem", 4.0),
    ("Westmere", 4.0),
    ("Sandy Bridge", 8.0),
    ("Ivy Bridge", 8.0),
    ("Haswell", 16.0),
    ("Broadwell", 16.0),
    ("Skylake", 16.0),
    ("Kaby Lake or a successor (Skylake cores)", 16.0),
    ("Kaby Lake or Coffee Lake (Skylake cores)", 16.0),
    ("Comet Lake (Skylake cores)", 16.0),
    ("Skylake (server)", 32.0),
    ("Cascade Lake", 32.0),
    ("Cooper Lake", 32.0),
    ("Ice Lake (Sunny Cove)", 32.0),
    ("Sapphire Rapids (Golden Cove)", 32.0),
    ("Emerald Rapids (Raptor Cove)", 32.0),
    ("Granite Rapids (Redwood Cove)", 32.0),
    ("Knights Landing", 32.0),
    ("Zen", 8.0),
    ("Zen+", 8.0),
    ("Zen 2", 16.0),
    ("Zen 3", 16.0),
    ("Zen 3+", 16.0),
    ("Zen 4", 16.0),
    ("Zen 4c", 16.0),
    ("Zen 5", 32.0),
    ("Zen 5c", 32.0),
    ("Arm Neoverse-N1", 8.0),
    ("Arm Neoverse-N2", 8.0),
    ("Arm Neoverse-V1", 16.0),
    ("Arm Neoverse-V2", 16.0),
    ("Fujitsu A64FX", 32.0),
];

/// Drivers whose highest frequency includes boost. Others name the nominal one, which cores exceed.
const BOOST_INCLUDED: &[&str] = &["intel_pstate", "intel_cpufreq", "amd-pstate", "amd-pstate-epp"];

/// The peak of a core; `None` where cores differ, or the table does not have their design.
pub fn core_peak(root: &Root, topology: &Topology, cpuinfo: &CpuInfo) -> Option<CorePeak> {
    let models = processor_model::models(cpuinfo);
    let design = &models.first()?.microarchitecture;
    if models.iter().any(|model| model.microarchitecture != *design) {
        return None;
    }
    let (_, fp64) = FP64_PER_CLOCK.iter().find(|(name, _)| name == design)?;
    let driver = root.word("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
    let is_known = driver.is_some_and(|driver| BOOST_INCLUDED.contains(&driver.as_str()));
    let clock = topology.cpus.iter().filter_map(|cpu| cpu.frequency_max_khz).max().filter(|_| is_known);
    Some(CorePeak {
        microarchitecture: design.clone(),
        // Vectors hold twice as many numbers of single precision.
        per_clock: [("fp64".to_owned(), *fp64), ("fp32".to_owned(), 2.0 * fp64)].into(),
        clock_max_hz: clock.map(|khz| khz * 1000),
    })
}
