//! Facts about a device, from its driver.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::path::Path;

use super::calls::{call, call_if_there};
use super::library::{Api, all};
use super::objects::Handle;
use super::queue::Engines;
use super::structures::{
    CacheProperties, ComputeProperties, DeviceProperties, DriverProperties, MemoryProperties, ModuleProperties,
    PciProperties, QueueGroupProperties, Structure,
};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::{Backend, DeviceFacts, DeviceKind, PcieLink};
use crate::device::host;

/// `ZE_DEVICE_TYPE_GPU` and `ZE_DEVICE_TYPE_CPU`
const IS_GPU: u32 = 1;
const IS_CPU: u32 = 2;
/// `ZE_DEVICE_PROPERTY_FLAG_INTEGRATED`
const INTEGRATED: u32 = 1;
/// `ZE_DEVICE_MODULE_FLAG_FP16`, `_FP64` and `_INT64_ATOMICS`
pub(super) const FP16: u32 = 1;
const FP64: u32 = 2;
pub(super) const INT64_ATOMICS: u32 = 4;
/// `ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE` and `_COPY`
const COMPUTE_AND_COPY: u32 = 3;
const COPY: u32 = 2;

/// A device, with its driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OfferedDevice {
    pub(super) driver: Handle,
    pub(super) device: Handle,
}

/// Every device, driver by driver: whole cards or their tiles, as `ZE_FLAT_DEVICE_HIERARCHY` says.
pub(super) fn devices(api: &Api) -> DeviceResult<Vec<OfferedDevice>> {
    let mut found = Vec::new();
    for &driver in &api.drivers {
        let devices = all(std::ptr::null_mut(), |count, devices| call!(api, device_get(driver, count, devices)))?;
        found
            .extend(devices.into_iter().map(|device| OfferedDevice { driver: Handle(driver), device: Handle(device) }));
    }
    Ok(found)
}

/// The properties of a device; its timer's resolution is in the unit of the driver's version.
pub(super) fn properties(api: &Api, device: Handle, version: (u32, u32)) -> DeviceResult<DeviceProperties> {
    let before_1_2 = 0x3;
    let known = if version >= (1, 2) { DeviceProperties::TYPE } else { before_1_2 };
    let mut properties = DeviceProperties::of_type(known);
    call!(api, device_properties(device.0, &raw mut properties))?;
    Ok(properties)
}

/// The limits of a work-group.
pub(super) fn limits(api: &Api, device: Handle) -> DeviceResult<ComputeProperties> {
    let mut limits = ComputeProperties::new();
    call!(api, device_compute_properties(device.0, &raw mut limits))?;
    Ok(limits)
}

/// What modules may ask of a device, by the flags of its module properties.
pub(super) fn module_flags(api: &Api, device: Handle) -> DeviceResult<u32> {
    let mut module = ModuleProperties::new();
    call!(api, device_module_properties(device.0, &raw mut module))?;
    Ok(module.flags)
}

/// The first group of engines that run kernels and copies, and the first of those that copy alone, if there is one.
pub(super) fn engines(api: &Api, device: Handle) -> DeviceResult<(Engines, Option<Engines>)> {
    let empty = QueueGroupProperties::new();
    let groups = all(empty, |count, groups| call!(api, device_queue_groups(device.0, count, groups)))?;
    let first = |wanted: u32| {
        let at = groups.iter().position(|group| group.flags & COMPUTE_AND_COPY == wanted && group.queue_count > 0)?;
        Some(Engines { ordinal: at as u32, count: groups[at].queue_count })
    };
    let both = first(COMPUTE_AND_COPY).ok_or_else(|| {
        DeviceError::Unsupported("the device has no queue that takes both kernels and copies".to_owned())
    })?;
    Ok((both, first(COPY)))
}

/// The facts of the device of that number. No context is made for it.
pub(super) fn read(api: &Api, index: u32, offered: OfferedDevice) -> DeviceResult<DeviceFacts> {
    let device = offered.device;
    let version = api.version(offered.driver.0)?;
    let properties = properties(api, device, version)?;
    let mut driver = DriverProperties::new();
    call!(api, driver_properties(offered.driver.0, &raw mut driver))?;
    let memories = all(MemoryProperties::new(), |count, list| call!(api, device_memories(device.0, count, list)))?;
    let caches = all(CacheProperties::new(), |count, list| call!(api, device_caches(device.0, count, list)))?;
    let pci = pci(api, device);
    let bus_id = pci.as_ref().map(bus_id);
    let (numa_node, host_cpus) = bus_id.as_deref().map_or((None, Vec::new()), |id| host::near(Path::new("/"), id));
    let unified = properties.flags & INTEGRATED != 0;
    Ok(DeviceFacts {
        backend: Backend::LevelZero,
        index,
        kind: kind(properties.kind),
        name: words(&properties.name),
        uuid: Some(uuid(&properties.uuid)),
        // Where memory is the host's, drivers report no size of their own, or the host's.
        memory_bytes: memories.iter().map(|memory| memory.total_size).sum(),
        allocation_bytes: properties.max_mem_alloc_size,
        cache_bytes: caches.iter().map(|cache| cache.cache_size as u64).max().unwrap_or(0),
        units: properties.slices * properties.subslices_per_slice * properties.eus_per_subslice,
        clock_hz: Some(properties.core_clock_mhz).filter(|mhz| *mhz > 0).map(|mhz| f64::from(mhz) * 1e6),
        compute: None,
        unified,
        pageable_direct: false,
        fp64: module_flags(api, device)? & FP64 != 0,
        numa_node,
        host_cpus,
        link: pci.as_ref().and_then(best_link),
        peaks: Default::default(),
        driver: release(driver.driver_version),
        api: format!("Level Zero {}.{}", version.0, version.1),
        library: api.file.clone(),
        bus_id,
    })
}

fn kind(kind: u32) -> DeviceKind {
    match kind {
        IS_GPU => DeviceKind::Gpu,
        IS_CPU => DeviceKind::Cpu,
        _ => DeviceKind::Accelerator,
    }
}

fn pci(api: &Api, device: Handle) -> Option<PciProperties> {
    let mut pci = PciProperties::new();
    call_if_there!(api, device_pci(device.0, &raw mut pci)).ok()?;
    Some(pci)
}

fn bus_id(pci: &PciProperties) -> String {
    format!("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.device, pci.function)
}

/// The link that the driver says is the best the device can have; unknown numbers are -1. What it is now nobody says: below sysfs a card
/// of Intel's has the link to the switch that it brings along.
fn best_link(pci: &PciProperties) -> Option<PcieLink> {
    let generation_max = u32::try_from(pci.generation).ok().filter(|generation| *generation > 0)?;
    let lanes_max = u32::try_from(pci.width).ok().filter(|lanes| *lanes > 0)?;
    Some(PcieLink { generation: 0, generation_max, lanes: 0, lanes_max })
}

/// Intel's driver has its major version in the highest 8 bits, its minor one in the next 8, and a build number.
fn release(version: u32) -> String {
    format!("{}.{}.{}", version >> 24, version >> 16 & 0xff, version & 0xffff)
}

fn uuid(bytes: &[u8; 16]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

fn words(text: &[c_char]) -> String {
    let bytes: Vec<u8> = text.iter().map(|byte| byte.cast_unsigned()).collect();
    CStr::from_bytes_until_nul(&bytes).map(|text| text.to_string_lossy().trim().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_and_a_link_are_written_as_linux_writes_them() {
        let pci = PciProperties { domain: 0, bus: 0x3a, device: 0, function: 1, ..PciProperties::new() };
        assert_eq!(bus_id(&pci), "0000:3a:00.1");
        assert_eq!(best_link(&PciProperties { generation: -1, width: 16, ..pci }), None);
        let best = PcieLink { generation: 0, generation_max: 5, lanes: 0, lanes_max: 16 };
        assert_eq!(best_link(&PciProperties { generation: 5, width: 16, ..pci }), Some(best));
    }

    #[test]
    fn a_driver_has_three_numbers() {
        assert_eq!(release(0x0103_7301), "1.3.29441");
        assert_eq!(uuid(&[0x80; 16]), "80808080-8080-8080-8080-808080808080");
    }
}
