//! Calls on managed memory.
#![allow(unsafe_code)]
// The names are CUDA's.
#![allow(non_snake_case)]

use std::ffi::{c_int, c_uint};

use mock_device::{managed, memory};

use crate::driver::{INVALID_DEVICE, INVALID_VALUE, SUCCESS, answer, config, current, known, told, version};

/// `CU_DEVICE_CPU`.
const HOST: c_int = -1;
/// The version of CUDA from which on drivers have `cuMemPrefetchAsync_v2`.
const HAS_V2: c_int = 12020;
const NOT_SUPPORTED: c_int = 801;

#[unsafe(no_mangle)]
extern "C" fn cuMemAllocManaged(to: *mut u64, bytes: usize, flags: c_uint) -> c_int {
    if let Err(code) = current() {
        return code;
    }
    if bytes == 0 || !matches!(flags, 1 | 2) {
        return INVALID_VALUE;
    }
    memory::managed_allocate(bytes).map_or_else(told, |address| answer(to, address as u64))
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPrefetchAsync(address: u64, bytes: usize, device: c_int, stream: usize) -> c_int {
    if device != HOST && (known(device).is_none() || !config().managed) {
        return INVALID_DEVICE;
    }
    let Ok(here) = current() else { return INVALID_DEVICE };
    managed::prefetch((stream, here), (address as usize, bytes), known(device)).map_or_else(told, |()| SUCCESS)
}

/// `CUmemLocation`.
#[repr(C)]
struct Location {
    kind: c_int,
    id: c_int,
}

#[unsafe(no_mangle)]
extern "C" fn cuMemPrefetchAsync_v2(
    address: u64,
    bytes: usize,
    location: Location,
    flags: c_uint,
    stream: usize,
) -> c_int {
    match location {
        _ if version() < HAS_V2 => NOT_SUPPORTED,
        _ if flags != 0 => INVALID_VALUE,
        Location { kind: 1, id } => cuMemPrefetchAsync(address, bytes, id, stream),
        Location { kind: 2, .. } => cuMemPrefetchAsync(address, bytes, HOST, stream),
        _ => INVALID_VALUE,
    }
}
