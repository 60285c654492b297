//! Driver and devices: the start, properties, contexts, peers.
#![allow(unsafe_code)]
// The names are Level Zero's.
#![allow(non_snake_case)]

use std::ffi::{CStr, c_char, c_int, c_void};

use mock_device::peers::reaches;
use mock_device::world;

use crate::api::{
    Answer, DRIVER, INVALID_ENUMERATION, Object, UNINITIALIZED, config, described, device, driver, fill, forget,
    handle_of, keep, list, object, read, result, start, version, write,
};

/// Ticks of the devices' clock a second, and bits of a count that mean something.
pub(crate) const TICKS_PER_S: u64 = 19_200_000;
pub(crate) const VALID_BITS: u32 = 32;
/// The most work-items of a group.
pub(crate) const GROUP_MAX: u32 = 1024;

/// What a structure begins with.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Head {
    structure_type: u32,
    extension: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct DeviceProperties {
    head: Head,
    kind: u32,
    vendor_id: u32,
    device_id: u32,
    flags: u32,
    subdevice_id: u32,
    core_clock_mhz: u32,
    max_mem_alloc_size: u64,
    unused: [u32; 4],
    eus_per_subslice: u32,
    subslices_per_slice: u32,
    slices: u32,
    timer_resolution: u64,
    timestamp_valid_bits: u32,
    kernel_timestamp_valid_bits: u32,
    uuid: [u8; 16],
    name: [u8; 256],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct ComputeProperties {
    head: Head,
    max_total_group_size: u32,
    max_group_size: [u32; 3],
    max_group_count: [u32; 3],
    others: [u32; 10],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct ModuleProperties {
    head: Head,
    spirv_version_supported: u32,
    flags: u32,
    others: [u32; 9],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct QueueGroup {
    head: Head,
    flags: u32,
    max_memory_fill_pattern_size: usize,
    queue_count: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct MemoryProperties {
    head: Head,
    flags: u32,
    max_clock_rate: u32,
    max_bus_width: u32,
    total_size: u64,
    name: [u8; 256],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CacheProperties {
    head: Head,
    flags: u32,
    cache_size: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PciProperties {
    head: Head,
    address: [u32; 4],
    generation: i32,
    width: i32,
    max_bandwidth: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct DriverProperties {
    head: Head,
    uuid: [u8; 16],
    driver_version: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Flags {
    head: Head,
    flags: u32,
}

/// Starts the driver.
fn begin() -> Answer {
    match config().init_error {
        0 => {
            // The clock starts.
            world(|_| ());
            start();
            Ok(())
        }
        code => Err(code),
    }
}

#[unsafe(no_mangle)]
extern "C" fn zeInit(flags: u32) -> c_int {
    result(if flags > 3 { Err(INVALID_ENUMERATION) } else { begin() })
}

#[unsafe(no_mangle)]
extern "C" fn zeInitDrivers(count: *mut u32, drivers: *mut usize, desc: *const c_void) -> c_int {
    result(described(desc.cast::<Flags>(), 0x20021).and_then(|desc| {
        if desc.flags == 0 {
            return Err(INVALID_ENUMERATION);
        }
        begin()?;
        list(count, drivers, &[DRIVER])
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeDriverGet(count: *mut u32, drivers: *mut usize) -> c_int {
    result(driver(DRIVER).map_err(|_| UNINITIALIZED).and_then(|()| list(count, drivers, &[DRIVER])))
}

#[unsafe(no_mangle)]
extern "C" fn zeDriverGetApiVersion(handle: usize, to: *mut u32) -> c_int {
    result(driver(handle).and_then(|()| write(to, version().0 << 16 | version().1)))
}

#[unsafe(no_mangle)]
extern "C" fn zeDriverGetProperties(handle: usize, to: *mut c_void) -> c_int {
    // 1.3.29735, as Intel writes it.
    let change = |properties: &mut DriverProperties| properties.driver_version = 1 << 24 | 3 << 16 | 29735;
    result(driver(handle).and_then(|()| fill(to.cast(), 0x1, change)))
}

#[unsafe(no_mangle)]
extern "C" fn zeDriverGetExtensionFunctionAddress(handle: usize, name: *const c_char, to: *mut *mut c_void) -> c_int {
    result(driver(handle).and_then(|()| {
        read(name)?;
        // SAFETY: not null, and a C string.
        let name = unsafe { CStr::from_ptr(name) };
        write(to, crate::memory::extension(name).ok_or(crate::api::INVALID_ARGUMENT)?)
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeDeviceGet(handle: usize, count: *mut u32, devices: *mut usize) -> c_int {
    let all: Vec<usize> = (0..config().devices).map(handle_of).collect();
    result(driver(handle).and_then(|()| list(count, devices, &all)))
}

fn text(name: &str) -> [u8; 256] {
    let mut text = [0; 256];
    text[..name.len()].copy_from_slice(name.as_bytes());
    text
}

#[unsafe(no_mangle)]
extern "C" fn zeDeviceGetProperties(handle: usize, to: *mut c_void) -> c_int {
    result(device(handle).and_then(|device| {
        let is_new = version() >= (1, 2);
        fill(to.cast(), if is_new { 0x20006 } else { 0x3 }, |properties: &mut DeviceProperties| {
            properties.kind = 1;
            properties.vendor_id = 0x8086;
            properties.device_id = 0x56a0;
            properties.core_clock_mhz = 1500;
            properties.max_mem_alloc_size = (config().memory_bytes / 2) as u64;
            (properties.eus_per_subslice, properties.subslices_per_slice, properties.slices) = (16, 4, 2);
            properties.timer_resolution = if is_new { TICKS_PER_S } else { 1_000_000_000 / TICKS_PER_S };
            (properties.timestamp_valid_bits, properties.kernel_timestamp_valid_bits) = (36, VALID_BITS);
            properties.uuid = [0xa0 + device as u8; 16];
            properties.name = text("Mock Level Zero GPU");
        })
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeDeviceGetComputeProperties(handle: usize, to: *mut c_void) -> c_int {
    let change = |properties: &mut ComputeProperties| {
        properties.max_total_group_size = GROUP_MAX;
        properties.max_group_size = [GROUP_MAX; 3];
        properties.max_group_count = [u32::MAX; 3];
    };
    result(device(handle).and_then(|_| fill(to.cast(), 0x4, change)))
}

/// What modules may ask of the devices, by the flags of their properties: half precision, double precision and atomic operations on 64
/// bits unless `MOCK_LEVEL_ZERO_MODULE_FLAGS` says otherwise.
pub(crate) fn module_flags() -> u32 {
    let set = std::env::var("MOCK_LEVEL_ZERO_MODULE_FLAGS").ok();
    set.map_or(7, |text| text.parse().unwrap_or_else(|_| panic!("MOCK_LEVEL_ZERO_MODULE_FLAGS={text} is no value")))
}

#[unsafe(no_mangle)]
extern "C" fn zeDeviceGetModuleProperties(handle: usize, to: *mut c_void) -> c_int {
    let change = |properties: &mut ModuleProperties| {
        properties.spirv_version_supported = 1 << 16 | 2;
        properties.flags = module_flags();
    };
    result(device(handle).and_then(|_| fill(to.cast(), 0x5, change)))
}

/// Hands over structures of a list: each place says what it is before it is filled in.
fn structures<T: Copy>(count: *mut u32, to: *mut T, structure_type: u32, changes: &[&dyn Fn(&mut T)]) -> Answer {
    let room = read(count.cast_const())?;
    if to.is_null() || room == 0 {
        return write(count, changes.len() as u32);
    }
    for (at, change) in changes.iter().take(room as usize).enumerate() {
        fill(to.wrapping_add(at), structure_type, change)?;
    }
    write(count, room.min(changes.len() as u32))
}

/// Engines for copies alone, and then such as run kernels too: whoever takes the first has no kernels.
#[unsafe(no_mangle)]
extern "C" fn zeDeviceGetCommandQueueGroupProperties(handle: usize, count: *mut u32, to: *mut c_void) -> c_int {
    let copies =
        |group: &mut QueueGroup| (group.flags, group.max_memory_fill_pattern_size, group.queue_count) = (2, 1, 1);
    let both =
        |group: &mut QueueGroup| (group.flags, group.max_memory_fill_pattern_size, group.queue_count) = (3, 16, 2);
    result(device(handle).and_then(|_| structures(count, to.cast(), 0x6, &[&copies, &both])))
}

#[unsafe(no_mangle)]
extern "C" fn zeDeviceGetMemoryProperties(handle: usize, count: *mut u32, to: *mut c_void) -> c_int {
    let change = |memory: &mut MemoryProperties| {
        memory.total_size = config().memory_bytes as u64;
        memory.name = text("HBM");
    };
    result(device(handle).and_then(|_| structures(count, to.cast(), 0x7, &[&change])))
}

#[unsafe(no_mangle)]
extern "C" fn zeDeviceGetCacheProperties(handle: usize, count: *mut u32, to: *mut c_void) -> c_int {
    let change = |cache: &mut CacheProperties| cache.cache_size = 16 << 20;
    result(device(handle).and_then(|_| structures(count, to.cast(), 0x9, &[&change])))
}

#[unsafe(no_mangle)]
extern "C" fn zeDevicePciGetPropertiesExt(handle: usize, to: *mut c_void) -> c_int {
    result(device(handle).and_then(|device| {
        fill(to.cast(), 0x10008, |pci: &mut PciProperties| {
            pci.address = [0, 0x3a + device as u32, 0, 0];
            (pci.generation, pci.width, pci.max_bandwidth) = (4, 16, -1);
        })
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeDeviceCanAccessPeer(handle: usize, peer: usize, to: *mut u8) -> c_int {
    let both = device(handle).and_then(|own| Ok((own, device(peer)?)));
    result(both.and_then(|(own, peer)| write(to, u8::from(own == peer || reaches(own, peer)))))
}

#[unsafe(no_mangle)]
extern "C" fn zeContextCreate(handle: usize, desc: *const c_void, to: *mut usize) -> c_int {
    result(driver(handle).and_then(|()| {
        described(desc.cast::<Flags>(), 0xd)?;
        write(to, keep(Object::Context))
    }))
}

/// What was made in a context goes before it.
#[unsafe(no_mangle)]
extern "C" fn zeContextDestroy(handle: usize) -> c_int {
    let is_context = |object: &Object| matches!(object, Object::Context).then_some(());
    result(object(handle, is_context).and_then(|()| {
        if crate::api::any(|other| !matches!(other, Object::Context)) {
            return Err(crate::api::OBJECT_IN_USE);
        }
        forget(handle, is_context)
    }))
}
