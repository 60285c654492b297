//! Memory of the host that a driver made for transfers: sizes checked, released when dropped.

use std::sync::Arc;

use super::driver::Driver;
use super::error::DeviceResult;
use super::facts::HostKind;
use super::span::{ObjectHandle, Span, within};

/// Host memory for transfers.
pub struct HostMemory {
    pub(super) driver: Arc<dyn Driver>,
    pub(super) handle: ObjectHandle,
    pub(super) bytes: usize,
    pub(super) kind: HostKind,
}

impl HostMemory {
    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How the memory was allocated.
    pub fn kind(&self) -> HostKind {
        self.kind
    }

    /// The place `offset` bytes from its beginning.
    pub fn at(&self, offset: usize) -> Span {
        Span { memory: self.handle, offset }
    }

    /// Copies `bytes` to `offset` by the processor.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> DeviceResult {
        within(offset, bytes.len(), self.bytes)?;
        self.driver.host_write(self.at(offset), bytes)
    }

    /// Copies from `offset` into `bytes` by the processor.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> DeviceResult {
        within(offset, bytes.len(), self.bytes)?;
        self.driver.host_read(self.at(offset), bytes)
    }

    /// Its address as other libraries take it.
    pub(crate) fn address(&self) -> DeviceResult<usize> {
        self.driver.host_address_of(self.handle)
    }

    /// Reads a byte of each page by the processor.
    pub fn touch(&self) -> DeviceResult {
        self.driver.host_touch(self.handle)
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        let _ = self.driver.host_free(self.handle);
    }
}
