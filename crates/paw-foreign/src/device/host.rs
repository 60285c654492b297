//! A device in sysfs: processors near it, its link, the driver's version.

use std::fs;
use std::path::Path;

use crate::device::facts::PcieLink;

/// Transfers a second of a lane, in 10⁹, by generation (PCI-SIG), as Linux writes them.
const GENERATIONS: &[&str] = &["2.5", "5.0", "8.0", "16.0", "32.0", "64.0"];

/// The NUMA node of a device and the processors near it; -1, as in virtual machines, is unknown.
pub(super) fn near(root: &Path, bus_id: &str) -> (Option<u32>, Vec<u32>) {
    let node = attribute(root, bus_id, "numa_node").and_then(|text| text.parse::<u32>().ok());
    let cpus = attribute(root, bus_id, "local_cpulist").map(|text| numbers(&text)).unwrap_or_default();
    (node, cpus)
}

/// The device's PCIe link, current and maximum.
pub(super) fn link(root: &Path, bus_id: &str) -> Option<PcieLink> {
    let generation = |name: &str| {
        let speed = attribute(root, bus_id, name)?;
        let speed = speed.split_whitespace().next()?.to_owned();
        let at = GENERATIONS.iter().position(|known| known.trim_end_matches(".0") == speed.trim_end_matches(".0"))?;
        u32::try_from(at + 1).ok()
    };
    let lanes = |name: &str| attribute(root, bus_id, name)?.parse().ok().filter(|lanes| (1..=32).contains(lanes));
    Some(PcieLink {
        generation: generation("current_link_speed")?,
        generation_max: generation("max_link_speed")?,
        lanes: lanes("current_link_width")?,
        lanes_max: lanes("max_link_width")?,
    })
}

/// The version of the kernel's module, which is the driver's.
pub(super) fn driver_version(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("sys/module/nvidia/version")).ok()?;
    Some(text.trim().to_owned()).filter(|version| !version.is_empty())
}

fn attribute(root: &Path, bus_id: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(root.join("sys/bus/pci/devices").join(bus_id).join(name)).ok()?;
    Some(text.trim().to_owned())
}

/// A list as Linux writes it: `0-3,8,10-11`.
fn numbers(list: &str) -> Vec<u32> {
    let ranges = list.split(',').filter_map(|range| {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        Some(from.trim().parse::<u32>().ok()?..=to.trim().parse::<u32>().ok()?)
    });
    ranges.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a directory for the test");
        let device = root.path().join("sys/bus/pci/devices/0000:3b:00.0");
        fs::create_dir_all(&device).expect("a directory for the device");
        for (name, text) in files {
            fs::write(device.join(name), text).expect("a file of the device");
        }
        root
    }

    #[test]
    fn a_device_is_near_the_processors_of_its_node() {
        let root = host(&[("numa_node", "1\n"), ("local_cpulist", "8-10,24\n")]);
        assert_eq!(near(root.path(), "0000:3b:00.0"), (Some(1), vec![8, 9, 10, 24]));
    }

    #[test]
    fn a_virtual_machine_does_not_know() {
        let root = host(&[("numa_node", "-1\n"), ("local_cpulist", "\n")]);
        assert_eq!(near(root.path(), "0000:3b:00.0"), (None, Vec::new()));
        assert_eq!(near(root.path(), "0000:00:00.0"), (None, Vec::new()));
    }

    #[test]
    fn a_link_that_idles_is_distinguished_from_what_it_can() {
        let files = [
            ("current_link_speed", "2.5 GT/s PCIe\n"),
            ("max_link_speed", "32.0 GT/s PCIe\n"),
            ("current_link_width", "8\n"),
            ("max_link_width", "16\n"),
        ];
        let link = link(host(&files).path(), "0000:3b:00.0");
        assert_eq!(link, Some(PcieLink { generation: 1, generation_max: 5, lanes: 8, lanes_max: 16 }));
    }

    #[test]
    fn a_link_that_nobody_knows_is_none() {
        let files = [("current_link_speed", "Unknown"), ("max_link_speed", "Unknown"), ("current_link_width", "0")];
        assert_eq!(link(host(&files).path(), "0000:3b:00.0"), None);
    }
}
