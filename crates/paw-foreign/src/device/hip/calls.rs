//! The functions of the HIP run-time interface that are called, as a table of addresses (hip_runtime_api.h, ROCm 5.2 to 7).
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_void};

pub(super) use crate::device::calls::{Address, Opaque, Ordinal, call, call_if_there};

crate::device::calls::driver_calls! {
    required {
        init "hipInit" (c_uint);
        runtime_get_version "hipRuntimeGetVersion" (*mut c_int);
        device_get_count "hipGetDeviceCount" (*mut c_int);
        device_get_name "hipDeviceGetName" (*mut c_char, c_int, Ordinal);
        device_total_mem "hipDeviceTotalMem" (*mut usize, Ordinal);
        device_get_attribute "hipDeviceGetAttribute" (*mut c_int, c_int, Ordinal);
        device_get_pci_bus_id "hipDeviceGetPCIBusId" (*mut c_char, c_int, Ordinal);
        device_can_access_peer "hipDeviceCanAccessPeer" (*mut c_int, Ordinal, Ordinal);
        device_enable_peer_access "hipDeviceEnablePeerAccess" (Ordinal, c_uint);
        set_device "hipSetDevice" (Ordinal);
        device_synchronize "hipDeviceSynchronize" ();
        mem_alloc "hipMalloc" (*mut Address, usize);
        mem_free "hipFree" (Address);
        mem_host_alloc "hipHostMalloc" (*mut *mut c_void, usize, c_uint);
        mem_free_host "hipHostFree" (*mut c_void);
        mem_host_register "hipHostRegister" (*mut c_void, usize, c_uint);
        mem_host_unregister "hipHostUnregister" (*mut c_void);
        mem_host_get_device_pointer "hipHostGetDevicePointer" (*mut Address, *mut c_void, c_uint);
        memcpy_in "hipMemcpyHtoDAsync" (Address, *const c_void, usize, Opaque);
        memcpy_out "hipMemcpyDtoHAsync" (*mut c_void, Address, usize, Opaque);
        memcpy_within "hipMemcpyDtoDAsync" (Address, Address, usize, Opaque);
        memcpy_peer "hipMemcpyPeerAsync" (Address, Ordinal, Address, Ordinal, usize, Opaque);
        memset "hipMemsetD8Async" (Address, u8, usize, Opaque);
        stream_create "hipStreamCreateWithFlags" (*mut Opaque, c_uint);
        stream_synchronize "hipStreamSynchronize" (Opaque);
        stream_destroy "hipStreamDestroy" (Opaque);
        event_create "hipEventCreateWithFlags" (*mut Opaque, c_uint);
        event_record "hipEventRecord" (Opaque, Opaque);
        event_elapsed_time "hipEventElapsedTime" (*mut f32, Opaque, Opaque);
        module_load_data "hipModuleLoadData" (*mut Opaque, *const c_void);
        module_unload "hipModuleUnload" (Opaque);
        module_get_function "hipModuleGetFunction" (*mut Opaque, Opaque, *const c_char);
        func_get_attribute "hipFuncGetAttribute" (*mut c_int, c_int, Opaque);
        occupancy "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor" (*mut c_int, Opaque, c_int, usize);
        launch_kernel "hipModuleLaunchKernel" (
            Opaque, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Opaque, *mut *mut c_void, *mut *mut c_void
        );
    }
    optional {
        device_get_uuid "hipDeviceGetUuid" (*mut [u8; 16], Ordinal);
        mem_alloc_async "hipMallocAsync" (*mut Address, usize, Opaque);
        mem_free_async "hipFreeAsync" (Address, Opaque);
        device_get_default_mem_pool "hipDeviceGetDefaultMemPool" (*mut Opaque, Ordinal);
        mem_pool_set_attribute "hipMemPoolSetAttribute" (Opaque, c_int, *mut c_void);
        properties_5 "hipGetDeviceProperties" (*mut c_void, Ordinal);
        properties_6 "hipGetDevicePropertiesR0600" (*mut c_void, Ordinal);
    }
}
