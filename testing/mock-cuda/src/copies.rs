//! Calls that copy and fill.
// The names are CUDA's.
#![allow(non_snake_case)]
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use mock_device::copies;

use crate::driver::{SUCCESS, device_of, told};

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: usize) -> c_int {
    copies::copy_in(stream, to as usize, from as usize, bytes).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: usize) -> c_int {
    copies::copy_out(stream, to as usize, from as usize, bytes).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) -> c_int {
    copies::copy_within(stream, to as usize, from as usize, bytes).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyPeerAsync(
    to: u64,
    to_context: usize,
    from: u64,
    from_context: usize,
    bytes: usize,
    stream: usize,
) -> c_int {
    let (to, from) = ((to as usize, device_of(to_context)), (from as usize, device_of(from_context)));
    copies::copy_peer(stream, to, from, bytes).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8Async(to: u64, byte: u8, bytes: usize, stream: usize) -> c_int {
    copies::fill(stream, to as usize, byte, bytes).map_or_else(told, |()| SUCCESS)
}
