//! The installed platforms, their devices in order, and the facts about each device.

use std::collections::BTreeMap;
use std::path::Path;

use opencl_sys::{
    CL_DEVICE_AVAILABLE, CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_EXTENSIONS, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
    CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_DEVICE_MAX_CLOCK_FREQUENCY,
    CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_MEM_ALLOC_SIZE, CL_DEVICE_NAME, CL_DEVICE_NOT_FOUND,
    CL_DEVICE_PCI_BUS_ID_NV, CL_DEVICE_PCI_BUS_INFO_KHR, CL_DEVICE_PCI_SLOT_ID_NV, CL_DEVICE_TOPOLOGY_AMD,
    CL_DEVICE_TYPE, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_UUID_KHR, CL_DEVICE_VERSION,
    CL_DRIVER_VERSION,
};
use opencl_sys::{cl_device_id, cl_platform_id, cl_uint};

use super::library::Api;
use super::query::Query;
use super::status::done;
use crate::device::error::DeviceError;
use crate::device::facts::{Backend, DeviceFacts, DeviceKind};
use crate::device::host;

/// Status of a loader that finds no platform: `CL_PLATFORM_NOT_FOUND_KHR`.
const NO_PLATFORM: i64 = -1001;
/// Domain of the PCI bus, by NVIDIA's `cl_nv_device_attribute_query`.
const PCI_DOMAIN_ID_NV: cl_uint = 0x400A;

/// The lowest version of OpenCL: marks and gates came with it.
const NEEDED: (u32, u32) = (1, 2);

/// A device that a platform offers.
#[derive(Clone, Copy)]
pub(super) struct PlatformDevice {
    /// Its platform.
    pub(super) platform: cl_platform_id,
    /// Itself.
    pub(super) device: cl_device_id,
}

/// Devices of all platforms, numbered by their place here; the error is one sentence.
pub(super) fn devices(api: &Api) -> Result<Vec<PlatformDevice>, String> {
    let file = api.file.display();
    let platforms = match platforms(api) {
        Ok(platforms) => platforms,
        Err(DeviceError::Refused { code: NO_PLATFORM, .. }) => Vec::new(),
        Err(other) => return Err(format!("OpenCL's loader {file} answers nothing: {other}")),
    };
    if platforms.is_empty() {
        return Err(format!(
            "OpenCL's loader {file} finds no platform; install one that registers itself in /etc/OpenCL/vendors (a vendor's driver, or pocl-opencl-icd for the processor), or name a directory of .icd files in OCL_ICD_VENDORS"
        ));
    }
    let mut offered = Vec::new();
    for &platform in &platforms {
        match devices_of(api, platform) {
            Ok(devices) => offered.extend(devices.into_iter().map(|device| PlatformDevice { platform, device })),
            // A platform without hardware, or a broken one, must not hide the others.
            Err(_) if platforms.len() > 1 => {}
            Err(DeviceError::Refused { code, .. }) if code == i64::from(CL_DEVICE_NOT_FOUND) => {}
            Err(other) => return Err(format!("the OpenCL platform {} is broken: {other}", name(api, platform))),
        }
    }
    if offered.is_empty() {
        let names: Vec<String> = platforms.iter().map(|&platform| name(api, platform)).collect();
        return Err(format!(
            "the OpenCL platforms here ({}) offer no device; `clinfo` shows what they look for",
            names.join(", ")
        ));
    }
    Ok(offered)
}

fn name(api: &Api, platform: cl_platform_id) -> String {
    Query::Platform(platform).text(api, opencl_sys::CL_PLATFORM_NAME).unwrap_or_else(|_| "without a name".to_owned())
}

fn platforms(api: &Api) -> Result<Vec<cl_platform_id>, DeviceError> {
    let mut count = 0;
    // SAFETY: no room is offered, and the count is written to a word of ours.
    done("clGetPlatformIDs", unsafe { (api.clGetPlatformIDs)(0, std::ptr::null_mut(), &raw mut count) })?;
    let mut found = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: there is room for `count`.
    done("clGetPlatformIDs", unsafe { (api.clGetPlatformIDs)(count, found.as_mut_ptr(), std::ptr::null_mut()) })?;
    Ok(found)
}

fn devices_of(api: &Api, platform: cl_platform_id) -> Result<Vec<cl_device_id>, DeviceError> {
    let call = "clGetDeviceIDs";
    let none = std::ptr::null_mut();
    let mut count = 0;
    // SAFETY: the platform is one that OpenCL named; the count is written to a word of ours.
    done(call, unsafe { (api.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 0, none, &raw mut count) })?;
    let mut found = vec![std::ptr::null_mut(); count as usize];
    let room = found.as_mut_ptr();
    // SAFETY: there is room for `count`.
    done(call, unsafe { (api.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, count, room, std::ptr::null_mut()) })?;
    Ok(found)
}

/// Facts about the device of number `index`; what it does not answer counts as 0 or absent.
pub(super) fn facts(api: &Api, index: u32, offered: PlatformDevice) -> DeviceFacts {
    let device = Query::Device(offered.device);
    let number = |parameter| device.number(api, parameter).unwrap_or(0);
    let text = |parameter| device.text(api, parameter).unwrap_or_default();
    let extensions = text(CL_DEVICE_EXTENSIONS);
    let has = |extension: &str| extensions.split_whitespace().any(|e| e == extension);
    let kind = kind(number(CL_DEVICE_TYPE));
    let bus_id = bus_id(api, device, has);
    let (numa_node, host_cpus) = bus_id.as_deref().map_or((None, Vec::new()), |id| host::near(Path::new("/"), id));
    let link = bus_id.as_deref().and_then(|id| host::link(Path::new("/"), id));
    let megahertz = number(CL_DEVICE_MAX_CLOCK_FREQUENCY);
    DeviceFacts {
        backend: Backend::OpenCl,
        index,
        kind,
        name: text(CL_DEVICE_NAME),
        bus_id,
        uuid: has("cl_khr_device_uuid").then(|| uuid(api, device)).flatten(),
        memory_bytes: number(CL_DEVICE_GLOBAL_MEM_SIZE),
        allocation_bytes: number(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
        cache_bytes: number(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
        units: number(CL_DEVICE_MAX_COMPUTE_UNITS) as u32,
        clock_hz: (megahertz > 0).then_some(megahertz as f64 * 1e6),
        compute: None,
        unified: number(CL_DEVICE_HOST_UNIFIED_MEMORY) != 0 || kind == DeviceKind::Cpu,
        pageable_direct: false,
        fp64: number(CL_DEVICE_DOUBLE_FP_CONFIG) != 0,
        numa_node,
        host_cpus,
        link,
        peaks: BTreeMap::new(),
        driver: text(CL_DRIVER_VERSION),
        api: text(CL_DEVICE_VERSION),
        library: api.file.clone(),
    }
}

/// Why the device cannot be opened, if it cannot.
pub(super) fn refuses(api: &Api, facts: &DeviceFacts, offered: PlatformDevice) -> Option<String> {
    if version(&facts.api).is_some_and(|version| version < NEEDED) {
        return Some(format!("it speaks {}, and 1.2 is needed; a newer driver may know more", facts.api));
    }
    let is_gone = Query::Device(offered.device).number(api, CL_DEVICE_AVAILABLE) == Ok(0);
    is_gone.then(|| "its driver says that it is not available".to_owned())
}

/// The version in `OpenCL 1.2 and whatever the vendor adds`, which the standard lays down.
fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.strip_prefix("OpenCL ")?.split_whitespace().next()?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The kind of a device. A simulator claims every kind; then the processor does the work.
fn kind(bits: u64) -> DeviceKind {
    match bits {
        _ if bits & CL_DEVICE_TYPE_CPU != 0 => DeviceKind::Cpu,
        _ if bits & CL_DEVICE_TYPE_GPU != 0 => DeviceKind::Gpu,
        _ => DeviceKind::Accelerator,
    }
}

fn uuid(api: &Api, device: Query) -> Option<String> {
    let bytes = device.bytes(api, CL_DEVICE_UUID_KHR).ok().filter(|bytes| bytes.iter().any(|&b| b != 0))?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The PCI address, by the extension of Khronos, of NVIDIA or of AMD.
fn bus_id(api: &Api, device: Query, has: impl Fn(&str) -> bool) -> Option<String> {
    let words = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    };
    if has("cl_khr_pci_bus_info") {
        let address = words(&device.bytes(api, CL_DEVICE_PCI_BUS_INFO_KHR).ok()?);
        let [domain, bus, slot, function] = address[..] else { return None };
        return Some(address_on_bus(domain, bus, slot, function));
    }
    if has("cl_nv_device_attribute_query") {
        let number = |parameter| device.number(api, parameter).ok().map(|value| value as u32);
        let (bus, slot) = (number(CL_DEVICE_PCI_BUS_ID_NV)?, number(CL_DEVICE_PCI_SLOT_ID_NV)?);
        return Some(address_on_bus(number(PCI_DOMAIN_ID_NV).unwrap_or(0), bus, slot >> 3, slot & 7));
    }
    if has("cl_amd_device_attribute_query") {
        // A type, 1 for PCIe, 17 unused bytes, then bus, device and function.
        let bytes = device.bytes(api, CL_DEVICE_TOPOLOGY_AMD).ok()?;
        let &[bus, slot, function] = bytes.get(21..24)? else { return None };
        return (bytes[0] == 1).then(|| address_on_bus(0, bus.into(), slot.into(), function.into()));
    }
    None
}

fn address_on_bus(domain: u32, bus: u32, slot: u32, function: u32) -> String {
    format!("{domain:04x}:{bus:02x}:{slot:02x}.{function:x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulator_that_is_everything_is_a_processor() {
        assert_eq!(kind(15), DeviceKind::Cpu);
        assert_eq!(kind(4), DeviceKind::Gpu);
        assert_eq!(kind(8), DeviceKind::Accelerator);
    }

    #[test]
    fn a_version_stands_behind_the_name_of_the_interface() {
        assert_eq!(version("OpenCL 3.0 PoCL HSTR: pthread"), Some((3, 0)));
        assert_eq!(version("OpenCL 1.1"), Some((1, 1)));
        assert_eq!(version("none"), None);
        assert!(version("OpenCL 1.1 Clover").unwrap() < NEEDED);
    }

    #[test]
    fn an_address_on_the_bus_is_in_lower_case() {
        assert_eq!(address_on_bus(0, 0x3B, 0, 0), "0000:3b:00.0");
    }
}
