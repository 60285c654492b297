//! The functions that HIP's run-time interface alone has, or has in this form (hip_runtime_api.h, ROCm 5.2 to 7).
#![allow(unsafe_code)]

use std::ffi::{c_uint, c_void};

use crate::device::gpu::calls::{Address, Opaque, Ordinal, call_table};

call_table! {
    HipCalls
    required {
        set_device ["hipSetDevice"; 2] (Ordinal);
        device_enable_peer_access ["hipDeviceEnablePeerAccess"; 2] (Ordinal, c_uint);
        memcpy_peer ["hipMemcpyPeerAsync"; 2] (Address, Ordinal, Address, Ordinal, usize, Opaque);
    }
    optional {
        properties_5 ["hipGetDeviceProperties"; 2] (*mut c_void, Ordinal);
        properties_6 ["hipGetDevicePropertiesR0600"; 2] (*mut c_void, Ordinal);
    }
}
