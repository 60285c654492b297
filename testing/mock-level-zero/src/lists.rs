//! Immediate command lists: each is a queue of the device.
#![allow(unsafe_code)]
// The names and signatures are Level Zero's.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mock_device::copies;
use mock_device::memory::device_at;
use mock_device::{Command, wait_until, world};

use crate::api::{
    Answer, INVALID_ARGUMENT, INVALID_ENUMERATION, INVALID_NULL_POINTER, INVALID_SIZE, Object, UNSUPPORTED_FEATURE,
    config, context, described, device, forget, keep, object, read, result, told, version, write,
};
use crate::devices::Head;
use crate::events::event;

/// `ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY` and `ZE_COMMAND_QUEUE_FLAG_IN_ORDER`.
const EXPLICIT_ONLY: u32 = 1;
const IN_ORDER: u32 = 2;

/// A list.
pub(crate) struct List {
    pub(crate) device: usize,
    pub(crate) queue: usize,
    /// The engine runs kernels.
    computes: bool,
    is_in_order: bool,
    /// A command has no barrier behind it yet.
    is_loose: AtomicBool,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct QueueDesc {
    head: Head,
    ordinal: u32,
    index: u32,
    flags: u32,
    mode: u32,
    priority: u32,
}

impl List {
    /// Refuses a command that nothing keeps behind the one before: a device would run both at once.
    pub(crate) fn follow(&self) -> Answer {
        if !self.is_in_order && self.is_loose.swap(true, Ordering::AcqRel) {
            return Err(INVALID_ARGUMENT);
        }
        Ok(())
    }

    /// Refuses a kernel where there are copies alone.
    pub(crate) fn compute(&self) -> Answer {
        if self.computes { Ok(()) } else { Err(crate::api::INVALID_ARGUMENT) }
    }

    fn push(&self, command: Command) -> Answer {
        if world(|world| world.push(self.queue, command)) { Ok(()) } else { Err(INVALID_ARGUMENT) }
    }

    /// Signals an event when all before it is done; none where there is none.
    pub(crate) fn signal(&self, handle: usize) -> Answer {
        match handle {
            0 => Ok(()),
            _ => self.push(Command::Mark(event(handle)?.to_be_signalled()?)),
        }
    }

    fn wait(&self, handle: usize) -> Answer {
        let event = event(handle)?;
        self.push(match event.awaited() {
            Some(mark) => Command::Await(mark),
            None => Command::Gate { number: event.gate(), limit_ns: f64::INFINITY },
        })
    }

    /// Waits for events before a command.
    pub(crate) fn wait_for(&self, count: u32, events: *const usize) -> Answer {
        if events.is_null() && count > 0 {
            return Err(INVALID_SIZE);
        }
        (0..count as usize).try_for_each(|at| self.wait(read(events.wrapping_add(at))?))
    }
}

/// The list of a handle.
pub(crate) fn list(handle: usize) -> Answer<Arc<List>> {
    object(handle, |object| match object {
        Object::List(list) => Some(Arc::clone(list)),
        _ => None,
    })
}

#[unsafe(no_mangle)]
extern "C" fn zeCommandListCreateImmediate(handle: usize, of: usize, desc: *const c_void, to: *mut usize) -> c_int {
    result(context(handle).and_then(|()| {
        let device = device(of)?;
        let desc: QueueDesc = described(desc.cast(), 0xe)?;
        // A loader that validates may be older than its driver.
        let is_unknown = std::env::var_os("MOCK_LEVEL_ZERO_NO_ORDER").is_some();
        let known = if version() >= (1, 7) && !is_unknown { EXPLICIT_ONLY | IN_ORDER } else { EXPLICIT_ONLY };
        if desc.flags & !known != 0 || desc.mode > 2 || desc.priority > 2 {
            return Err(INVALID_ENUMERATION);
        }
        // Groups have one engine and two.
        if desc.ordinal > 1 || desc.index > desc.ordinal || desc.index > 0 && desc.flags & EXPLICIT_ONLY == 0 {
            return Err(INVALID_ARGUMENT);
        }
        let queue = world(|world| world.queue(device));
        let is_in_order = desc.flags & IN_ORDER != 0;
        let (computes, is_loose) = (desc.ordinal == 1, AtomicBool::new(false));
        write(to, keep(Object::List(Arc::new(List { device, queue, computes, is_in_order, is_loose }))))
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeCommandListDestroy(handle: usize) -> c_int {
    result(list(handle).and_then(|list| {
        world(|world| world.forget_queue(list.queue));
        forget(handle, |_| Some(()))
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeCommandListHostSynchronize(handle: usize, _timeout: u64) -> c_int {
    result(list(handle).and_then(|list| {
        if version() < (1, 6) {
            return Err(UNSUPPORTED_FEATURE);
        }
        wait_until(|world| world.is_done(list.queue) != Some(false));
        Ok(())
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeCommandListAppendBarrier(handle: usize, signal: usize, count: u32, events: *const usize) -> c_int {
    result(list(handle).and_then(|list| {
        list.wait_for(count, events)?;
        list.is_loose.store(false, Ordering::Release);
        list.signal(signal)
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeCommandListAppendWaitOnEvents(handle: usize, count: u32, events: *const usize) -> c_int {
    result(list(handle).and_then(|list| {
        if events.is_null() {
            return Err(INVALID_NULL_POINTER);
        }
        list.follow()?;
        list.wait_for(count, events)
    }))
}

/// Engines that run kernels copy nothing between devices, which no real device does.
fn are_apart() -> bool {
    std::env::var_os("MOCK_LEVEL_ZERO_APART").is_some()
}

/// Which way the bytes take follows from whose they are.
#[unsafe(no_mangle)]
extern "C" fn zeCommandListAppendMemoryCopy(
    handle: usize,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    signal: usize,
    count: u32,
    events: *const usize,
) -> c_int {
    result(list(handle).and_then(|list| {
        if to.is_null() || from.is_null() {
            return Err(INVALID_NULL_POINTER);
        }
        list.follow()?;
        list.wait_for(count, events)?;
        let (to, from, queue) = (to as usize, from as usize, list.queue);
        let copied = match (device_at(to, bytes), device_at(from, bytes)) {
            (Some(a), Some(b)) if a == b => copies::copy_within(queue, to, from, bytes),
            // So that a test sees which engine copies.
            (Some(a), Some(b)) if a != b && list.computes && are_apart() => return Err(UNSUPPORTED_FEATURE),
            (Some(a), Some(b)) if config().peer && (a == list.device || b == list.device) => {
                copies::copy_peer(queue, (to, Some(a)), (from, Some(b)), bytes)
            }
            (Some(_), Some(_)) | (None, None) => return Err(INVALID_ARGUMENT),
            (Some(_), None) => copies::copy_in(queue, to, from, bytes),
            (None, Some(_)) => copies::copy_out(queue, to, from, bytes),
        };
        copied.map_err(told)?;
        list.signal(signal)
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeCommandListAppendMemoryFill(
    handle: usize,
    at: *mut c_void,
    pattern: *const u8,
    pattern_bytes: usize,
    bytes: usize,
    signal: usize,
    count: u32,
    events: *const usize,
) -> c_int {
    result(list(handle).and_then(|list| {
        if at.is_null() {
            return Err(INVALID_NULL_POINTER);
        }
        let byte = read(pattern)?;
        // This driver fills with single bytes alone.
        if pattern_bytes != 1 {
            return Err(INVALID_SIZE);
        }
        list.follow()?;
        list.wait_for(count, events)?;
        copies::fill(list.queue, at as usize, byte, bytes).map_err(told)?;
        list.signal(signal)
    }))
}
