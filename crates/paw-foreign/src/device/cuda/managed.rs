//! Managed memory: the driver moves its pages to whoever uses them (CUDA C++ Programming Guide, Unified Memory Programming).
#![allow(unsafe_code)]

use super::calls::Location;
use super::context::Cuda;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::facts::HostKind;
use crate::device::gpu::calls::call_if_there;
use crate::device::gpu::facts::attribute;
use crate::device::gpu::memory::scarce;
use crate::device::gpu::objects::HostMemory;
use crate::device::managed::Side;
use crate::device::span::ObjectHandle;

/// `CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY` and `CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS`.
const HAS_MANAGED: i32 = 83;
const IS_CONCURRENT: i32 = 89;
/// `CU_MEM_ATTACH_GLOBAL`.
const GLOBAL: u32 = 1;
/// `CU_DEVICE_CPU`.
const HOST: i32 = -1;
/// `CU_MEM_LOCATION_TYPE_DEVICE` and `CU_MEM_LOCATION_TYPE_HOST`.
const AT_DEVICE: i32 = 1;
const AT_HOST: i32 = 2;
/// The version of CUDA from which on drivers have `cuMemPrefetchAsync_v2`.
const NAMES_LOCATIONS: i32 = 12020;

/// [`crate::device::Driver::managed_alloc`]
pub(super) fn allocate(cuda: &Cuda, bytes: usize) -> DeviceResult<ObjectHandle> {
    let (id, has) = (cuda.facts.id(), |which| attribute(cuda.library, cuda.ordinal, which) == Some(1));
    if !has(HAS_MANAGED) {
        return Err(DeviceError::Unsupported(format!("{id} has no managed memory")));
    }
    if !has(IS_CONCURRENT) {
        return Err(DeviceError::Unsupported(format!(
            "{id} moves no single pages of managed memory (no concurrent managed access)"
        )));
    }
    cuda.current()?;
    let mut address = 0;
    call_if_there!(cuda.library, own.mem_alloc_managed(&raw mut address, bytes.max(1), GLOBAL))
        .map_err(|error| scarce(error, bytes, "the host"))?;
    let at = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
    // SAFETY: the driver allocated that many bytes just now, which the host may use at the same address.
    unsafe { at.write_bytes(0, bytes) };
    // Copies to and from it are a kernel's, as those of mapped memory.
    Ok(cuda.hosts.insert(HostMemory { at, bytes, kind: HostKind::Mapped, is_managed: true, address }))
}

/// [`crate::device::Driver::prefetch`]: by the call that names a location, which drivers have since 12.2, else by the older one.
pub(super) fn prefetch(cuda: &Cuda, queue: ObjectHandle, host: ObjectHandle, to: Side) -> DeviceResult {
    cuda.current()?;
    let (stream, memory) = (cuda.stream(queue)?, cuda.hosts.at(host)?);
    if !memory.is_managed {
        return Err(DeviceError::Unsupported("only managed memory moves".to_owned()));
    }
    let (address, bytes) = (memory.address, memory.bytes);
    if cuda.library.version >= NAMES_LOCATIONS && cuda.library.own.mem_prefetch_async_v2.function.is_some() {
        let location = match to {
            Side::Host => Location { kind: AT_HOST, id: 0 },
            Side::Device => Location { kind: AT_DEVICE, id: cuda.ordinal },
        };
        return call_if_there!(cuda.library, own.mem_prefetch_async_v2(address, bytes, location, 0, stream));
    }
    let device = if to == Side::Host { HOST } else { cuda.ordinal };
    call_if_there!(cuda.library, own.mem_prefetch_async(address, bytes, device, stream))
}
