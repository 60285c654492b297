//! Clocks, power, temperature and link of a device now, by NVIDIA's management library (NVML API Reference Guide).
#![allow(unsafe_code)]

use std::ffi::{CString, OsString, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;

use crate::device::facts::{DeviceState, PcieLink};
use crate::device::opened::named_by;
use crate::object::{Scope, SharedObject, text};

/// The variable that names the library; no other is tried then.
const VARIABLE: &str = "PAW_NVML_LIBRARY";
const LIBRARY: &str = "libnvidia-ml.so.1";

const SUCCESS: c_int = 0;
/// `NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE`.
const VERSION_BYTES: usize = 80;
/// `NVML_CLOCK_SM`, `NVML_CLOCK_MEM` and `NVML_TEMPERATURE_GPU`.
const CLOCK_SM: c_uint = 1;
const CLOCK_MEMORY: c_uint = 2;
const SENSOR_GPU: c_uint = 0;

/// Bits of `nvmlClocksEventReasons` (nvml.h of CUDA 13.4) that mean a clock is held down, by NVML's words. Idle, 1, is not among them.
const THROTTLES: &[(u64, &str)] = &[
    (0x2, "applications_clocks_setting"),
    (0x4, "sw_power_cap"),
    (0x8, "hw_slowdown"),
    (0x10, "sync_boost"),
    (0x20, "sw_thermal_slowdown"),
    (0x40, "hw_thermal_slowdown"),
    (0x80, "hw_power_brake_slowdown"),
    (0x100, "display_clock_setting"),
    (0x200, "board_limit"),
    (0x400, "reliability"),
];

/// Calls the function `symbol` of a library; `None` where the library lacks it. Arguments are `type: value`.
macro_rules! call {
    ($object:expr, $symbol:literal ($($type:ty: $argument:expr),*) -> $result:ty) => {{
        // SAFETY: the reference guide gives the function of this name these types.
        let function = unsafe { $object.function::<unsafe extern "C" fn($($type),*) -> $result>($symbol) };
        // SAFETY: any thread may call it; handles are the library's own, and pointers lead to locals of the types it reads and writes.
        function.map(|function| unsafe { function($($argument),*) })
    }};
}

/// The number that `symbol` writes for a device, after the argument `which` and before `pending`; `None` on an error.
macro_rules! number {
    ($device:expr, $symbol:literal, $number:ty $(, which $which:expr)? $(, pending $pending:expr)?) => {{
        let mut value: $number = 0;
        let code = call!($device.nvml, $symbol(
            *mut c_void: $device.handle $(, c_uint: $which)?, *mut $number: &raw mut value $(, *mut c_uint: $pending)?
        ) -> c_int);
        (code == Some(SUCCESS)).then_some(value)
    }};
}

pub(super) mod links;

fn name() -> OsString {
    named_by(VARIABLE).unwrap_or_else(|| LIBRARY.into())
}

fn nvml() -> Result<&'static SharedObject, String> {
    static NVML: OnceLock<Result<SharedObject, String>> = OnceLock::new();
    NVML.get_or_init(start).as_ref().map_err(Clone::clone)
}

fn start() -> Result<SharedObject, String> {
    let nvml = SharedObject::open(Path::new(&name()), Scope::Local)?;
    let code = call!(nvml, "nvmlInit_v2"() -> c_int).ok_or("not NVML: it has no nvmlInit_v2")?;
    if code == SUCCESS {
        return Ok(nvml);
    }
    let words = call!(nvml, "nvmlErrorString"(c_int: code) -> *const c_char).unwrap_or(ptr::null());
    // SAFETY: null, or a constant text of the library, which is never closed.
    let words = unsafe { text(words) };
    Err(format!("nvmlInit_v2: {words} ({code})"))
}

/// The file that was opened, or why there is none.
pub(super) fn found() -> Result<String, String> {
    let name = name().to_string_lossy().into_owned();
    let hint = format!("without it no clock, power or temperature is known; name the library in {VARIABLE}");
    nvml().map(|_| name.clone()).map_err(|why| format!("{name}: {why}; {hint}"))
}

/// The driver's version.
pub(super) fn driver_version() -> Option<String> {
    let mut version = [0 as c_char; VERSION_BYTES];
    let code = call!(nvml().ok()?, "nvmlSystemGetDriverVersion"(
        *mut c_char: version.as_mut_ptr(), c_uint: VERSION_BYTES as c_uint
    ) -> c_int);
    // SAFETY: NVML wrote a C string that fits, and nobody else knows of it.
    (code == Some(SUCCESS)).then(|| unsafe { text(version.as_ptr()) })
}

/// The state of the device at that place of the bus; what NVML does not know stays empty.
pub(super) fn state(bus_id: &str) -> DeviceState {
    Device::at(bus_id).map(|device| device.state()).unwrap_or_default()
}

/// Whether the device is split into parts (MIG).
pub(super) fn is_split(bus_id: &str) -> bool {
    let mut pending = 0;
    let mode = |device: Device| number!(device, "nvmlDeviceGetMigMode", c_uint, pending & raw mut pending);
    Device::at(bus_id).and_then(mode) == Some(1)
}

/// A device as NVML knows it.
struct Device {
    nvml: &'static SharedObject,
    handle: *mut c_void,
}

impl Device {
    fn at(bus_id: &str) -> Option<Self> {
        let (nvml, bus_id) = (nvml().ok()?, CString::new(bus_id).ok()?);
        let mut handle = ptr::null_mut();
        let code = call!(nvml, "nvmlDeviceGetHandleByPciBusId_v2"(
            *const c_char: bus_id.as_ptr(), *mut *mut c_void: &raw mut handle
        ) -> c_int);
        (code == Some(SUCCESS)).then_some(Self { nvml, handle })
    }

    fn state(&self) -> DeviceState {
        let hertz = |mhz: c_uint| f64::from(mhz) * 1e6;
        let mut pending = 0;
        DeviceState {
            clock_hz: number!(self, "nvmlDeviceGetClockInfo", c_uint, which CLOCK_SM).map(hertz),
            memory_clock_hz: number!(self, "nvmlDeviceGetClockInfo", c_uint, which CLOCK_MEMORY).map(hertz),
            power_w: number!(self, "nvmlDeviceGetPowerUsage", c_uint).map(|milliwatts| f64::from(milliwatts) * 1e-3),
            temperature_c: number!(self, "nvmlDeviceGetTemperature", c_uint, which SENSOR_GPU).map(f64::from),
            throttled: self.reasons().map(throttled),
            link: self.link(),
            ecc: number!(self, "nvmlDeviceGetEccMode", c_uint, pending &raw mut pending).map(|mode| mode == 1),
        }
    }

    /// Why clocks are as they are; drivers before 535 know the older name alone.
    fn reasons(&self) -> Option<u64> {
        let newer = number!(self, "nvmlDeviceGetCurrentClocksEventReasons", u64);
        newer.or_else(|| number!(self, "nvmlDeviceGetCurrentClocksThrottleReasons", u64))
    }

    fn link(&self) -> Option<PcieLink> {
        Some(PcieLink {
            generation: number!(self, "nvmlDeviceGetCurrPcieLinkGeneration", c_uint)?,
            generation_max: number!(self, "nvmlDeviceGetMaxPcieLinkGeneration", c_uint)?,
            lanes: number!(self, "nvmlDeviceGetCurrPcieLinkWidth", c_uint)?,
            lanes_max: number!(self, "nvmlDeviceGetMaxPcieLinkWidth", c_uint)?,
        })
    }
}

fn throttled(reasons: u64) -> Vec<String> {
    let held = THROTTLES.iter().filter(|(reason, _)| reasons & reason != 0);
    held.map(|(_, word)| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_device_is_not_throttled() {
        assert!(throttled(1).is_empty());
        assert_eq!(throttled(0x4 | 0x40 | 1), ["sw_power_cap", "hw_thermal_slowdown"]);
    }
}
