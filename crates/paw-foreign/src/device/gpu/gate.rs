//! The gates of a device: allocated, tested, and closed by launching a kernel.
//!
//! A kernel of one thread waits, and not HIP's `hipStreamWaitValue32`: that has no time-out, wants memory of its own kind, and not every
//! device offers it.
#![allow(unsafe_code)]

use std::ffi::c_void;

use super::calls::{Opaque, call};
use super::gates::{Gates, forbidden};
use super::{Gpu, Vendor};
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::program::Grid;
use crate::device::span::ObjectHandle;

impl<V: Vendor> Gpu<V> {
    /// Makes the gates and tests one that is open, so that the kernel is loaded before it first matters.
    pub(super) fn try_gates(&self) -> DeviceResult<Gates> {
        if let Some(variable) = forbidden(V::SERIALISING) {
            return Err(DeviceError::Unsupported(format!("no gates: {variable} is set; unset it")));
        }
        self.embedded.as_ref().map_err(Clone::clone)?;
        let mut at: *mut c_void = std::ptr::null_mut();
        call!(self.library, mem_host_alloc(&raw mut at, Gates::BYTES, V::GATE_FLAGS))?;
        // SAFETY: the library allocated that many bytes just now; zeros are words.
        unsafe { at.cast::<u8>().write_bytes(0, Gates::BYTES) };
        let mut address = 0;
        call!(self.library, mem_host_get_device_pointer(&raw mut address, at, 0))?;
        // SAFETY: zeroed above, and never given back.
        let gates = unsafe { Gates::at(at, address, V::gate_limits(self)) };
        let queue = self.queue_new()?;
        gates.pass_once(|arguments| {
            self.start_gate(self.stream(queue)?, arguments)?;
            self.queue_drop(queue)
        })?;
        Ok(gates)
    }

    /// [`crate::device::Driver::gate`]
    pub(super) fn gate_close(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle> {
        self.current()?;
        let stream = self.stream(queue)?;
        let gates = self.gates.as_ref().map_err(Clone::clone)?;
        gates.close(queue, |arguments| self.start_gate(stream, arguments))
    }

    fn start_gate(&self, stream: Opaque, arguments: &[u64]) -> DeviceResult {
        let kernel = self.embedded.as_ref().map_err(Clone::clone)?.gate;
        self.start(stream, kernel, Grid { blocks: 1, threads: 1, shared_bytes: 0 }, arguments)
    }
}
