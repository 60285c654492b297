//! The caveats of device measurements: cause and action.

use paw_data::outcome::Caveat;
use paw_foreign::device::{DeviceFacts, PcieLink};

use crate::placement::HostPlacement;
use crate::region::Region;
use crate::trust::Trust;
use crate::unit_clock::SlowedUnits;

/// `untrusted-events`, `gate-hangs`: faults that the self-test at opening found.
pub fn distrust(facts: &DeviceFacts, trust: &Trust) -> Vec<Caveat> {
    let id = facts.id();
    let marks = trust.marks.as_ref().err().map(|why| {
        Caveat::new(
            "untrusted-events",
            format!("{id}: {why}: its own times are not used"),
            "read the times of the host's clock",
        )
    });
    let gate = trust.gate.as_ref().err().map(|why| {
        Caveat::new(
            "gate-hangs",
            format!("{id}: {why}: no sample is measured behind a gate"),
            "read the times of the host's clock and of the events",
        )
    });
    marks.into_iter().chain(gate).collect()
}

/// `untrusted-events`: impossible times of single samples.
pub fn absurd(dropped: u32, samples: u32, Region { device_s, host_s }: Region) -> Caveat {
    Caveat::new(
        "untrusted-events",
        format!(
            "the device's own time is impossible in {dropped} of {samples} samples, such as {device_s:e} s in {host_s:e} s of the host's clock: it was dropped there"
        ),
        "read the times of the host's clock",
    )
}

/// `gate-timed-out`: a gate opened by itself.
pub fn gate_timed_out() -> Caveat {
    Caveat::new(
        "gate-timed-out",
        "the work behind a gate and the call that opens the gate waited for each other until the gate timed out: no sample was measured behind a gate",
        "read the times of the host's clock and of the events",
    )
}

/// `device-environment`: variables that change the device's numbers.
pub fn environment(remarks: &[String]) -> Option<Caveat> {
    (!remarks.is_empty()).then(|| {
        Caveat::new(
            "device-environment",
            remarks.join("; "),
            "change these settings, or read the numbers as measured with them",
        )
    })
}

/// `unified-memory`: a transfer that crosses no link.
pub fn unified(facts: &DeviceFacts) -> Option<Caveat> {
    facts.unified.then(|| {
        Caveat::new(
            "unified-memory",
            format!("{}'s memory is the host's: a transfer is a copy within memory", facts.id()),
            "read it as a copy in memory, not as a link's bandwidth",
        )
    })
}

/// `narrow-link`: a PCIe link that is slower under load than device and slot allow.
pub fn narrow(id: &str, link: PcieLink) -> Option<Caveat> {
    let PcieLink { generation, generation_max, lanes, lanes_max } = link;
    // 0 is unknown.
    ((1..generation_max).contains(&generation) || (1..lanes_max).contains(&lanes)).then(|| {
        Caveat::new(
            "narrow-link",
            format!(
                "{id} runs at PCIe {generation}.0 ×{lanes}, although device and slot support PCIe {generation_max}.0 ×{lanes_max}"
            ),
            "check slot, riser and firmware settings",
        )
    })
}

/// `throttled`: the device lowered its clocks, to `slowest` as counted, where its units count.
pub fn throttled(reasons: &[String], slowest: Option<SlowedUnits>) -> Option<Caveat> {
    let counted = slowest
        .map(|SlowedUnits { ran_hz, most_hz }| format!(", to {:.2} GHz of {:.2} GHz", ran_hz / 1e9, most_hz / 1e9));
    (!reasons.is_empty()).then(|| {
        Caveat::new(
            "throttled",
            format!(
                "the device lowered its clocks during samples{}: {}",
                counted.unwrap_or_default(),
                reasons.join(", ")
            ),
            "improve cooling or raise power limits, or read the numbers as those of a throttled device",
        )
    })
}

/// `far-from-device`: the thread that drives a device could not be moved near it.
pub fn far(facts: &DeviceFacts, placement: &HostPlacement) -> Option<Caveat> {
    let id = facts.id();
    let cause = match placement {
        HostPlacement::Near(_) | HostPlacement::Unknown => return None,
        HostPlacement::Excluded(near) => format!("this process may use none of the processors near {id}, {near:?}"),
        HostPlacement::Refused(why) => format!("the thread that drives {id} could not be moved near it: {why}"),
    };
    Some(Caveat::new("far-from-device", cause, "ask the batch system, or taskset, for processors near the device"))
}

/// `little-overlap`: devices that worked at once only part of the time.
pub fn little_overlap(apart: u32, samples: u32) -> Caveat {
    Caveat::new(
        "little-overlap",
        format!(
            "in {apart} of {samples} samples all devices were at work at once for less than half of the time in which any was"
        ),
        "take larger sizes or more loops, or give each driving thread a processor of its own",
    )
}
