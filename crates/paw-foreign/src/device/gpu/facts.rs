//! Facts about a device that both interfaces tell alike, by their own numbers of attributes.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::path::Path;

use super::Vendor;
use super::calls::{Ordinal, call};
use super::gates;
use super::library::Library;
use crate::device::error::DeviceResult;
use crate::device::facts::{Capabilities, DeviceFacts, DeviceKind};
use crate::device::host;

/// Numbers of a device's attributes: `CU_DEVICE_ATTRIBUTE_…`, `hipDeviceAttribute…`.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct Attributes {
    pub(in crate::device) clock_khz: i32,
    pub(in crate::device) units: i32,
    pub(in crate::device) integrated: i32,
    pub(in crate::device) maps_host_memory: i32,
    pub(in crate::device) cache_bytes: i32,
    pub(in crate::device) reads_pageable: i32,
    pub(in crate::device) has_pools: i32,
    pub(in crate::device) shared_bytes_max: i32,
    pub(in crate::device) warp: i32,
    pub(in crate::device) threads_of_a_unit: i32,
}

/// An attribute of a device; `None` where the library does not know it.
pub(in crate::device) fn attribute<V: Vendor>(
    library: &'static Library<V>,
    ordinal: Ordinal,
    which: i32,
) -> Option<i32> {
    let mut value = 0;
    call!(library, device_get_attribute(&raw mut value, which, ordinal)).ok()?;
    Some(value)
}

/// The facts of the device of that number. Nothing is opened for it.
pub(in crate::device) fn read<V: Vendor>(library: &'static Library<V>, index: u32) -> DeviceResult<DeviceFacts> {
    let ordinal = V::ordinal(library, index)?;
    let numbers = V::ATTRIBUTES;
    let asked = |which: i32| attribute(library, ordinal, which).and_then(|value| u32::try_from(value).ok());
    let is = |which: i32| asked(which).unwrap_or(0) != 0;
    let mut memory = 0usize;
    call!(library, device_total_mem(&raw mut memory, ordinal))?;
    let bus_id = bus_id(library, ordinal);
    let (numa_node, host_cpus) = bus_id.as_deref().map_or((None, Vec::new()), |id| host::near(Path::new("/"), id));
    let mut facts = DeviceFacts {
        backend: V::BACKEND,
        index,
        kind: DeviceKind::Gpu,
        name: name(library, ordinal)?,
        uuid: None,
        memory_bytes: memory as u64,
        allocation_bytes: memory as u64,
        cache_bytes: u64::from(asked(numbers.cache_bytes).unwrap_or(0)),
        units: asked(numbers.units).unwrap_or(0),
        clock_hz: asked(numbers.clock_khz).filter(|khz| *khz > 0).map(|khz| f64::from(khz) * 1e3),
        compute: None,
        unified: is(numbers.integrated),
        pageable_direct: is(numbers.reads_pageable),
        fp64: true,
        numa_node,
        host_cpus,
        link: None,
        peaks: Default::default(),
        driver: String::new(),
        api: format!("{} {}", V::BACKEND.title(), (V::DIAGNOSIS.release)(library.version)),
        library: library.file.clone(),
        bus_id,
    };
    V::describe(library, ordinal, &mut facts);
    Ok(facts)
}

/// Capabilities of a device.
pub(super) fn caps<V: Vendor>(library: &'static Library<V>, ordinal: Ordinal) -> Capabilities {
    let is = |which: i32| attribute(library, ordinal, which).unwrap_or(0) != 0;
    let has_pool_calls = library.calls.mem_alloc_async.function.is_some()
        && library.calls.mem_free_async.function.is_some()
        && library.calls.device_get_default_mem_pool.function.is_some()
        && library.calls.mem_pool_set_attribute.function.is_some();
    let maps_host_memory = is(V::ATTRIBUTES.maps_host_memory);
    Capabilities {
        marks: true,
        gate: maps_host_memory && gates::forbidden(V::SERIALISING).is_none(),
        pool: is(V::ATTRIBUTES.has_pools) && has_pool_calls,
        mapped: maps_host_memory,
    }
}

fn name<V: Vendor>(library: &'static Library<V>, ordinal: Ordinal) -> DeviceResult<String> {
    let mut text = [0u8; 256];
    call!(library, device_get_name(text.as_mut_ptr().cast::<c_char>(), 255, ordinal))?;
    Ok(words(&text))
}

fn bus_id<V: Vendor>(library: &'static Library<V>, ordinal: Ordinal) -> Option<String> {
    let mut text = [0u8; 32];
    call!(library, device_get_pci_bus_id(text.as_mut_ptr().cast::<c_char>(), 31, ordinal)).ok()?;
    Some(words(&text).to_lowercase()).filter(|id| !id.is_empty())
}

fn words(text: &[u8]) -> String {
    CStr::from_bytes_until_nul(text).map(|text| text.to_string_lossy().trim().to_owned()).unwrap_or_default()
}
