//! Calls on memory: of devices, and of the host, page-locked or not.
// The names are HIP's.
#![allow(non_snake_case)]
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_void};

use mock_device::{memory, world};

use crate::runtime::{
    ALREADY_REGISTERED, INVALID_DEVICE, INVALID_HANDLE, INVALID_VALUE, NOT_REGISTERED, SUCCESS, answer, current, known,
    told,
};

/// `HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL`.
const DEVICE_ORDINAL: c_int = 9;

#[unsafe(no_mangle)]
extern "C" fn hipMalloc(to: *mut u64, bytes: usize) -> c_int {
    match current() {
        Ok(device) => memory::allocate(device, bytes).map_or_else(told, |address| answer(to, address as u64)),
        Err(code) => code,
    }
}

/// Everything queued on the device ends first.
#[unsafe(no_mangle)]
extern "C" fn hipFree(address: u64) -> c_int {
    match current() {
        Ok(device) => memory::free(device, address as usize).map_or_else(told, |()| SUCCESS),
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
extern "C" fn hipMallocAsync(to: *mut u64, bytes: usize, stream: usize) -> c_int {
    match world(|world| world.device(stream)) {
        Some(device) => memory::pool_allocate(device, bytes).map_or_else(told, |address| answer(to, address as u64)),
        None => INVALID_HANDLE,
    }
}

#[unsafe(no_mangle)]
extern "C" fn hipFreeAsync(address: u64, stream: usize) -> c_int {
    if world(|world| world.device(stream)).is_none() {
        return INVALID_HANDLE;
    }
    memory::pool_free(address as usize).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn hipDeviceGetDefaultMemPool(pool: *mut usize, device: c_int) -> c_int {
    known(device).map_or(INVALID_DEVICE, |device| answer(pool, device + 1))
}

#[unsafe(no_mangle)]
extern "C" fn hipMemPoolSetAttribute(pool: usize, _which: c_int, value: *mut c_void) -> c_int {
    if pool == 0 || value.is_null() { INVALID_VALUE } else { SUCCESS }
}

/// Of the attributes, the number of the device alone.
#[unsafe(no_mangle)]
extern "C" fn hipPointerGetAttribute(to: *mut c_int, which: c_int, address: u64) -> c_int {
    match memory::device_at(address as usize, 1) {
        Some(device) if which == DEVICE_ORDINAL => answer(to, device as c_int),
        _ => INVALID_VALUE,
    }
}

#[unsafe(no_mangle)]
extern "C" fn hipHostMalloc(to: *mut *mut c_void, bytes: usize, _flags: c_uint) -> c_int {
    match current() {
        Ok(_) => memory::host_allocate(bytes).map_or_else(told, |address| answer(to, address as *mut c_void)),
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
extern "C" fn hipHostFree(at: *mut c_void) -> c_int {
    memory::host_free(at as usize).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn hipHostRegister(at: *mut c_void, bytes: usize, _flags: c_uint) -> c_int {
    if memory::is_locked(at as usize, bytes.max(1)) {
        return ALREADY_REGISTERED;
    }
    memory::register(at as usize, bytes).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn hipHostUnregister(at: *mut c_void) -> c_int {
    memory::unregister(at as usize).map_or(NOT_REGISTERED, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn hipHostGetDevicePointer(to: *mut u64, at: *mut c_void, _flags: c_uint) -> c_int {
    if memory::is_locked(at as usize, 1) { answer(to, at as u64) } else { INVALID_VALUE }
}
