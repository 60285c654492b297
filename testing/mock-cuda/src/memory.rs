//! Calls on memory: of devices, and of the host, page-locked or not.
// The names are CUDA's.
#![allow(non_snake_case)]
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint, c_void};

use mock_device::memory;

use crate::driver::{INVALID_VALUE, SUCCESS, answer, config, current, told};

/// `CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`.
const DEVICE_ORDINAL: c_int = 9;

#[unsafe(no_mangle)]
extern "C" fn cuMemAlloc_v2(to: *mut u64, bytes: usize) -> c_int {
    match current() {
        Ok(device) => memory::allocate(device, bytes).map_or_else(told, |address| answer(to, address as u64)),
        Err(code) => code,
    }
}

/// Everything queued on the device ends first.
#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(address: u64) -> c_int {
    match current() {
        Ok(device) => memory::free(device, address as usize).map_or_else(told, |()| SUCCESS),
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemAllocAsync(to: *mut u64, bytes: usize, _stream: usize) -> c_int {
    match current() {
        Ok(device) => memory::pool_allocate(device, bytes).map_or_else(told, |address| answer(to, address as u64)),
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeAsync(address: u64, _stream: usize) -> c_int {
    memory::pool_free(address as usize).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cuDeviceGetDefaultMemPool(pool: *mut usize, device: c_int) -> c_int {
    answer(pool, device as usize + 1)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPoolSetAttribute(pool: usize, _which: c_int, value: *mut c_void) -> c_int {
    if pool == 0 || value.is_null() { INVALID_VALUE } else { SUCCESS }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> c_int {
    let Ok(device) = current() else { return INVALID_VALUE };
    answer(free, memory::memory_left(device)).max(answer(total, config().memory_bytes))
}

/// Of the attributes, the number of the device alone.
#[unsafe(no_mangle)]
extern "C" fn cuPointerGetAttribute(to: *mut c_int, which: c_int, address: u64) -> c_int {
    match memory::device_at(address as usize, 1) {
        Some(device) if which == DEVICE_ORDINAL => answer(to, device as c_int),
        _ => INVALID_VALUE,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostAlloc(to: *mut *mut c_void, bytes: usize, _flags: c_uint) -> c_int {
    match current() {
        Ok(_) => memory::host_allocate(bytes).map_or_else(told, |address| answer(to, address as *mut c_void)),
        Err(code) => code,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFreeHost(at: *mut c_void) -> c_int {
    memory::host_free(at as usize).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostRegister_v2(at: *mut c_void, bytes: usize, _flags: c_uint) -> c_int {
    memory::register(at as usize, bytes).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostUnregister(at: *mut c_void) -> c_int {
    memory::unregister(at as usize).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemHostGetDevicePointer_v2(to: *mut u64, at: *mut c_void, _flags: c_uint) -> c_int {
    if memory::is_locked(at as usize, 1) { answer(to, at as u64) } else { INVALID_VALUE }
}
