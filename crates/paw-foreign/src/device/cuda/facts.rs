//! Facts about a device, from the driver.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::path::Path;

use super::calls::{Ordinal, call, call_if_there};
use super::gate::SERIALISING;
use super::library::Library;
use super::{diagnosis, gates, nvml, peaks};
use crate::device::error::DeviceResult;
use crate::device::facts::{Backend, Capabilities, DeviceFacts, DeviceKind};
use crate::device::host;

/// `CU_DEVICE_ATTRIBUTE_…`
const CLOCK_KHZ: i32 = 13;
const UNITS: i32 = 16;
const INTEGRATED: i32 = 18;
const MAPS_HOST_MEMORY: i32 = 19;
const CACHE_BYTES: i32 = 38;
const COMPUTE_MAJOR: i32 = 75;
const COMPUTE_MINOR: i32 = 76;
const READS_PAGEABLE: i32 = 88;
const HAS_POOLS: i32 = 115;

/// The driver's name for the device of that number.
pub(super) fn ordinal(library: &'static Library, index: u32) -> DeviceResult<Ordinal> {
    let mut ordinal = 0;
    call!(library, device_get(&raw mut ordinal, i32::try_from(index).unwrap_or(i32::MAX)))?;
    Ok(ordinal)
}

/// An attribute of a device; `None` where the driver does not know it.
pub(super) fn attribute(library: &'static Library, ordinal: Ordinal, which: i32) -> Option<i32> {
    let mut value = 0;
    call!(library, device_get_attribute(&raw mut value, which, ordinal)).ok()?;
    Some(value)
}

/// The facts of the device of that number. No context is made for it.
pub(super) fn read(library: &'static Library, index: u32) -> DeviceResult<DeviceFacts> {
    let ordinal = ordinal(library, index)?;
    let asked = |which: i32| attribute(library, ordinal, which).and_then(|value| u32::try_from(value).ok());
    let is = |which: i32| asked(which).unwrap_or(0) != 0;
    let mut memory = 0usize;
    call!(library, device_total_mem(&raw mut memory, ordinal))?;
    let bus_id = bus_id(library, ordinal);
    let (numa_node, host_cpus) = bus_id.as_deref().map_or((None, Vec::new()), |id| host::near(Path::new("/"), id));
    let state = bus_id.as_deref().map(nvml::state).unwrap_or_default();
    let on_the_bus = || bus_id.as_deref().and_then(|id| host::link(Path::new("/"), id));
    let compute = asked(COMPUTE_MAJOR).zip(asked(COMPUTE_MINOR));
    let units = asked(UNITS).unwrap_or(0);
    let name = name(library, ordinal)?;
    let peaks = compute.map(|compute| peaks::all(compute, units, &name)).unwrap_or_default();
    Ok(DeviceFacts {
        backend: Backend::Cuda,
        index,
        kind: DeviceKind::Gpu,
        name,
        uuid: uuid(library, ordinal),
        memory_bytes: memory as u64,
        allocation_bytes: memory as u64,
        cache_bytes: u64::from(asked(CACHE_BYTES).unwrap_or(0)),
        units,
        clock_hz: asked(CLOCK_KHZ).filter(|khz| *khz > 0).map(|khz| f64::from(khz) * 1e3),
        compute,
        unified: is(INTEGRATED),
        pageable_direct: is(READS_PAGEABLE),
        fp64: true,
        numa_node,
        host_cpus,
        link: state.link.or_else(on_the_bus),
        peaks,
        driver: nvml::driver_version().or_else(|| host::driver_version(Path::new("/"))).unwrap_or_default(),
        api: format!("CUDA {}", diagnosis::release(library.version)),
        library: library.file.clone(),
        bus_id,
    })
}

/// Capabilities of a device.
pub(super) fn caps(library: &'static Library, ordinal: Ordinal) -> Capabilities {
    let is = |which: i32| attribute(library, ordinal, which).unwrap_or(0) != 0;
    let has_pool_calls = library.calls.mem_alloc_async.function.is_some()
        && library.calls.mem_free_async.function.is_some()
        && library.calls.device_get_default_mem_pool.function.is_some()
        && library.calls.mem_pool_set_attribute.function.is_some();
    Capabilities {
        marks: true,
        gate: is(MAPS_HOST_MEMORY) && gates::forbidden(SERIALISING).is_none(),
        pool: is(HAS_POOLS) && has_pool_calls,
        mapped: is(MAPS_HOST_MEMORY),
    }
}

fn name(library: &'static Library, ordinal: Ordinal) -> DeviceResult<String> {
    let mut text = [0u8; 256];
    call!(library, device_get_name(text.as_mut_ptr().cast::<c_char>(), 255, ordinal))?;
    Ok(words(&text))
}

fn bus_id(library: &'static Library, ordinal: Ordinal) -> Option<String> {
    let mut text = [0u8; 32];
    call!(library, device_get_pci_bus_id(text.as_mut_ptr().cast::<c_char>(), 31, ordinal)).ok()?;
    Some(words(&text).to_lowercase()).filter(|id| !id.is_empty())
}

/// The UUID as `nvidia-smi -L` writes it; `_v2` distinguishes a part of a device (MIG).
fn uuid(library: &'static Library, ordinal: Ordinal) -> Option<String> {
    let mut bytes = [0u8; 16];
    let newer = call_if_there!(library, device_get_uuid_v2(&raw mut bytes, ordinal));
    newer.or_else(|_| call_if_there!(library, device_get_uuid(&raw mut bytes, ordinal))).ok()?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Some(format!("GPU-{}", parts.join("-")))
}

fn words(text: &[u8]) -> String {
    CStr::from_bytes_until_nul(text).map(|text| text.to_string_lossy().trim().to_owned()).unwrap_or_default()
}
