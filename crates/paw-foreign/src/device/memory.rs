//! Memory on a device: released when dropped.

use std::sync::Arc;

use super::driver::Driver;
use super::error::DeviceResult;
use super::program::Argument;
use super::span::{ObjectHandle, Span};

/// Memory on a device.
pub struct DeviceMemory {
    pub(super) driver: Arc<dyn Driver>,
    pub(super) handle: ObjectHandle,
    pub(super) bytes: usize,
    pub(super) pool: Option<ObjectHandle>,
}

impl DeviceMemory {
    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The place `offset` bytes from its beginning.
    pub fn at(&self, offset: usize) -> Span {
        Span { memory: self.handle, offset }
    }

    /// Its address as other libraries take it.
    pub(crate) fn address(&self) -> DeviceResult<usize> {
        self.driver.address_of(self.handle)
    }

    /// The memory as an argument of a kernel.
    pub fn argument(&self) -> Argument {
        Argument::Memory(self.handle)
    }

    /// Frees the memory now and returns errors, which dropping ignores.
    pub fn free(mut self) -> DeviceResult {
        self.give_back()
    }

    fn give_back(&mut self) -> DeviceResult {
        match (std::mem::take(&mut self.handle), self.pool) {
            // Already freed.
            (0, _) => Ok(()),
            (handle, Some(queue)) => self.driver.pool_free(queue, handle),
            (handle, None) => self.driver.free(handle),
        }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let _ = self.give_back();
    }
}
