//! Queues, and marks in them.
#![allow(unsafe_code)]

use super::calls::{Opaque, call};
use super::{Gpu, Vendor};
use crate::device::error::DeviceResult;
use crate::device::span::ObjectHandle;

/// `CU_STREAM_NON_BLOCKING`, `hipStreamNonBlocking`: no queue waits for the default stream.
const NON_BLOCKING: u32 = 1;
/// `CU_EVENT_DEFAULT`, `hipEventDefault`: with a time.
const TIMED: u32 = 0;

impl<V: Vendor> Gpu<V> {
    /// [`crate::device::Driver::queue`]
    pub(super) fn queue_new(&self) -> DeviceResult<ObjectHandle> {
        self.current()?;
        let mut stream = std::ptr::null_mut();
        call!(self.library, stream_create(&raw mut stream, NON_BLOCKING))?;
        Ok(self.queues.insert(stream))
    }

    /// [`crate::device::Driver::queue_free`]
    pub(super) fn queue_drop(&self, queue: ObjectHandle) -> DeviceResult {
        self.current()?;
        let stream = self.queues.remove(queue)?;
        let ended = call!(self.library, stream_synchronize(stream));
        let forgotten = self.gates.as_ref().map_or(Ok(()), |gates| gates.passed(queue));
        call!(self.library, stream_destroy(stream))?;
        ended.and(forgotten)
    }

    /// [`crate::device::Driver::sync`]
    #[inline]
    pub(super) fn queue_sync(&self, queue: ObjectHandle) -> DeviceResult {
        self.current()?;
        let stream = self.stream(queue)?;
        call!(self.library, stream_synchronize(stream))?;
        match &self.gates {
            Ok(gates) => gates.passed(queue),
            Err(_) => Ok(()),
        }
    }

    /// [`crate::device::Driver::mark`]
    pub(super) fn mark_new(&self, queue: ObjectHandle) -> DeviceResult<ObjectHandle> {
        self.current()?;
        let stream = self.stream(queue)?;
        let event = self.event()?;
        call!(self.library, event_record(event, stream))?;
        Ok(self.marks.used.insert(event))
    }

    /// An event that is not in use.
    pub(super) fn event(&self) -> DeviceResult<Opaque> {
        if let Some(spare) = self.marks.spare() {
            return Ok(spare);
        }
        let mut event = std::ptr::null_mut();
        call!(self.library, event_create(&raw mut event, TIMED))?;
        Ok(event)
    }

    /// [`crate::device::Driver::elapsed_s`]
    pub(super) fn between_s(&self, from: ObjectHandle, to: ObjectHandle) -> DeviceResult<f64> {
        self.current()?;
        let (from, to) = (self.marks.used.at(from)?, self.marks.used.at(to)?);
        let mut milliseconds = 0.0;
        call!(self.library, event_elapsed_time(&raw mut milliseconds, from, to))?;
        Ok(f64::from(milliseconds) * 1e-3)
    }

    /// [`crate::device::Driver::mark_free`]. The event is kept: to make one in a timed region costs as much as a small copy.
    pub(super) fn mark_drop(&self, mark: ObjectHandle) -> DeviceResult {
        let event = self.marks.used.remove(mark)?;
        self.marks.keep(event);
        Ok(())
    }
}
