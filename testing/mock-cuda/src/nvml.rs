//! NVML: a device that is well connected, and cool and fast until it has computed too much.
#![allow(unsafe_code)]
// The names are NVML's.
#![allow(non_snake_case)]

use std::ffi::{CStr, c_char, c_int, c_uint};

use mock_device::heat;

use crate::driver::{bus_id, config};

pub(crate) const SUCCESS: c_int = 0;
pub(crate) const INVALID_ARGUMENT: c_int = 2;
pub(crate) const NOT_SUPPORTED: c_int = 3;
const NOT_FOUND: c_int = 6;

/// Writes an answer to where the caller wants it.
pub(crate) fn answer<T>(to: *mut T, value: T) -> c_int {
    if to.is_null() {
        return INVALID_ARGUMENT;
    }
    // SAFETY: callers hand over a place for the answer.
    unsafe { to.write(value) };
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn nvmlInit_v2() -> c_int {
    config().nvml_init_error
}

#[unsafe(no_mangle)]
extern "C" fn nvmlErrorString(_code: c_int) -> *const c_char {
    c"a refusal of the mock".as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn nvmlSystemGetDriverVersion(to: *mut c_char, room: c_uint) -> c_int {
    let version = c"550.54.15".to_bytes_with_nul();
    if to.is_null() || (room as usize) < version.len() {
        return INVALID_ARGUMENT;
    }
    // SAFETY: there is room for as many bytes.
    unsafe { to.cast::<u8>().copy_from_nonoverlapping(version.as_ptr(), version.len()) };
    SUCCESS
}

/// A device is its number, from 1.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetHandleByPciBusId_v2(id: *const c_char, device: *mut usize) -> c_int {
    // SAFETY: callers hand over a C string.
    let id = unsafe { CStr::from_ptr(id) }.to_string_lossy();
    let found = (0..config().devices).find(|device| bus_id(*device).eq_ignore_ascii_case(&id));
    found.map_or(NOT_FOUND, |found| answer(device, found + 1))
}

/// Whether the device of that handle is too hot.
fn is_hot(device: usize) -> bool {
    heat::is_hot(device.wrapping_sub(1))
}

/// Graphics, SM, memory, video, in MHz.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetClockInfo(device: usize, which: c_uint, mhz: *mut c_uint) -> c_int {
    let Some(clock) = [1410, 1410, 2619, 1275].get(which as usize) else { return INVALID_ARGUMENT };
    let is_slowed = which < 2 && is_hot(device);
    answer(mhz, if is_slowed { (f64::from(*clock) * config().hot_speed) as c_uint } else { *clock })
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetPowerUsage(device: usize, milliwatts: *mut c_uint) -> c_int {
    answer(milliwatts, if is_hot(device) { 350_000 } else { 121_500 })
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetTemperature(device: usize, _sensor: c_uint, celsius: *mut c_uint) -> c_int {
    answer(celsius, if is_hot(device) { 88 } else { 41 })
}

/// `nvmlClocksEventReasonSwThermalSlowdown`.
const HOT: u64 = 0x20;

/// The name since driver 535; drivers of 13.x still have the older one too.
#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCurrentClocksEventReasons(device: usize, reasons: *mut u64) -> c_int {
    answer(reasons, config().throttle | if is_hot(device) { HOT } else { 0 })
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCurrPcieLinkGeneration(_device: usize, to: *mut c_uint) -> c_int {
    answer(to, config().link_generation)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMaxPcieLinkGeneration(_device: usize, to: *mut c_uint) -> c_int {
    answer(to, 4)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetCurrPcieLinkWidth(_device: usize, to: *mut c_uint) -> c_int {
    answer(to, 16)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMaxPcieLinkWidth(_device: usize, to: *mut c_uint) -> c_int {
    answer(to, 16)
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetEccMode(_device: usize, current: *mut c_uint, pending: *mut c_uint) -> c_int {
    answer(current, 1).max(answer(pending, 1))
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetMigMode(_device: usize, _current: *mut c_uint, _pending: *mut c_uint) -> c_int {
    NOT_SUPPORTED
}
