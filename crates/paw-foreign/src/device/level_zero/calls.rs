//! The functions of Level Zero that are called, as a table of addresses.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};

use super::structures::{
    CacheProperties, ComputeProperties, ContextDesc, DeviceMemDesc, DeviceProperties, DriverProperties, EnergyCounter,
    EventDesc, EventPoolDesc, FrequencyProperties, FrequencyState, GroupCount, HostMemDesc, InitDriverTypeDesc,
    KernelDesc, KernelProperties, KernelTimestamps, MemoryProperties, ModuleDesc, ModuleProperties, Opaque,
    PciProperties, QueueDesc, QueueGroupProperties, TemperatureProperties,
};
use crate::object::SharedObject;

/// A function of the library, and its name for errors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<F> {
    /// Its symbol.
    pub(super) name: &'static str,
    /// Its address.
    pub(super) function: F,
}

macro_rules! calls {
    (
        required { $($field:ident $symbol:literal ($($argument:ty),*);)* }
        optional { $($may:ident $may_symbol:literal ($($may_argument:ty),*);)* }
    ) => {
        /// Addresses of the functions; those that old loaders lack are optional.
        #[derive(Debug, Clone, Copy)]
        pub(super) struct Calls {
            $(pub(super) $field: Call<unsafe extern "C" fn($($argument),*) -> c_int>,)*
            $(pub(super) $may: Call<Option<unsafe extern "C" fn($($may_argument),*) -> c_int>>,)*
        }

        impl Calls {
            /// The functions of `object`; the error is the symbol that is missing.
            pub(super) fn of(object: &SharedObject) -> Result<Self, &'static str> {
                Ok(Self {
                    $($field: Call {
                        name: $symbol,
                        // SAFETY: the type is the prototype of that name in ze_api.h or zes_api.h v1.4-r1.4.8.
                        function: unsafe { object.function($symbol) }.ok_or($symbol)?,
                    },)*
                    $($may: Call {
                        name: $may_symbol,
                        // SAFETY: as above, or of the version that the table says.
                        function: unsafe { object.function($may_symbol) },
                    },)*
                })
            }
        }
    };
}

// Handles in the order of the prototypes: drivers, devices, contexts, lists, events, modules and kernels are all `Opaque`.
calls! {
    required {
        init "zeInit" (u32);
        driver_get "zeDriverGet" (*mut u32, *mut Opaque);
        driver_api_version "zeDriverGetApiVersion" (Opaque, *mut u32);
        driver_properties "zeDriverGetProperties" (Opaque, *mut DriverProperties);
        driver_extension "zeDriverGetExtensionFunctionAddress" (Opaque, *const c_char, *mut *mut c_void);
        device_get "zeDeviceGet" (Opaque, *mut u32, *mut Opaque);
        device_properties "zeDeviceGetProperties" (Opaque, *mut DeviceProperties);
        device_compute_properties "zeDeviceGetComputeProperties" (Opaque, *mut ComputeProperties);
        device_module_properties "zeDeviceGetModuleProperties" (Opaque, *mut ModuleProperties);
        device_queue_groups "zeDeviceGetCommandQueueGroupProperties" (Opaque, *mut u32, *mut QueueGroupProperties);
        device_memories "zeDeviceGetMemoryProperties" (Opaque, *mut u32, *mut MemoryProperties);
        device_caches "zeDeviceGetCacheProperties" (Opaque, *mut u32, *mut CacheProperties);
        device_can_access_peer "zeDeviceCanAccessPeer" (Opaque, Opaque, *mut u8);
        context_create "zeContextCreate" (Opaque, *const ContextDesc, *mut Opaque);
        context_destroy "zeContextDestroy" (Opaque);
        list_create_immediate "zeCommandListCreateImmediate" (Opaque, Opaque, *const QueueDesc, *mut Opaque);
        list_destroy "zeCommandListDestroy" (Opaque);
        append_barrier "zeCommandListAppendBarrier" (Opaque, Opaque, u32, *const Opaque);
        append_wait "zeCommandListAppendWaitOnEvents" (Opaque, u32, *const Opaque);
        append_copy "zeCommandListAppendMemoryCopy" (
            Opaque, *mut c_void, *const c_void, usize, Opaque, u32, *const Opaque
        );
        append_fill "zeCommandListAppendMemoryFill" (
            Opaque, *mut c_void, *const c_void, usize, usize, Opaque, u32, *const Opaque
        );
        append_launch "zeCommandListAppendLaunchKernel" (
            Opaque, Opaque, *const GroupCount, Opaque, u32, *const Opaque
        );
        event_pool_create "zeEventPoolCreate" (Opaque, *const EventPoolDesc, u32, *const Opaque, *mut Opaque);
        event_pool_destroy "zeEventPoolDestroy" (Opaque);
        event_create "zeEventCreate" (Opaque, *const EventDesc, *mut Opaque);
        event_destroy "zeEventDestroy" (Opaque);
        event_host_signal "zeEventHostSignal" (Opaque);
        event_host_synchronize "zeEventHostSynchronize" (Opaque, u64);
        event_host_reset "zeEventHostReset" (Opaque);
        event_query_status "zeEventQueryStatus" (Opaque);
        event_timestamps "zeEventQueryKernelTimestamp" (Opaque, *mut KernelTimestamps);
        mem_alloc_device "zeMemAllocDevice" (Opaque, *const DeviceMemDesc, usize, usize, Opaque, *mut *mut c_void);
        mem_alloc_host "zeMemAllocHost" (Opaque, *const HostMemDesc, usize, usize, *mut *mut c_void);
        mem_free "zeMemFree" (Opaque, *mut c_void);
        module_create "zeModuleCreate" (Opaque, Opaque, *const ModuleDesc, *mut Opaque, *mut Opaque);
        module_destroy "zeModuleDestroy" (Opaque);
        module_kernel_names "zeModuleGetKernelNames" (Opaque, *mut u32, *mut *const c_char);
        log_text "zeModuleBuildLogGetString" (Opaque, *mut usize, *mut c_char);
        log_destroy "zeModuleBuildLogDestroy" (Opaque);
        kernel_create "zeKernelCreate" (Opaque, *const KernelDesc, *mut Opaque);
        kernel_destroy "zeKernelDestroy" (Opaque);
        kernel_set_group_size "zeKernelSetGroupSize" (Opaque, u32, u32, u32);
        kernel_set_argument "zeKernelSetArgumentValue" (Opaque, u32, usize, *const c_void);
        kernel_properties "zeKernelGetProperties" (Opaque, *mut KernelProperties);
    }
    optional {
        // v1.10
        init_drivers "zeInitDrivers" (*mut u32, *mut Opaque, *const InitDriverTypeDesc);
        // v1.6
        list_host_synchronize "zeCommandListHostSynchronize" (Opaque, u64);
        // An extension of v1.1
        device_pci "zeDevicePciGetPropertiesExt" (Opaque, *mut PciProperties);
        frequency_domains "zesDeviceEnumFrequencyDomains" (Opaque, *mut u32, *mut Opaque);
        frequency_properties "zesFrequencyGetProperties" (Opaque, *mut FrequencyProperties);
        frequency_state "zesFrequencyGetState" (Opaque, *mut FrequencyState);
        power_domains "zesDeviceEnumPowerDomains" (Opaque, *mut u32, *mut Opaque);
        energy_counter "zesPowerGetEnergyCounter" (Opaque, *mut EnergyCounter);
        temperature_sensors "zesDeviceEnumTemperatureSensors" (Opaque, *mut u32, *mut Opaque);
        temperature_properties "zesTemperatureGetProperties" (Opaque, *mut TemperatureProperties);
        temperature "zesTemperatureGetState" (Opaque, *mut f64);
    }
}

/// Calls a function: `call!(api, mem_free(context, address))`.
///
/// The caller vouches for the arguments: handles are live ones of the library, addresses were checked against their memory, and
/// memory of what a call leaves in flight is kept.
macro_rules! call {
    ($api:expr, $field:ident ($($argument:expr),* $(,)?)) => {{
        let call = $api.calls.$field;
        // SAFETY: the address is that of the function of this name, which has this signature; arguments as required above.
        let code = unsafe { (call.function)($($argument),*) };
        $crate::device::level_zero::status::done(call.name, code)
    }};
}

/// Calls a function that not every loader has: `call_if_there!(api, frequency_state(domain, &raw mut state))`.
macro_rules! call_if_there {
    ($api:expr, $field:ident ($($argument:expr),* $(,)?)) => {{
        let call = $api.calls.$field;
        match call.function {
            Some(function) => {
                // SAFETY: as in `call!`.
                let code = unsafe { function($($argument),*) };
                $crate::device::level_zero::status::done(call.name, code)
            }
            None => Err($crate::device::level_zero::status::absent(call.name)),
        }
    }};
}

pub(super) use {call, call_if_there};
