//! The gates of a device: allocated, tested, and closed by launching a kernel.
#![allow(unsafe_code)]

use std::ffi::c_void;

use super::calls::{Opaque, call};
use super::context::Cuda;
use super::gates::{CLOSED_MAX_S, Gates, forbidden};
use super::kernels::start;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::program::Grid;
use crate::device::span::ObjectHandle;

/// `CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP`.
const SEEN_BY_DEVICES: u32 = 3;

/// Variables that make launches synchronous, and the value that does not.
pub(super) const SERIALISING: &[(&str, &str)] = &[("CUDA_LAUNCH_BLOCKING", "0"), ("CUDA_INJECTION64_PATH", "")];

impl Cuda {
    /// Makes the gates and tests one that is open, so that the kernel is loaded before it first matters.
    pub(super) fn try_gates(&self) -> DeviceResult<Gates> {
        if let Some(variable) = forbidden(SERIALISING) {
            return Err(DeviceError::Unsupported(format!("no gates: {variable} is set; unset it")));
        }
        let mut at: *mut c_void = std::ptr::null_mut();
        call!(self.library, mem_host_alloc(&raw mut at, Gates::BYTES, SEEN_BY_DEVICES))?;
        // SAFETY: the driver allocated that many bytes just now; zeros are words.
        unsafe { at.cast::<u8>().write_bytes(0, Gates::BYTES) };
        let mut address = 0;
        call!(self.library, mem_host_get_device_pointer(&raw mut address, at, 0))?;
        // Cycles end a gate whose timer does not run: twice as many, because clocks exceed their nominal maximum.
        let limit_clocks = CLOSED_MAX_S * self.facts.clock_hz.unwrap_or(2e9) * 2.0;
        // SAFETY: zeroed above, and never given back.
        let gates = unsafe { Gates::at(at, address, [(CLOSED_MAX_S * 1e9) as u64, limit_clocks as u64]) };
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
        start(self, stream, kernel, Grid { blocks: 1, threads: 1, shared_bytes: 0 }, arguments)
    }
}
