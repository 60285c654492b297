//! The functions of the CUDA driver interface that are called, as a table of addresses.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_void};

pub(super) use crate::device::calls::{Address, Opaque, Ordinal, call, call_if_there};

/// `CUmemLocation`: a `CUmemLocationType`, and the number of a device or memory node.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(super) struct Location {
    pub(super) kind: c_int,
    pub(super) id: c_int,
}

crate::device::calls::driver_calls! {
    required {
        init "cuInit" (c_uint);
        driver_get_version "cuDriverGetVersion" (*mut c_int);
        get_error_name "cuGetErrorName" (c_int, *mut *const c_char);
        device_get_count "cuDeviceGetCount" (*mut c_int);
        device_get "cuDeviceGet" (*mut Ordinal, c_int);
        device_get_name "cuDeviceGetName" (*mut c_char, c_int, Ordinal);
        device_total_mem "cuDeviceTotalMem_v2" (*mut usize, Ordinal);
        device_get_attribute "cuDeviceGetAttribute" (*mut c_int, c_int, Ordinal);
        device_get_pci_bus_id "cuDeviceGetPCIBusId" (*mut c_char, c_int, Ordinal);
        device_can_access_peer "cuDeviceCanAccessPeer" (*mut c_int, Ordinal, Ordinal);
        primary_ctx_retain "cuDevicePrimaryCtxRetain" (*mut Opaque, Ordinal);
        ctx_set_current "cuCtxSetCurrent" (Opaque);
        ctx_synchronize "cuCtxSynchronize" ();
        ctx_enable_peer_access "cuCtxEnablePeerAccess" (Opaque, c_uint);
        mem_alloc "cuMemAlloc_v2" (*mut Address, usize);
        mem_free "cuMemFree_v2" (Address);
        mem_host_alloc "cuMemHostAlloc" (*mut *mut c_void, usize, c_uint);
        mem_free_host "cuMemFreeHost" (*mut c_void);
        mem_host_register "cuMemHostRegister_v2" (*mut c_void, usize, c_uint);
        mem_host_unregister "cuMemHostUnregister" (*mut c_void);
        mem_host_get_device_pointer "cuMemHostGetDevicePointer_v2" (*mut Address, *mut c_void, c_uint);
        memcpy_in "cuMemcpyHtoDAsync_v2" (Address, *const c_void, usize, Opaque);
        memcpy_out "cuMemcpyDtoHAsync_v2" (*mut c_void, Address, usize, Opaque);
        memcpy_within "cuMemcpyDtoDAsync_v2" (Address, Address, usize, Opaque);
        memcpy_peer "cuMemcpyPeerAsync" (Address, Opaque, Address, Opaque, usize, Opaque);
        memset "cuMemsetD8Async" (Address, u8, usize, Opaque);
        stream_create "cuStreamCreate" (*mut Opaque, c_uint);
        stream_synchronize "cuStreamSynchronize" (Opaque);
        stream_destroy "cuStreamDestroy_v2" (Opaque);
        event_create "cuEventCreate" (*mut Opaque, c_uint);
        event_record "cuEventRecord" (Opaque, Opaque);
        event_elapsed_time "cuEventElapsedTime" (*mut f32, Opaque, Opaque);
        module_load_data "cuModuleLoadData" (*mut Opaque, *const c_void);
        module_unload "cuModuleUnload" (Opaque);
        module_get_function "cuModuleGetFunction" (*mut Opaque, Opaque, *const c_char);
        func_get_attribute "cuFuncGetAttribute" (*mut c_int, c_int, Opaque);
        occupancy "cuOccupancyMaxActiveBlocksPerMultiprocessor" (*mut c_int, Opaque, c_int, usize);
        launch_kernel "cuLaunchKernel" (
            Opaque, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Opaque, *mut *mut c_void, *mut *mut c_void
        );
    }
    optional {
        func_set_attribute "cuFuncSetAttribute" (Opaque, c_int, c_int);
        module_get_loading_mode "cuModuleGetLoadingMode" (*mut c_int);
        device_get_uuid "cuDeviceGetUuid" (*mut [u8; 16], Ordinal);
        device_get_uuid_v2 "cuDeviceGetUuid_v2" (*mut [u8; 16], Ordinal);
        mem_alloc_async "cuMemAllocAsync" (*mut Address, usize, Opaque);
        mem_free_async "cuMemFreeAsync" (Address, Opaque);
        mem_alloc_managed "cuMemAllocManaged" (*mut Address, usize, c_uint);
        mem_prefetch_async "cuMemPrefetchAsync" (Address, usize, Ordinal, Opaque);
        mem_prefetch_async_v2 "cuMemPrefetchAsync_v2" (Address, usize, Location, c_uint, Opaque);
        device_get_default_mem_pool "cuDeviceGetDefaultMemPool" (*mut Opaque, Ordinal);
        mem_pool_set_attribute "cuMemPoolSetAttribute" (Opaque, c_int, *mut c_void);
    }
}
