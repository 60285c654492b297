//! Facts about a device, from the run-time library and the kernel.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::path::Path;

use super::calls::{Ordinal, call, call_if_there};
use super::library::Library;
use super::{diagnosis, hwmon, peaks, properties};
use crate::device::error::DeviceResult;
use crate::device::facts::{Backend, Capabilities, DeviceFacts, DeviceKind};
use crate::device::{gates, host};

/// `hipDeviceAttribute…` (hipDeviceAttribute_t, the same numbers from ROCm 5.2 to 7).
const MAPS_HOST_MEMORY: i32 = 3;
const CLOCK_KHZ: i32 = 5;
const INTEGRATED: i32 = 16;
const CACHE_BYTES: i32 = 19;
const UNITS: i32 = 63;
const READS_PAGEABLE: i32 = 65;
const HAS_POOLS: i32 = 88;

/// Variables that make launches synchronous, and the value that does not (hip_runtime's environment variables).
pub(super) const SERIALISING: &[(&str, &str)] =
    &[("HIP_LAUNCH_BLOCKING", "0"), ("AMD_SERIALIZE_KERNEL", "0"), ("AMD_SERIALIZE_COPY", "0")];

/// An attribute of a device; `None` where the library does not know it.
pub(super) fn attribute(library: &'static Library, ordinal: Ordinal, which: i32) -> Option<i32> {
    let mut value = 0;
    call!(library, device_get_attribute(&raw mut value, which, ordinal)).ok()?;
    Some(value)
}

/// The number by which the library knows the device of that number: the same.
pub(super) fn ordinal(index: u32) -> Ordinal {
    i32::try_from(index).unwrap_or(i32::MAX)
}

/// The facts of the device of that number, and its architecture.
pub(super) fn read(library: &'static Library, index: u32) -> DeviceResult<(DeviceFacts, Option<String>)> {
    let ordinal = ordinal(index);
    let asked = |which: i32| attribute(library, ordinal, which).and_then(|value| u32::try_from(value).ok());
    let is = |which: i32| asked(which).unwrap_or(0) != 0;
    let root = Path::new("/");
    let mut memory = 0usize;
    call!(library, device_total_mem(&raw mut memory, ordinal))?;
    let bus_id = bus_id(library, ordinal);
    let (numa_node, host_cpus) = bus_id.as_deref().map_or((None, Vec::new()), |id| host::near(root, id));
    let units = asked(UNITS).unwrap_or(0);
    let architecture = properties::architecture(library, ordinal);
    let facts = DeviceFacts {
        backend: Backend::Hip,
        index,
        kind: DeviceKind::Gpu,
        name: name(library, ordinal, architecture.as_deref())?,
        uuid: uuid(library, ordinal),
        memory_bytes: memory as u64,
        allocation_bytes: memory as u64,
        cache_bytes: u64::from(asked(CACHE_BYTES).unwrap_or(0)),
        units,
        clock_hz: asked(CLOCK_KHZ).filter(|khz| *khz > 0).map(|khz| f64::from(khz) * 1e3),
        compute: None,
        unified: is(INTEGRATED),
        pageable_direct: is(READS_PAGEABLE),
        fp64: true,
        numa_node,
        host_cpus,
        link: bus_id.as_deref().and_then(|id| hwmon::link(root, id)),
        peaks: architecture.as_deref().map(|name| peaks::all(name, units)).unwrap_or_default(),
        driver: hwmon::driver_version(root).unwrap_or_default(),
        api: format!("HIP {}", diagnosis::release(library.version)),
        library: library.file.clone(),
        bus_id,
    };
    Ok((facts, architecture))
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

/// The product's name; some libraries know none, and the architecture stands for it.
fn name(library: &'static Library, ordinal: Ordinal, architecture: Option<&str>) -> DeviceResult<String> {
    let mut text = [0u8; 256];
    call!(library, device_get_name(text.as_mut_ptr().cast::<c_char>(), 255, ordinal))?;
    let name = words(&text);
    Ok(if name.is_empty() { architecture.unwrap_or_default().to_owned() } else { name })
}

fn bus_id(library: &'static Library, ordinal: Ordinal) -> Option<String> {
    let mut text = [0u8; 32];
    call!(library, device_get_pci_bus_id(text.as_mut_ptr().cast::<c_char>(), 31, ordinal)).ok()?;
    Some(words(&text).to_lowercase()).filter(|id| !id.is_empty())
}

/// The UUID as `rocminfo` writes it: sixteen characters, which the library hands over as text.
fn uuid(library: &'static Library, ordinal: Ordinal) -> Option<String> {
    let mut bytes = [0u8; 16];
    call_if_there!(library, device_get_uuid(&raw mut bytes, ordinal)).ok()?;
    let text = std::str::from_utf8(&bytes).ok().map(|text| text.trim_matches('\0'));
    let text = text.filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    // A device without one tells zeros, or "XX" (hsa_agent_get_info, HSA_AMD_AGENT_INFO_UUID).
    text.filter(|text| text.bytes().any(|byte| !matches!(byte, b'0' | b'X'))).map(|text| format!("GPU-{text}"))
}

fn words(text: &[u8]) -> String {
    CStr::from_bytes_until_nul(text).map(|text| text.to_string_lossy().trim().to_owned()).unwrap_or_default()
}
