//! NVML on links beside PCIe: NVLinks from each device to each other one or to a switch, and C2C links to the host.
#![allow(unsafe_code)]
// The names are NVML's.
#![allow(non_snake_case)]

use std::ffi::{c_char, c_int, c_uint};

use crate::driver::{bus_of, config};
use crate::nvml::{INVALID_ARGUMENT, NOT_SUPPORTED, SUCCESS, answer};

/// What NVML tells of a link of Hopper, and of a C2C link of Grace Hopper, in 10⁶ bytes a second.
const NVLINK_MBPS: c_uint = 26_562;
const C2C_MBPS: c_uint = 44_712;

/// What a link leads to: a device, or a switch.
fn remote(device: usize, link: c_uint) -> Result<Option<usize>, c_int> {
    let config = config();
    match config.nvlinks {
        0 => Err(NOT_SUPPORTED),
        links if config.nvswitch => {
            if link < links {
                Ok(None)
            } else {
                Err(INVALID_ARGUMENT)
            }
        }
        links => {
            let other = (link / links) as usize;
            // Its own number is left out.
            let other = other + usize::from(other + 1 >= device);
            if other < config.devices { Ok(Some(other)) } else { Err(INVALID_ARGUMENT) }
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetNvLinkState(device: usize, link: c_uint, active: *mut c_uint) -> c_int {
    remote(device, link).map_or_else(|code| code, |_| answer(active, 1))
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetNvLinkRemoteDeviceType(device: usize, link: c_uint, kind: *mut c_uint) -> c_int {
    remote(device, link).map_or_else(|code| code, |other| answer(kind, if other.is_some() { 0 } else { 2 }))
}

/// `nvmlPciInfo_t`.
#[repr(C)]
// Callers read it.
#[allow(dead_code)]
struct PciInfo {
    legacy: [c_char; 16],
    domain: c_uint,
    bus: c_uint,
    device: c_uint,
    product: c_uint,
    subsystem: c_uint,
    id: [c_char; 32],
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetNvLinkRemotePciInfo_v2(device: usize, link: c_uint, to: *mut PciInfo) -> c_int {
    let info = |bus| PciInfo { legacy: [0; 16], domain: 0, bus, device: 0, product: 0, subsystem: 0, id: [0; 32] };
    match remote(device, link) {
        Ok(Some(other)) => answer(to, info(bus_of(other))),
        Ok(None) => answer(to, info(0xff)),
        Err(code) => code,
    }
}

/// `nvmlFieldValue_t`; its value is an unsigned integer here.
#[repr(C)]
// Callers read it.
#[allow(dead_code)]
struct FieldValue {
    field: c_uint,
    scope: c_uint,
    timestamp: i64,
    latency_us: i64,
    kind: c_uint,
    code: c_int,
    value: u64,
}

fn field(device: usize, field: c_uint, scope: c_uint) -> Result<c_uint, c_int> {
    let config = config();
    match field {
        164 => remote(device, scope).map(|_| NVLINK_MBPS),
        170..=172 if !config.knows_c2c => Err(INVALID_ARGUMENT),
        170..=172 if config.c2c_links == 0 => Err(NOT_SUPPORTED),
        170 => Ok(config.c2c_links),
        171 | 172 if scope >= config.c2c_links => Err(INVALID_ARGUMENT),
        171 => Ok(1),
        172 => Ok(C2C_MBPS),
        _ => Err(NOT_SUPPORTED),
    }
}

#[unsafe(no_mangle)]
extern "C" fn nvmlDeviceGetFieldValues(device: usize, count: c_int, values: *mut FieldValue) -> c_int {
    if values.is_null() || count < 1 {
        return INVALID_ARGUMENT;
    }
    for place in 0..count as usize {
        // SAFETY: the caller hands over that many.
        let value = unsafe { &mut *values.add(place) };
        value.kind = 1;
        match field(device, value.field, value.scope) {
            Ok(found) => (value.code, value.value) = (SUCCESS, u64::from(found)),
            Err(code) => value.code = code,
        }
    }
    SUCCESS
}
