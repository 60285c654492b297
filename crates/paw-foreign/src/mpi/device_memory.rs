//! Memory of devices that MPI reads and writes.

use crate::device::{Device, DeviceMemory, DeviceResult, HostKind, HostMemory, Queue};

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
    pub(super) fn new(device: &Device, bytes: usize) -> DeviceResult<Self> {
        let staging = device.host_memory(bytes, HostKind::Pageable)?;
        let buffer = Self { memory: device.memory(bytes)?, staging, queue: device.queue()? };
        buffer.queue.fill(&buffer.memory, 0)?;
        buffer.queue.sync()?;
        Ok(buffer)
    }

    /// Its address on the device.
    pub(super) fn address(&self) -> DeviceResult<usize> {
        self.memory.address()
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
