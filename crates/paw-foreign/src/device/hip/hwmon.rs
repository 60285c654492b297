//! Clocks, power, temperature and link of a device now, as the kernel's driver shows them in sysfs: what rocm-smi reads.
//! The kernel's documentation: GPU power, thermal controls and monitoring of amdgpu; /sys/class/hwmon.

use std::fs;
use std::path::{Path, PathBuf};

use crate::device::facts::{DeviceState, PcieLink};
use crate::device::host;

/// AMD's vendor on PCI.
const AMD: &str = "0x1002";

/// The state of the device at that place of the bus; what the kernel does not show stays empty, and why a clock is held down is not
/// among it.
pub(super) fn state(root: &Path, bus_id: &str) -> DeviceState {
    let monitor = monitor(root, bus_id);
    let read =
        |name: &str| -> Option<f64> { fs::read_to_string(monitor.as_ref()?.join(name)).ok()?.trim().parse().ok() };
    DeviceState {
        clock_hz: read("freq1_input"),
        memory_clock_hz: read("freq2_input"),
        // Microwatts: the average that older kernels show, or the power now.
        power_w: read("power1_average").or_else(|| read("power1_input")).map(|microwatts| microwatts * 1e-6),
        // Thousandths of a degree: of the hottest place where the device has that sensor, else of its edge.
        temperature_c: read("temp2_input").or_else(|| read("temp1_input")).map(|degrees| degrees * 1e-3),
        throttled: None,
        link: link(root, bus_id),
        ecc: None,
    }
}

fn monitor(root: &Path, bus_id: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(device(root, bus_id).join("hwmon")).ok()?;
    entries.filter_map(Result::ok).map(|entry| entry.path()).min()
}

fn device(root: &Path, bus_id: &str) -> PathBuf {
    root.join("sys/bus/pci/devices").join(bus_id)
}

/// The link to the host: boards have a switch of their own, and the link that counts is that of its upper port, which is the highest
/// place of AMD's above the device.
pub(super) fn link(root: &Path, bus_id: &str) -> Option<PcieLink> {
    let is_amd = |place: &&Path| fs::read_to_string(place.join("vendor")).is_ok_and(|vendor| vendor.trim() == AMD);
    let real = device(root, bus_id).canonicalize().ok()?;
    let outermost = real.ancestors().take_while(is_amd).last()?;
    host::link(root, outermost.file_name()?.to_str()?).or_else(|| host::link(root, bus_id))
}

/// The version of the kernel's module, where it has one: the one that comes with Linux has none.
pub(super) fn driver_version(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("sys/module/amdgpu/version")).ok()?;
    Some(text.trim().to_owned()).filter(|version| !version.is_empty())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const ID: &str = "0000:03:00.0";

    /// A board as Linux shows it: root port, both ports of the board's switch, and the device.
    fn host(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a directory for the test");
        let places = ["0000:00:01.1", "0000:01:00.0", "0000:02:00.0", ID];
        let devices = root.path().join("sys/bus/pci/devices");
        fs::create_dir_all(&devices).unwrap();
        let mut place = root.path().join("sys/devices/pci0000:00");
        for id in places {
            place.push(id);
            fs::create_dir_all(&place).unwrap();
            let vendor = if id == places[0] { "0x8086" } else { AMD };
            fs::write(place.join("vendor"), vendor).unwrap();
            let speed = if id == places[1] { "8.0 GT/s PCIe" } else { "16.0 GT/s PCIe" };
            for (name, text) in [
                ("current_link_speed", speed),
                ("max_link_speed", "16.0 GT/s PCIe"),
                ("current_link_width", "16"),
                ("max_link_width", "16"),
            ] {
                fs::write(place.join(name), text).unwrap();
            }
            symlink(&place, devices.join(id)).unwrap();
        }
        let monitor = place.join("hwmon/hwmon3");
        fs::create_dir_all(&monitor).unwrap();
        files.iter().for_each(|(name, text)| fs::write(monitor.join(name), text).unwrap());
        root
    }

    #[test]
    fn a_device_tells_clocks_power_and_temperature() {
        let files = [
            ("freq1_input", "1700000000\n"),
            ("freq2_input", "1600000000\n"),
            ("power1_average", "92000000\n"),
            ("temp1_input", "40000\n"),
            ("temp2_input", "43000\n"),
        ];
        let state = state(host(&files).path(), ID);
        assert_eq!((state.clock_hz, state.memory_clock_hz), (Some(1.7e9), Some(1.6e9)));
        assert_eq!((state.power_w, state.temperature_c), (Some(92.0), Some(43.0)));
    }

    #[test]
    fn a_board_with_a_switch_has_the_link_of_its_upper_port() {
        let link = link(host(&[]).path(), ID);
        assert_eq!(link, Some(PcieLink { generation: 3, generation_max: 4, lanes: 16, lanes_max: 16 }));
    }

    #[test]
    fn what_the_kernel_does_not_show_is_empty() {
        let root = tempfile::tempdir().expect("a directory for the test");
        assert_eq!(state(root.path(), ID), DeviceState::default());
        assert_eq!(state(host(&[("power1_input", "55000000")]).path(), ID).power_w, Some(55.0));
    }
}
