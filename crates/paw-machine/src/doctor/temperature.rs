//! How hot the machine is, against the temperature at which it slows down.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// How hot the machine is, against the temperature at which it slows down.
pub const TEMPERATURE: Check = Check {
    id: "temperature",
    effect: "a hot machine lowers its clock, now or soon",
    size: None,
    privilege: Privilege::User,
    examine,
};

const ZONES: &str = "/sys/class/thermal";

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    let zones = files.root.numbered(ZONES, "thermal_zone");
    let path = |zone: u32| format!("{ZONES}/thermal_zone{zone}/temp");
    let degrees = |zone: u32| files.number(&path(zone)).ok().map(|milli| (zone, milli / 1e3));
    let hottest = zones.iter().filter_map(|zone| degrees(*zone)).max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((zone, hottest)) = hottest else {
        return Err(Unreadable::new(ZONES, "no thermometer is listed"));
    };
    let finding = Finding::of(format!("{hottest:.0} °C"), path(zone));
    let limited: Vec<(f64, f64)> =
        zones.iter().filter_map(|zone| Some((degrees(*zone)?.1, limit(files, *zone)?))).collect();
    if limited.is_empty() {
        let why = format!("it is {hottest:.0} °C hot, and no thermometer has a limit at which the kernel acts");
        return Err(Unreadable::new(ZONES, why));
    }
    let Some((is, limit)) = limited.into_iter().find(|(is, limit)| is >= limit) else { return Ok(finding) };
    let cause = format!("it is {is:.0} °C hot, and the kernel slows it down from {limit:.0} °C on");
    Ok(finding.warn(cause, "let it cool down, and improve its cooling"))
}

/// The lowest temperature at which the kernel acts against heat, in degrees Celsius.
fn limit(files: &MachineFiles<'_>, zone: u32) -> Option<f64> {
    let trips = (0..).map_while(|trip| {
        let file = |what: &str| format!("{ZONES}/thermal_zone{zone}/trip_point_{trip}_{what}");
        Some((files.root.word(&file("type"))?, files.root.number::<f64>(&file("temp"))?))
    });
    let acts = trips.filter(|(kind, milli)| (kind == "passive" || kind == "hot") && *milli > 0.0);
    acts.map(|(_, milli)| milli / 1e3).reduce(f64::min)
}
