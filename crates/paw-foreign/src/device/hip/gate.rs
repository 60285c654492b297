//! The gates of a device: allocated, tested, and closed by launching a kernel.
//!
//! A kernel of one thread waits and not `hipStreamWaitValue32`: that has no time-out, wants memory of its own kind, and not every device
//! offers it.
#![allow(unsafe_code)]

use std::ffi::c_void;

use super::calls::{Opaque, call};
use super::context::Hip;
use super::facts::{SERIALISING, attribute};
use super::kernels::start;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::gates::{CLOSED_MAX_S, Gates, forbidden};
use crate::device::program::Grid;
use crate::device::span::ObjectHandle;

/// `hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent`: without the last, a device may keep the word in its caches and
/// never see what the host writes.
const SEEN_BY_DEVICES: u32 = 0x4000_0003;
/// `hipDeviceAttributeWallClockRate`: kilohertz of the clock that kernels read by `wall_clock64`. ROCm 5.2 has it not.
const WALL_CLOCK_KHZ: i32 = 10_017;
/// Looks at a word over the bus take half a microsecond or more: these take longer than [`CLOSED_MAX_S`], and end a gate whose clock is
/// not known.
const LOOKS_MAX: u64 = 10_000_000;

impl Hip {
    /// Makes the gates and tests one that is open, so that the kernel is loaded before it first matters.
    pub(super) fn try_gates(&self) -> DeviceResult<Gates> {
        if let Some(variable) = forbidden(SERIALISING) {
            return Err(DeviceError::Unsupported(format!("no gates: {variable} is set; unset it")));
        }
        self.embedded.as_ref().map_err(Clone::clone)?;
        let mut at: *mut c_void = std::ptr::null_mut();
        call!(self.library, mem_host_alloc(&raw mut at, Gates::BYTES, SEEN_BY_DEVICES))?;
        // SAFETY: the library allocated that many bytes just now; zeros are words.
        unsafe { at.cast::<u8>().write_bytes(0, Gates::BYTES) };
        let mut address = 0;
        call!(self.library, mem_host_get_device_pointer(&raw mut address, at, 0))?;
        let rate = attribute(self.library, self.ordinal, WALL_CLOCK_KHZ).filter(|khz| *khz > 0);
        let ticks = rate.map_or(u64::MAX >> 1, |khz| (CLOSED_MAX_S * f64::from(khz) * 1e3) as u64);
        // SAFETY: zeroed above, and never given back.
        let gates = unsafe { Gates::at(at, address, [ticks, LOOKS_MAX]) };
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
