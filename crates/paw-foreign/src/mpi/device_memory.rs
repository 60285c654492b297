//! Memory of devices that MPI reads and writes, and whether a library takes it.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ptr::NonNull;

use super::library::{Mpi, address};
use super::memory::{Memory, Owner};
use crate::device::{Backend, Device, DeviceMemory, DeviceResult, HostKind, HostMemory, Queue};

/// Where the memory of a message lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residence {
    /// On the device.
    Device,
    /// Where host or device used it last.
    Managed,
}

/// Memory of a device, and memory of the host through which the processor reads and writes it.
pub(super) struct DeviceBuffer {
    memory: DeviceMemory,
    staging: HostMemory,
    queue: Queue,
}

impl DeviceBuffer {
    fn new(device: &Device, bytes: usize) -> DeviceResult<Self> {
        let staging = device.host_memory(bytes, HostKind::Pageable)?;
        let buffer = Self { memory: device.memory(bytes)?, staging, queue: device.queue()? };
        buffer.queue.fill(&buffer.memory, 0)?;
        buffer.queue.sync()?;
        Ok(buffer)
    }

    /// Copies `bytes` to `offset` of the device.
    pub(super) fn write(&self, offset: usize, bytes: &[u8]) -> DeviceResult {
        self.staging.write(offset, bytes)?;
        self.queue.copy_in((&self.memory, offset), (&self.staging, offset), bytes.len())?;
        self.queue.sync()
    }

    /// Copies from `offset` of the device into `bytes`.
    pub(super) fn read(&self, offset: usize, bytes: &mut [u8]) -> DeviceResult {
        self.queue.copy_out((&self.staging, offset), (&self.memory, offset), bytes.len())?;
        self.queue.sync()?;
        self.staging.read(offset, bytes)
    }
}

impl Memory {
    /// Zeroed memory of `device` that begins where the device's allocations do.
    pub fn on_device(device: &Device, size_bytes: usize, residence: Residence) -> DeviceResult<Memory> {
        let bytes = size_bytes.max(1);
        let (at, owner) = match residence {
            Residence::Device => {
                let buffer = DeviceBuffer::new(device, bytes)?;
                (buffer.memory.address()?, Owner::Device(Box::new(buffer)))
            }
            Residence::Managed => {
                let managed = device.managed_memory(bytes)?;
                (managed.address()?, Owner::Managed { _freed: Box::new(managed) })
            }
        };
        let base = NonNull::new(std::ptr::with_exposed_provenance_mut::<u8>(at)).unwrap_or(NonNull::dangling());
        Ok(Memory::owned(base, size_bytes, owner))
    }
}

/// What a library says of memory of devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceSupport {
    /// It takes their addresses.
    Yes,
    /// It does not.
    No,
    /// It has no call that says so.
    Unsaid,
}

/// The extensions that say whether a library takes addresses of a back-end's devices: Open MPI's and MPICH's.
const QUERIES: [(Backend, &[&str]); 3] = [
    (Backend::Cuda, &["MPIX_Query_cuda_support"]),
    (Backend::Hip, &["MPIX_Query_rocm_support", "MPIX_Query_hip_support"]),
    (Backend::LevelZero, &["MPIX_Query_ze_support"]),
];

impl Mpi {
    /// Whether the library says that it takes addresses of devices of `backend` (`MPIX_Query_cuda_support` and its like).
    pub fn device_support(&self, backend: Backend) -> DeviceSupport {
        let symbols = QUERIES.iter().find(|(of, _)| *of == backend).map_or(&[][..], |(_, symbols)| symbols);
        let known = symbols.iter().find_map(|symbol| address(symbol));
        let Some(known) = known else { return DeviceSupport::Unsaid };
        // SAFETY: the extension of that name has no arguments and returns an integer in every library that has it.
        let query = unsafe { std::mem::transmute::<usize, unsafe extern "C" fn() -> c_int>(known) };
        // SAFETY: as above; the library is started.
        if unsafe { query() } == 0 { DeviceSupport::No } else { DeviceSupport::Yes }
    }
}
