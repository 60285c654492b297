//! Adapters on the PCI bus, and the processors near them.

use paw_data::machine::hardware::Adapter;

use crate::cpuset::CpuSet;
use crate::root::Root;

/// Where /sys lists what is on the bus.
const DEVICES: &str = "/sys/bus/pci/devices";

/// Classes worth showing (PCI Code and ID Assignment Specification, chapter 1): the leading digits of the class code, and a word.
const CLASSES: &[(&str, &str)] =
    &[("01", "storage"), ("02", "network"), ("03", "display"), ("0b40", "coprocessor"), ("12", "accelerator")];

/// Folders of a device whose entries are the system's names for it.
const NAMES: &[(&str, &str)] =
    &[("net", ""), ("infiniband", ""), ("nvme", "nvme"), ("drm", "card"), ("block", ""), ("accel", "")];

/// The adapters, by their address.
pub fn adapters(root: &Root) -> Vec<Adapter> {
    root.names(DEVICES).into_iter().filter_map(|bus_id| adapter(root, bus_id)).collect()
}

/// The adapter at an address; `None` where its class is none of those.
fn adapter(root: &Root, bus_id: String) -> Option<Adapter> {
    let directory = format!("{DEVICES}/{bus_id}");
    let file = |name: &str| root.word(&format!("{directory}/{name}"));
    let bare = |text: String| text.trim_start_matches("0x").to_owned();
    let code = bare(file("class")?);
    let class = class(&code)?;
    let numbers: Vec<String> = [file("vendor"), file("device")].into_iter().flatten().map(bare).collect();
    let id = if numbers.len() == 2 { numbers.join(":") } else { String::new() };
    let cpus = file("local_cpulist").and_then(|list| list.parse::<CpuSet>().ok()).unwrap_or_default();
    let link = match (file("current_link_speed"), file("current_link_width")) {
        (Some(speed), Some(width)) if width != "0" && speed.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("{speed} × {width}")
        }
        _ => String::new(),
    };
    let node = file("numa_node").and_then(|node| node.parse().ok());
    let names = names(root, &directory);
    Some(Adapter { class: class.to_owned(), id, names, node, cpus: cpus.iter().collect(), link, bus_id })
}

/// The word for a class code; `None` for bridges, buses and the like.
pub fn class(code: &str) -> Option<&'static str> {
    CLASSES.iter().find(|(digits, _)| code.starts_with(digits)).map(|(_, word)| *word)
}

/// Names of a device, or of the virtio device on it.
fn names(root: &Root, directory: &str) -> Vec<String> {
    let inner = root.numbered(directory, "virtio").into_iter().map(|n| format!("{directory}/virtio{n}"));
    let folders: Vec<String> = std::iter::once(directory.to_owned()).chain(inner).collect();
    let of = |folder: &String| -> Vec<String> {
        let named = |(kind, stem): &(&str, &str)| {
            let entries = root.names(&format!("{folder}/{kind}"));
            // Connectors (`card0-DP-1`) belong to a card that is listed.
            entries.into_iter().filter(|name| name.starts_with(stem) && !name.contains('-')).collect::<Vec<_>>()
        };
        NAMES.iter().flat_map(named).collect()
    };
    folders.iter().flat_map(of).collect()
}
