//! Memory of devices and of the host.
#![allow(unsafe_code)]
// The names are Level Zero's.
#![allow(non_snake_case)]

use std::ffi::{CStr, c_int, c_void};

use mock_device::memory;

use crate::api::{
    Answer, INVALID_ARGUMENT, UNSUPPORTED_SIZE, config, context, described, device, driver, result, told, write,
};
use crate::devices::Head;

#[repr(C)]
#[derive(Clone, Copy)]
struct DeviceDesc {
    head: Head,
    flags: u32,
    ordinal: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct HostDesc {
    head: Head,
    flags: u32,
}

/// A size between nothing and half of a device's memory, and an alignment that is a power of two.
fn sized(bytes: usize, align: usize) -> Answer {
    if bytes == 0 || bytes > config().memory_bytes / 2 {
        return Err(UNSUPPORTED_SIZE);
    }
    if align == 0 || align.is_power_of_two() { Ok(()) } else { Err(crate::api::INVALID_SIZE) }
}

#[unsafe(no_mangle)]
extern "C" fn zeMemAllocDevice(
    handle: usize,
    desc: *const c_void,
    bytes: usize,
    align: usize,
    of: usize,
    to: *mut usize,
) -> c_int {
    result(context(handle).and_then(|()| {
        let device = device(of)?;
        let desc: DeviceDesc = described(desc.cast(), 0x15)?;
        if desc.ordinal > 0 {
            return Err(INVALID_ARGUMENT);
        }
        sized(bytes, align)?;
        write(to, memory::allocate(device, bytes).map_err(told)?)
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeMemAllocHost(handle: usize, desc: *const c_void, bytes: usize, align: usize, to: *mut usize) -> c_int {
    result(context(handle).and_then(|()| {
        described::<HostDesc>(desc.cast(), 0x16)?;
        sized(bytes, align)?;
        write(to, memory::host_allocate(bytes).map_err(told)?)
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeMemFree(handle: usize, at: usize) -> c_int {
    let device = memory::device_at(at, 0);
    result(
        context(handle).and_then(|()| {
            device.map_or_else(|| memory::host_free(at), |device| memory::free(device, at)).map_err(told)
        }),
    )
}

extern "C" fn import(handle: usize, at: usize, bytes: usize) -> c_int {
    result(driver(handle).and_then(|()| memory::register(at, bytes).map_err(told)))
}

extern "C" fn release(handle: usize, at: usize) -> c_int {
    result(driver(handle).and_then(|()| memory::unregister(at).map_err(told)))
}

/// The driver's functions beyond the interface; none where the environment says so.
pub(crate) fn extension(name: &CStr) -> Option<*mut c_void> {
    if std::env::var_os("MOCK_LEVEL_ZERO_NO_EXTENSION").is_some() {
        return None;
    }
    match name.to_bytes() {
        b"zexDriverImportExternalPointer" => Some(import as *mut c_void),
        b"zexDriverReleaseImportedPointer" => Some(release as *mut c_void),
        _ => None,
    }
}
