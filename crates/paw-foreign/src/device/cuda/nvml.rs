//! What a device tells of itself now, by NVIDIA's management library.

use std::ffi::OsString;
use std::sync::OnceLock;

use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};
use nvml_wrapper::{Device, Nvml};

use super::library::named_by;
use crate::device::facts::{DeviceState, PcieLink};

/// Names the library, alone.
const VARIABLE: &str = "PAW_NVML_LIBRARY";
const LIBRARY: &str = "libnvidia-ml.so.1";

/// Reasons that say that a clock is held down, by NVML's words. An idle device, and one that is as fast as it can be, have none.
const THROTTLES: &[(ThrottleReasons, &str)] = &[
    (ThrottleReasons::APPLICATIONS_CLOCKS_SETTING, "applications_clocks_setting"),
    (ThrottleReasons::SW_POWER_CAP, "sw_power_cap"),
    (ThrottleReasons::HW_SLOWDOWN, "hw_slowdown"),
    (ThrottleReasons::SYNC_BOOST, "sync_boost"),
    (ThrottleReasons::SW_THERMAL_SLOWDOWN, "sw_thermal_slowdown"),
    (ThrottleReasons::HW_THERMAL_SLOWDOWN, "hw_thermal_slowdown"),
    (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "hw_power_brake_slowdown"),
    (ThrottleReasons::DISPLAY_CLOCK_SETTING, "display_clock_setting"),
];

fn name() -> OsString {
    named_by(VARIABLE).unwrap_or_else(|| LIBRARY.into())
}

fn nvml() -> Result<&'static Nvml, String> {
    static NVML: OnceLock<Result<Nvml, String>> = OnceLock::new();
    let opened = NVML.get_or_init(|| Nvml::builder().lib_path(&name()).init().map_err(|error| error.to_string()));
    opened.as_ref().map_err(Clone::clone)
}

/// Where it is, or why clocks, power and temperature are missing.
pub(super) fn found() -> Result<String, String> {
    let name = name();
    let name = name.to_string_lossy();
    nvml().map(|_| name.clone().into_owned()).map_err(|said| {
        format!("{name}: {said}; without it no clock, power or temperature is known; name the library in {VARIABLE}")
    })
}

/// The driver's version.
pub(super) fn driver_version() -> Option<String> {
    nvml().ok()?.sys_driver_version().ok()
}

/// What the device at that place of the bus tells now. Nothing, where nobody tells.
pub(super) fn state(bus_id: &str) -> DeviceState {
    let device = nvml().ok().and_then(|nvml| nvml.device_by_pci_bus_id(bus_id).ok());
    device.map(|device| read(&device)).unwrap_or_default()
}

/// Whether the device is split into parts (MIG).
pub(super) fn is_split(bus_id: &str) -> bool {
    let device = nvml().ok().and_then(|nvml| nvml.device_by_pci_bus_id(bus_id).ok());
    device.and_then(|device| device.mig_mode().ok()).is_some_and(|mode| mode.current == 1)
}

fn read(device: &Device<'_>) -> DeviceState {
    let clock_hz = |clock: Clock| device.clock_info(clock).ok().map(|mhz| f64::from(mhz) * 1e6);
    DeviceState {
        clock_hz: clock_hz(Clock::SM),
        memory_clock_hz: clock_hz(Clock::Memory),
        power_w: device.power_usage().ok().map(|milliwatts| f64::from(milliwatts) * 1e-3),
        temperature_c: device.temperature(TemperatureSensor::Gpu).ok().map(f64::from),
        throttled: device.current_throttle_reasons().map(throttled).unwrap_or_default(),
        link: link(device),
        ecc: device.is_ecc_enabled().ok().map(|state| state.currently_enabled),
    }
}

fn throttled(reasons: ThrottleReasons) -> Vec<String> {
    let found = THROTTLES.iter().filter(|(reason, _)| reasons.contains(*reason));
    found.map(|(_, word)| (*word).to_owned()).collect()
}

fn link(device: &Device<'_>) -> Option<PcieLink> {
    Some(PcieLink {
        generation: device.current_pcie_link_gen().ok()?,
        generation_max: device.max_pcie_link_gen().ok()?,
        lanes: device.current_pcie_link_width().ok()?,
        lanes_max: device.max_pcie_link_width().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_device_is_not_throttled() {
        assert!(throttled(ThrottleReasons::GPU_IDLE | ThrottleReasons::NONE).is_empty());
        let hot = ThrottleReasons::SW_POWER_CAP | ThrottleReasons::HW_THERMAL_SLOWDOWN | ThrottleReasons::GPU_IDLE;
        assert_eq!(throttled(hot), ["sw_power_cap", "hw_thermal_slowdown"]);
    }
}
