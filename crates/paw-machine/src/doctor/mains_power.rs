//! Whether the machine runs on mains or on a battery.

use super::{Check, Finding, MachineFiles, Privilege, Unreadable};

/// Whether the machine runs on mains or on a battery.
pub const MAINS_POWER: Check = Check {
    id: "mains-power",
    effect: "on a battery, firmware and system lower clocks to save energy",
    size: None,
    privilege: Privilege::User,
    examine,
};

const SUPPLIES: &str = "/sys/class/power_supply";

fn examine(files: &MachineFiles<'_>) -> Result<Finding, Unreadable> {
    if !files.root.path(SUPPLIES).is_dir() {
        return Err(Unreadable::new(SUPPLIES, "this machine has no such directory"));
    }
    let names = files.root.names(SUPPLIES);
    let word = |name: &String, file: &str| files.root.word(&format!("{SUPPLIES}/{name}/{file}"));
    // A mouse has a battery, too, and says so by its scope.
    let own = |name: &&String| word(name, "scope").is_none_or(|scope| scope != "Device");
    let of = |kinds: &[&str]| {
        let fits = |name: &&String| word(name, "type").is_some_and(|kind| kinds.contains(&kind.as_str()));
        names.iter().filter(own).filter(fits).cloned().collect::<Vec<String>>()
    };
    let (mains, batteries) = (of(&["Mains", "USB"]), of(&["Battery"]));
    let online = mains.iter().find(|name| word(name, "online").is_some_and(|value| value == "1"));
    match (online, batteries.first()) {
        (_, None) => match names.iter().find(|name| word(name, "type").is_none()) {
            Some(name) => Err(Unreadable::new(format!("{SUPPLIES}/{name}/type"), "the file does not say what it is")),
            None => Ok(Finding::of("no battery", SUPPLIES)),
        },
        (Some(mains), _) => Ok(Finding::of("mains", format!("{SUPPLIES}/{mains}/online"))),
        (None, Some(battery)) => {
            let status = word(battery, "status").unwrap_or_default();
            let path = format!("{SUPPLIES}/{battery}/status");
            if mains.is_empty() && status != "Discharging" {
                return Ok(Finding::of(status, path));
            }
            Ok(Finding::of("battery", path).warn("the machine runs on its battery", "connect it to mains"))
        }
    }
}
