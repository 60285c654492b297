//! Queues, marks in them and gates before them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use opencl_sys::CL_QUEUE_PROFILING_ENABLE;
use opencl_sys::{CL_COMPLETE, CL_PROFILING_COMMAND_END};

use super::context::Context;
use super::host::HostMemory;
use super::library::Api;
use super::objects::{DeviceId, OwnedObject};
use super::query::Query;
use super::status::{done, made};
use crate::device::error::DeviceError;

/// A queue whose commands run in order.
pub(super) struct Queue {
    api: &'static Api,
    /// Number of closed gates in the queue.
    closed: AtomicUsize,
    /// Host memory that commands may still be copying: kept until they are done.
    in_flight: Mutex<Vec<Arc<HostMemory>>>,
    raw: OwnedObject,
}

impl Queue {
    /// A queue of `device`.
    pub(super) fn new(context: &Context, device: DeviceId) -> Result<Self, DeviceError> {
        let raw = raw_queue(context, device)?;
        Ok(Self { api: context.api, closed: AtomicUsize::new(0), in_flight: Mutex::default(), raw })
    }

    /// OpenCL's queue.
    pub(super) fn raw(&self) -> opencl_sys::cl_command_queue {
        self.raw.raw()
    }

    /// Keeps `host`, which a command queued just now copies, until that is done.
    pub(super) fn keep(&self, host: Arc<HostMemory>) {
        let mut in_flight = self.in_flight();
        if !in_flight.iter().any(|kept| Arc::ptr_eq(kept, &host)) {
            in_flight.push(host);
        }
    }

    /// Submits what is queued to the device.
    pub(super) fn flush(&self) -> Result<(), DeviceError> {
        // SAFETY: the queue is ours.
        done("clFlush", unsafe { (self.api.clFlush)(self.raw()) })
    }

    /// Waits until all that is queued is done; behind a closed gate that would be for ever.
    pub(super) fn sync(&self) -> Result<(), DeviceError> {
        if self.closed.load(Ordering::Acquire) > 0 {
            let why = "the queue waits behind a gate that is closed; open the gate before waiting for the queue";
            return Err(DeviceError::Unsupported(why.to_owned()));
        }
        let kept = std::mem::take(&mut *self.in_flight());
        // SAFETY: the queue is ours.
        let finished = done("clFinish", unsafe { (self.api.clFinish)(self.raw()) });
        if finished.is_err() {
            self.in_flight().extend(kept);
        }
        finished
    }

    fn in_flight(&self) -> MutexGuard<'_, Vec<Arc<HostMemory>>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A mark, stamped when all before it is done.
    pub(super) fn mark(&self) -> Result<OwnedObject, DeviceError> {
        let mut event = std::ptr::null_mut();
        // SAFETY: there is no wait list, and the event is written to a word of ours.
        let status = unsafe { (self.api.clEnqueueMarkerWithWaitList)(self.raw(), 0, std::ptr::null(), &raw mut event) };
        let event = made("clEnqueueMarkerWithWaitList", status, event)?;
        Ok(OwnedObject::new(event, self.api.clReleaseEvent))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // A gate holds its queue, so none is closed. If the device is dead, copies may still be in flight.
        if self.sync().is_err() {
            std::mem::forget(std::mem::take(&mut *self.in_flight()));
        }
    }
}

/// OpenCL's queue alone, in order and with times.
pub(super) fn raw_queue(context: &Context, device: DeviceId) -> Result<OwnedObject, DeviceError> {
    let api = context.api;
    let mut status = 0;
    // SAFETY: the device is one of the context's.
    let raw =
        unsafe { (api.clCreateCommandQueue)(context.raw.raw(), device.0, CL_QUEUE_PROFILING_ENABLE, &raw mut status) };
    Ok(OwnedObject::new(made("clCreateCommandQueue", status, raw)?, api.clReleaseCommandQueue))
}

/// Seconds between two marks by the device's clock; negative if it ran backwards.
pub(super) fn elapsed_s(api: &Api, from: &OwnedObject, to: &OwnedObject) -> Result<f64, DeviceError> {
    let stamp = |mark: &OwnedObject| Query::Profile(mark.raw()).number(api, CL_PROFILING_COMMAND_END);
    let nanoseconds = i128::from(stamp(to)?) - i128::from(stamp(from)?);
    Ok(nanoseconds as f64 * 1e-9)
}

/// A gate that holds its queue closed until it is dropped.
pub(super) struct Gate {
    event: OwnedObject,
    queue: Arc<Queue>,
}

impl Gate {
    /// Makes what is queued in `queue` from now on wait.
    pub(super) fn new(context: &Context, queue: Arc<Queue>) -> Result<Self, DeviceError> {
        let api = context.api;
        let mut status = 0;
        // SAFETY: the context is open.
        let event = unsafe { (api.clCreateUserEvent)(context.raw.raw(), &raw mut status) };
        let event = OwnedObject::new(made("clCreateUserEvent", status, event)?, api.clReleaseEvent);
        let waits_for = event.raw();
        queue.closed.fetch_add(1, Ordering::AcqRel);
        // From here on the event is completed on every way out, by `drop`.
        let gate = Self { event, queue };
        let none = std::ptr::null_mut();
        // SAFETY: the wait list is one event of the same context.
        let status = unsafe { (api.clEnqueueBarrierWithWaitList)(gate.queue.raw(), 1, &raw const waits_for, none) };
        done("clEnqueueBarrierWithWaitList", status)?;
        Ok(gate)
    }

    /// Whether this gate is in `queue`.
    pub(super) fn is_before(&self, queue: &Arc<Queue>) -> bool {
        Arc::ptr_eq(&self.queue, queue)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        // SAFETY: a user event of ours, completed once.
        let _ = unsafe { (self.queue.api.clSetUserEventStatus)(self.event.raw(), CL_COMPLETE) };
        self.queue.closed.fetch_sub(1, Ordering::AcqRel);
    }
}
