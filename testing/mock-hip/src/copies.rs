//! Calls that copy and fill.
// The names are HIP's.
#![allow(non_snake_case)]
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};

use mock_device::copies;

use crate::runtime::{SUCCESS, known, told};

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyHtoDAsync(to: u64, from: *const c_void, bytes: usize, stream: usize) -> c_int {
    copies::copy_in(stream, to as usize, from as usize, bytes).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyDtoHAsync(to: *mut c_void, from: u64, bytes: usize, stream: usize) -> c_int {
    copies::copy_out(stream, to as usize, from as usize, bytes).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyDtoDAsync(to: u64, from: u64, bytes: usize, stream: usize) -> c_int {
    copies::copy_within(stream, to as usize, from as usize, bytes).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn hipMemcpyPeerAsync(
    to: u64,
    to_device: c_int,
    from: u64,
    from_device: c_int,
    bytes: usize,
    stream: usize,
) -> c_int {
    let (to, from) = ((to as usize, known(to_device)), (from as usize, known(from_device)));
    copies::copy_peer(stream, to, from, bytes).map_or_else(told, |()| SUCCESS)
}

#[unsafe(no_mangle)]
extern "C" fn hipMemsetD8Async(to: u64, byte: u8, bytes: usize, stream: usize) -> c_int {
    copies::fill(stream, to as usize, byte, bytes).map_or_else(told, |()| SUCCESS)
}
