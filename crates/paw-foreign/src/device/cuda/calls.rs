//! The functions that the CUDA driver interface alone has, or has in this form.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_uint};

use crate::device::gpu::calls::{Address, Opaque, Ordinal, call_table};

/// `CUmemLocation`: a `CUmemLocationType`, and the number of a device or memory node.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(super) struct Location {
    pub(super) kind: c_int,
    pub(super) id: c_int,
}

call_table! {
    CudaCalls
    required {
        device_get ["cuDeviceGet"; 2] (*mut Ordinal, c_int);
        primary_ctx_retain ["cuDevicePrimaryCtxRetain"; 2] (*mut Opaque, Ordinal);
        ctx_set_current ["cuCtxSetCurrent"; 2] (Opaque);
        ctx_enable_peer_access ["cuCtxEnablePeerAccess"; 2] (Opaque, c_uint);
        memcpy_peer ["cuMemcpyPeerAsync"; 2] (Address, Opaque, Address, Opaque, usize, Opaque);
    }
    optional {
        func_set_attribute ["cuFuncSetAttribute"; 2] (Opaque, c_int, c_int);
        module_get_loading_mode ["cuModuleGetLoadingMode"; 2] (*mut c_int);
        device_get_uuid_v2 ["cuDeviceGetUuid_v2"; 2] (*mut [u8; 16], Ordinal);
        mem_alloc_managed ["cuMemAllocManaged"; 2] (*mut Address, usize, c_uint);
        mem_prefetch_async ["cuMemPrefetchAsync"; 2] (Address, usize, Ordinal, Opaque);
        mem_prefetch_async_v2 ["cuMemPrefetchAsync_v2"; 2] (Address, usize, Location, c_uint, Opaque);
    }
}
