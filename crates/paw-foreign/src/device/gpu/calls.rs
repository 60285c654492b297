//! The functions of both interfaces, as a table of addresses, and how they are called: each returns a status, and takes addresses and
//! pointers that only the library follows. HIP's are those of hip_runtime_api.h, ROCm 5.2 to 7.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_uint, c_void};

/// An address on a device: `CUdeviceptr`, `hipDeviceptr_t`.
pub(in crate::device) type Address = u64;
/// Contexts, streams, events, modules, functions, pools: pointers that only the library dereferences.
pub(in crate::device) type Opaque = *mut c_void;
/// A device, as the interface counts: `CUdevice`, `hipDevice_t`.
pub(in crate::device) type Ordinal = c_int;

/// The place of an interface's symbols in a table of both.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) enum Column {
    Cuda,
    Hip,
}

/// A function of the library, and its name for errors.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct Call<F> {
    /// Its symbol.
    pub(in crate::device) name: &'static str,
    /// Its address.
    pub(in crate::device) function: F,
}

/// Finds the address of a symbol.
pub(in crate::device) type Symbols<'a> = &'a dyn Fn(&str) -> Option<usize>;

/// Addresses of functions.
pub(in crate::device) trait CallTable: Copy {
    /// The table of a library in which symbols have these addresses; the error is the symbol that is missing.
    ///
    /// # Safety
    /// Every address must be that of the function of that name in a library of that interface.
    unsafe fn bind(column: Column, address: Symbols<'_>) -> Result<Self, &'static str>;

    /// A table of functions that do nothing and report success.
    fn null() -> Self;
}

/// A table of functions, each `field [symbols] (arguments);`: those that are required, and those that old libraries lack. A table of
/// both interfaces has two symbols of each function, one of a single interface has the same twice.
macro_rules! call_table {
    (
        $table:ident
        required { $($field:ident $symbols:tt ($($argument:ty),*);)* }
        optional { $($may:ident $may_symbols:tt ($($may_argument:ty),*);)* }
    ) => {
        /// Addresses of the functions; those that old libraries lack are optional.
        #[derive(Debug, Clone, Copy)]
        pub(in crate::device) struct $table {
            $(pub(in crate::device) $field:
                $crate::device::gpu::calls::Call<unsafe extern "C" fn($($argument),*) -> std::ffi::c_int>,)*
            $(pub(in crate::device) $may:
                $crate::device::gpu::calls::Call<Option<unsafe extern "C" fn($($may_argument),*) -> std::ffi::c_int>>,)*
        }

        impl $crate::device::gpu::calls::CallTable for $table {
            unsafe fn bind(
                column: $crate::device::gpu::calls::Column,
                address: $crate::device::gpu::calls::Symbols<'_>,
            ) -> Result<Self, &'static str> {
                let column = column as usize;
                $(let $field = address($symbols[column]).ok_or($symbols[column])?;)*
                $(let $may = address($may_symbols[column]).unwrap_or(0);)*
                Ok(Self {
                    $($field: $crate::device::gpu::calls::Call {
                        name: $symbols[column],
                        // SAFETY: an address that is not null, of a function whose signature the interface's reference gives.
                        function: unsafe {
                            std::mem::transmute::<usize, unsafe extern "C" fn($($argument),*) -> std::ffi::c_int>($field)
                        },
                    },)*
                    $($may: $crate::device::gpu::calls::Call {
                        name: $may_symbols[column],
                        // SAFETY: as above; a null address is `None`.
                        function: unsafe {
                            std::mem::transmute::<usize, Option<unsafe extern "C" fn($($may_argument),*) -> std::ffi::c_int>>($may)
                        },
                    },)*
                })
            }

            fn null() -> Self {
                $(unsafe extern "C" fn $field($(_: $argument),*) -> std::ffi::c_int { 0 })*
                $(unsafe extern "C" fn $may($(_: $may_argument),*) -> std::ffi::c_int { 0 })*
                Self {
                    $($field: $crate::device::gpu::calls::Call { name: $symbols[0], function: $field },)*
                    $($may: $crate::device::gpu::calls::Call { name: $may_symbols[0], function: Some($may) },)*
                }
            }
        }
    };
}

/// Calls a required function of the table that both interfaces have, `call!(library, mem_free(address))`, or of the interface's own,
/// `call!(library, own.set_device(ordinal))`.
///
/// The caller vouches for the arguments: handles are live ones of the library, addresses were checked against their memory, and
/// memory of what a call leaves in flight is kept.
macro_rules! call {
    ($library:expr, own.$field:ident ($($argument:expr),* $(,)?)) => {{
        let library = $library;
        let call = library.own.$field;
        // SAFETY: the address is that of the function of this name, which has this signature; arguments as required above.
        let code = unsafe { (call.function)($($argument),*) };
        if code == 0 { Ok(()) } else { Err(library.failed(call.name, code)) }
    }};
    ($library:expr, $field:ident ($($argument:expr),* $(,)?)) => {{
        let library = $library;
        let call = library.calls.$field;
        // SAFETY: the address is that of the function of this name, which has this signature; arguments as required above.
        let code = unsafe { (call.function)($($argument),*) };
        if code == 0 { Ok(()) } else { Err(library.failed(call.name, code)) }
    }};
}

/// Calls a function that not every library has: `call_if_there!(library, calls.mem_free_async(address, stream))`.
macro_rules! call_if_there {
    ($library:expr, $table:ident.$field:ident ($($argument:expr),* $(,)?)) => {{
        let library = $library;
        let call = library.$table.$field;
        match call.function {
            Some(function) => {
                // SAFETY: as in `call!`.
                let code = unsafe { function($($argument),*) };
                if code == 0 { Ok(()) } else { Err(library.failed(call.name, code)) }
            }
            None => Err(library.absent(call.name)),
        }
    }};
}

pub(in crate::device) use {call, call_if_there, call_table};

call_table! {
    Calls
    required {
        init ["cuInit", "hipInit"] (c_uint);
        version ["cuDriverGetVersion", "hipRuntimeGetVersion"] (*mut c_int);
        device_get_count ["cuDeviceGetCount", "hipGetDeviceCount"] (*mut c_int);
        device_get_name ["cuDeviceGetName", "hipDeviceGetName"] (*mut c_char, c_int, Ordinal);
        device_total_mem ["cuDeviceTotalMem_v2", "hipDeviceTotalMem"] (*mut usize, Ordinal);
        device_get_attribute ["cuDeviceGetAttribute", "hipDeviceGetAttribute"] (*mut c_int, c_int, Ordinal);
        device_get_pci_bus_id ["cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId"] (*mut c_char, c_int, Ordinal);
        device_can_access_peer ["cuDeviceCanAccessPeer", "hipDeviceCanAccessPeer"] (*mut c_int, Ordinal, Ordinal);
        synchronize ["cuCtxSynchronize", "hipDeviceSynchronize"] ();
        mem_alloc ["cuMemAlloc_v2", "hipMalloc"] (*mut Address, usize);
        mem_free ["cuMemFree_v2", "hipFree"] (Address);
        mem_host_alloc ["cuMemHostAlloc", "hipHostMalloc"] (*mut *mut c_void, usize, c_uint);
        mem_free_host ["cuMemFreeHost", "hipHostFree"] (*mut c_void);
        mem_host_register ["cuMemHostRegister_v2", "hipHostRegister"] (*mut c_void, usize, c_uint);
        mem_host_unregister ["cuMemHostUnregister", "hipHostUnregister"] (*mut c_void);
        mem_host_get_device_pointer ["cuMemHostGetDevicePointer_v2", "hipHostGetDevicePointer"] (*mut Address, *mut c_void, c_uint);
        memcpy_in ["cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync"] (Address, *const c_void, usize, Opaque);
        memcpy_out ["cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync"] (*mut c_void, Address, usize, Opaque);
        memcpy_within ["cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync"] (Address, Address, usize, Opaque);
        memset ["cuMemsetD8Async", "hipMemsetD8Async"] (Address, u8, usize, Opaque);
        stream_create ["cuStreamCreate", "hipStreamCreateWithFlags"] (*mut Opaque, c_uint);
        stream_synchronize ["cuStreamSynchronize", "hipStreamSynchronize"] (Opaque);
        stream_destroy ["cuStreamDestroy_v2", "hipStreamDestroy"] (Opaque);
        event_create ["cuEventCreate", "hipEventCreateWithFlags"] (*mut Opaque, c_uint);
        event_record ["cuEventRecord", "hipEventRecord"] (Opaque, Opaque);
        event_elapsed_time ["cuEventElapsedTime", "hipEventElapsedTime"] (*mut f32, Opaque, Opaque);
        module_load_data ["cuModuleLoadData", "hipModuleLoadData"] (*mut Opaque, *const c_void);
        module_unload ["cuModuleUnload", "hipModuleUnload"] (Opaque);
        module_get_function ["cuModuleGetFunction", "hipModuleGetFunction"] (*mut Opaque, Opaque, *const c_char);
        func_get_attribute ["cuFuncGetAttribute", "hipFuncGetAttribute"] (*mut c_int, c_int, Opaque);
        occupancy ["cuOccupancyMaxActiveBlocksPerMultiprocessor", "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"] (
            *mut c_int, Opaque, c_int, usize
        );
        launch_kernel ["cuLaunchKernel", "hipModuleLaunchKernel"] (
            Opaque, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Opaque, *mut *mut c_void, *mut *mut c_void
        );
    }
    optional {
        device_get_uuid ["cuDeviceGetUuid", "hipDeviceGetUuid"] (*mut [u8; 16], Ordinal);
        mem_alloc_async ["cuMemAllocAsync", "hipMallocAsync"] (*mut Address, usize, Opaque);
        mem_free_async ["cuMemFreeAsync", "hipFreeAsync"] (Address, Opaque);
        device_get_default_mem_pool ["cuDeviceGetDefaultMemPool", "hipDeviceGetDefaultMemPool"] (*mut Opaque, Ordinal);
        mem_pool_set_attribute ["cuMemPoolSetAttribute", "hipMemPoolSetAttribute"] (Opaque, c_int, *mut c_void);
    }
}
