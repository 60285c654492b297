//! System management: a clock, a temperature, and energy of 150 W by the counter's own clock.
#![allow(unsafe_code)]
// The names are Level Zero's.
#![allow(non_snake_case)]

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::api::{Answer, INVALID_ARGUMENT, UNINITIALIZED, config, device, fill, list, result, write};
use crate::devices::Head;

/// Handles of the domains of all devices.
const UNITS: usize = 0x20;
const POWER: usize = 0x21;
const SENSORS: [usize; 2] = [0x22, 0x23];

#[repr(C)]
#[derive(Clone, Copy)]
struct FrequencyProperties {
    head: Head,
    kind: u32,
    others: [u32; 3],
    min: f64,
    max: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct FrequencyState {
    head: Head,
    voltage: f64,
    request: f64,
    tdp: f64,
    efficient: f64,
    actual: f64,
    throttle_reasons: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct TemperatureProperties {
    head: Head,
    kind: u32,
    others: [u32; 2],
    max: f64,
    supported: [u8; 3],
}

/// A device of system management: switched on before the start.
fn managed(handle: usize) -> Answer {
    device(handle)?;
    if std::env::var_os("ZES_ENABLE_SYSMAN").is_some_and(|value| value == "1") { Ok(()) } else { Err(UNINITIALIZED) }
}

fn is(handle: usize, wanted: &[usize]) -> Answer {
    if wanted.contains(&handle) { Ok(()) } else { Err(INVALID_ARGUMENT) }
}

#[unsafe(no_mangle)]
extern "C" fn zesDeviceEnumFrequencyDomains(handle: usize, count: *mut u32, to: *mut usize) -> c_int {
    result(managed(handle).and_then(|()| list(count, to, &[UNITS])))
}

#[unsafe(no_mangle)]
extern "C" fn zesFrequencyGetProperties(handle: usize, to: *mut c_void) -> c_int {
    result(
        is(handle, &[UNITS])
            .and_then(|()| fill(to.cast(), 0x9, |properties: &mut FrequencyProperties| properties.kind = 0)),
    )
}

#[unsafe(no_mangle)]
extern "C" fn zesFrequencyGetState(handle: usize, to: *mut c_void) -> c_int {
    let change = |state: &mut FrequencyState| {
        (state.voltage, state.actual) = (-1.0, 1410.0);
        state.throttle_reasons = config().throttle as u32;
    };
    result(is(handle, &[UNITS]).and_then(|()| fill(to.cast(), 0x1b, change)))
}

#[unsafe(no_mangle)]
extern "C" fn zesDeviceEnumPowerDomains(handle: usize, count: *mut u32, to: *mut usize) -> c_int {
    result(managed(handle).and_then(|()| list(count, to, &[POWER])))
}

#[unsafe(no_mangle)]
extern "C" fn zesPowerGetEnergyCounter(handle: usize, to: *mut [u64; 2]) -> c_int {
    static MILLISECONDS: AtomicU64 = AtomicU64::new(1);
    let now = MILLISECONDS.fetch_add(1, Ordering::Relaxed);
    result(is(handle, &[POWER]).and_then(|()| write(to, [now * 150_000, now * 1000])))
}

#[unsafe(no_mangle)]
extern "C" fn zesDeviceEnumTemperatureSensors(handle: usize, count: *mut u32, to: *mut usize) -> c_int {
    result(managed(handle).and_then(|()| list(count, to, &SENSORS)))
}

/// The first is the memory's, the second the hottest of all.
#[unsafe(no_mangle)]
extern "C" fn zesTemperatureGetProperties(handle: usize, to: *mut c_void) -> c_int {
    let kind = if handle == SENSORS[0] { 2 } else { 0 };
    let change = |properties: &mut TemperatureProperties| properties.kind = kind;
    result(is(handle, &SENSORS).and_then(|()| fill(to.cast(), 0x14, change)))
}

#[unsafe(no_mangle)]
extern "C" fn zesTemperatureGetState(handle: usize, to: *mut f64) -> c_int {
    result(is(handle, &SENSORS).and_then(|()| write(to, if handle == SENSORS[0] { 55.0 } else { 41.0 })))
}
