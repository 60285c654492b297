//! Structures of the interface, as `ze_api.h` v1.4-r1.4.8 has them unless they say otherwise.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_void};

/// A handle of the library's: a pointer that only the library dereferences.
pub(super) type Opaque = *mut c_void;

/// A structure that begins with its type and a pointer to an extension, and whose other bytes may all be zero.
///
/// # Safety
/// The type is `repr(C)`, begins with a 32-bit integer, and zeros are a value of it.
pub(super) unsafe trait Structure: Sized {
    /// Its `ze_structure_type_t`, or `zes_structure_type_t`.
    const TYPE: u32;

    /// The structure of its type, with zeros in all other fields.
    fn new() -> Self {
        Self::of_type(Self::TYPE)
    }

    /// The same under another type, which an older version of the interface knows it by.
    fn of_type(structure_type: u32) -> Self {
        // SAFETY: zeros are a value of it, as the implementation vouches.
        let mut structure: Self = unsafe { std::mem::zeroed() };
        // SAFETY: it begins with this word, as the implementation vouches.
        unsafe { (&raw mut structure).cast::<u32>().write(structure_type) };
        structure
    }
}

macro_rules! structures {
    ($($(#[$about:meta])* $name:ident: $type:literal { $($field:ident: $of:ty),* $(,)? })*) => {
        $(
            $(#[$about])*
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub(super) struct $name {
                pub(super) structure_type: u32,
                pub(super) extension: *const c_void,
                $(pub(super) $field: $of,)*
            }

            // SAFETY: a type and a pointer come first; zeros are values of integers, floats, pointers and arrays of these.
            unsafe impl Structure for $name {
                const TYPE: u32 = $type;
            }
        )*
    };
}

structures! {
    /// `ze_init_driver_type_desc_t` of v1.10
    InitDriverTypeDesc: 0x20021 { flags: u32 }
    /// `ze_driver_properties_t`
    DriverProperties: 0x1 { uuid: [u8; 16], driver_version: u32 }
    /// `ze_device_properties_t` of v1.2: the timer's resolution is in cycles a second.
    DeviceProperties: 0x20006 {
        kind: u32,
        vendor_id: u32,
        device_id: u32,
        flags: u32,
        subdevice_id: u32,
        core_clock_mhz: u32,
        max_mem_alloc_size: u64,
        max_hardware_contexts: u32,
        max_command_queue_priority: u32,
        threads_per_eu: u32,
        simd_width_of_an_eu: u32,
        eus_per_subslice: u32,
        subslices_per_slice: u32,
        slices: u32,
        timer_resolution: u64,
        timestamp_valid_bits: u32,
        kernel_timestamp_valid_bits: u32,
        uuid: [u8; 16],
        name: [c_char; 256],
    }
    /// `ze_device_compute_properties_t`
    ComputeProperties: 0x4 {
        max_total_group_size: u32,
        max_group_size: [u32; 3],
        max_group_count: [u32; 3],
        max_shared_local_memory: u32,
        sub_group_size_count: u32,
        sub_group_sizes: [u32; 8],
    }
    /// `ze_device_module_properties_t`
    ModuleProperties: 0x5 {
        spirv_version_supported: u32,
        flags: u32,
        fp16_flags: u32,
        fp32_flags: u32,
        fp64_flags: u32,
        max_arguments_size: u32,
        printf_buffer_size: u32,
        native_kernel_supported: [u8; 16],
    }
    /// `ze_command_queue_group_properties_t`
    QueueGroupProperties: 0x6 { flags: u32, max_memory_fill_pattern_size: usize, queue_count: u32 }
    /// `ze_device_memory_properties_t`
    MemoryProperties: 0x7 {
        flags: u32,
        max_clock_rate: u32,
        max_bus_width: u32,
        total_size: u64,
        name: [c_char; 256],
    }
    /// `ze_device_cache_properties_t`
    CacheProperties: 0x9 { flags: u32, cache_size: usize }
    /// `ze_pci_ext_properties_t`, with its address and its speed
    PciProperties: 0x10008 {
        domain: u32,
        bus: u32,
        device: u32,
        function: u32,
        generation: i32,
        width: i32,
        max_bandwidth: i64,
    }
    /// `ze_context_desc_t`
    ContextDesc: 0xd { flags: u32 }
    /// `ze_command_queue_desc_t`
    QueueDesc: 0xe { ordinal: u32, index: u32, flags: u32, mode: u32, priority: u32 }
    /// `ze_event_pool_desc_t`
    EventPoolDesc: 0x10 { flags: u32, count: u32 }
    /// `ze_event_desc_t`
    EventDesc: 0x11 { index: u32, signal: u32, wait: u32 }
    /// `ze_device_mem_alloc_desc_t`
    DeviceMemDesc: 0x15 { flags: u32, ordinal: u32 }
    /// `ze_host_mem_alloc_desc_t`
    HostMemDesc: 0x16 { flags: u32 }
    /// `ze_module_desc_t`
    ModuleDesc: 0x1b {
        format: u32,
        input_size: usize,
        input: *const u8,
        build_flags: *const c_char,
        constants: *const c_void,
    }
    /// `ze_kernel_desc_t`
    KernelDesc: 0x1d { flags: u32, name: *const c_char }
    /// `ze_kernel_properties_t`
    KernelProperties: 0x1e {
        argument_count: u32,
        required_group_size: [u32; 3],
        required_subgroup_count: u32,
        required_subgroup_size: u32,
        max_subgroup_size: u32,
        max_subgroup_count: u32,
        local_mem_size: u32,
        private_mem_size: u32,
        spill_mem_size: u32,
        uuid: [u8; 32],
    }
    /// `zes_freq_properties_t` of `zes_api.h` v1.4-r1.4.8
    FrequencyProperties: 0x9 {
        kind: u32,
        on_subdevice: u8,
        subdevice_id: u32,
        can_control: u8,
        is_throttle_event_supported: u8,
        min_mhz: f64,
        max_mhz: f64,
    }
    /// `zes_freq_state_t`
    FrequencyState: 0x1b {
        voltage: f64,
        request_mhz: f64,
        tdp_mhz: f64,
        efficient_mhz: f64,
        actual_mhz: f64,
        throttle_reasons: u32,
    }
    /// `zes_temp_properties_t`
    TemperatureProperties: 0x14 {
        kind: u32,
        on_subdevice: u8,
        subdevice_id: u32,
        max_temperature: f64,
        is_critical_supported: u8,
        is_threshold_1_supported: u8,
        is_threshold_2_supported: u8,
    }
}

/// `ze_kernel_timestamp_result_t`: begin and end by the device's clock, then by the context's.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KernelTimestamps {
    pub(super) global_start: u64,
    pub(super) global_end: u64,
    pub(super) context_start: u64,
    pub(super) context_end: u64,
}

/// `ze_group_count_t`
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(super) struct GroupCount {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) z: u32,
}

/// `zes_power_energy_counter_t`: microjoules, and microseconds of the counter's own clock.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct EnergyCounter {
    pub(super) energy_uj: u64,
    pub(super) timestamp_us: u64,
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn structures_are_as_long_as_a_c_compiler_makes_them() {
        // What `sizeof` says of the headers of v1.4-r1.4.8 on x86-64, in the order of the table above.
        let sizes = [
            size_of::<DriverProperties>(),
            size_of::<DeviceProperties>(),
            size_of::<ComputeProperties>(),
            size_of::<ModuleProperties>(),
            size_of::<QueueGroupProperties>(),
            size_of::<MemoryProperties>(),
            size_of::<CacheProperties>(),
            size_of::<PciProperties>(),
            size_of::<ContextDesc>(),
            size_of::<QueueDesc>(),
            size_of::<EventPoolDesc>(),
            size_of::<EventDesc>(),
            size_of::<DeviceMemDesc>(),
            size_of::<HostMemDesc>(),
            size_of::<ModuleDesc>(),
            size_of::<KernelDesc>(),
            size_of::<KernelProperties>(),
            size_of::<FrequencyProperties>(),
            size_of::<FrequencyState>(),
            size_of::<TemperatureProperties>(),
            size_of::<KernelTimestamps>(),
        ];
        let expected = [40, 368, 88, 64, 40, 296, 32, 48, 24, 40, 24, 32, 24, 24, 56, 32, 96, 48, 64, 48, 32];
        assert_eq!(sizes, expected);
        assert_eq!((offset_of!(DeviceProperties, timer_resolution), offset_of!(DeviceProperties, name)), (80, 112));
        assert_eq!(offset_of!(FrequencyProperties, max_mhz), 40);
        assert_eq!((QueueDesc::new().structure_type, QueueDesc::new().flags), (0xe, 0));
    }
}
