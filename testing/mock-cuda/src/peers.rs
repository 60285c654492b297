//! Calls on the memory of peers.
#![allow(unsafe_code)]
// The names are CUDA's.
#![allow(non_snake_case)]

use std::ffi::{c_int, c_uint};

use mock_device::peers::{enable, reaches};

use crate::driver::{INVALID_CONTEXT, INVALID_DEVICE, INVALID_VALUE, SUCCESS, answer, current, device_of, known};

const PEER_ACCESS_UNSUPPORTED: c_int = 217;
const PEER_ACCESS_ALREADY_ENABLED: c_int = 704;

#[unsafe(no_mangle)]
extern "C" fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) -> c_int {
    match (known(device), known(peer)) {
        (Some(device), Some(peer)) => answer(can, c_int::from(reaches(device, peer))),
        _ => INVALID_DEVICE,
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxEnablePeerAccess(context: usize, flags: c_uint) -> c_int {
    let (device, peer) = match (current(), device_of(context)) {
        (Ok(device), Some(peer)) if device != peer => (device, peer),
        (Err(code), _) => return code,
        _ => return INVALID_CONTEXT,
    };
    if flags != 0 {
        return INVALID_VALUE;
    }
    if !reaches(device, peer) {
        return PEER_ACCESS_UNSUPPORTED;
    }
    if enable(device, peer) { SUCCESS } else { PEER_ACCESS_ALREADY_ENABLED }
}
