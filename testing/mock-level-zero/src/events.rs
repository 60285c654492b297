//! Events and their pools.
#![allow(unsafe_code)]
// The names are Level Zero's.
#![allow(non_snake_case)]

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mock_device::{wait_until, world};

use crate::api::{
    Answer, INVALID_ARGUMENT, INVALID_SYNCHRONIZATION_OBJECT, NOT_READY, OBJECT_IN_USE, Object, config, context,
    described, forget, keep, object, result, write,
};
use crate::devices::{Head, TICKS_PER_S, VALID_BITS};

/// The count of the devices' clock at the start: it begins anew a tenth of a millisecond later.
const COUNT_AT_START: u64 = (1 << VALID_BITS) - TICKS_PER_S / 10_000;

/// A pool: what its events carry, and which of its places are taken.
pub(crate) struct Pool {
    is_timed: bool,
    places: Mutex<Vec<bool>>,
}

/// An event: its mark is stamped when a device signals it, its words are set when the host does.
pub(crate) struct Event {
    pool: Arc<Pool>,
    place: usize,
    mark: AtomicUsize,
    /// 1 when a command is to signal it, 2 when one waits for it.
    uses: AtomicU64,
    /// Never freed: a queue may look at them after the event is gone.
    words: &'static [AtomicU32; 2],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct PoolDesc {
    head: Head,
    flags: u32,
    count: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct EventDesc {
    head: Head,
    index: u32,
    signal: u32,
    wait: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Timestamps {
    global: [u64; 2],
    context: [u64; 2],
}

impl Event {
    /// Seconds of the device, where one has signalled it.
    fn stamp_ns(&self) -> Option<f64> {
        world(|world| world.stamp_ns(self.mark.load(Ordering::Acquire))).flatten()
    }

    fn is_signalled(&self) -> bool {
        self.words[0].load(Ordering::Acquire) != 0 || self.stamp_ns().is_some()
    }

    /// The mark that a command stamps, and the event signalled: once, until the next reset.
    pub(crate) fn to_be_signalled(&self) -> Answer<usize> {
        let used = self.uses.fetch_or(1, Ordering::AcqRel);
        if used & 1 == 1 || self.is_signalled() {
            return Err(INVALID_SYNCHRONIZATION_OBJECT);
        }
        Ok(self.mark.load(Ordering::Acquire))
    }

    /// The mark by which a command is to signal it, if one is.
    pub(crate) fn awaited(&self) -> Option<usize> {
        (self.uses.load(Ordering::Acquire) & 1 == 1).then(|| self.mark.load(Ordering::Acquire))
    }

    /// The number of the gate that waits for it. After so many as the configuration says, nobody sees that the host signals.
    pub(crate) fn gate(&self) -> usize {
        static GATES: AtomicU64 = AtomicU64::new(0);
        let hangs = usize::from(GATES.fetch_add(1, Ordering::Relaxed) >= config().hang);
        std::ptr::from_ref(self.words).addr() | hangs
    }
}

/// The event of a handle.
pub(crate) fn event(handle: usize) -> Answer<Arc<Event>> {
    object(handle, |object| match object {
        Object::Event(event) => Some(Arc::clone(event)),
        _ => None,
    })
}

fn pool(handle: usize) -> Answer<Arc<Pool>> {
    object(handle, |object| match object {
        Object::Pool(pool) => Some(Arc::clone(pool)),
        _ => None,
    })
}

#[unsafe(no_mangle)]
extern "C" fn zeEventPoolCreate(
    handle: usize,
    desc: *const c_void,
    _devices: u32,
    _handles: *const usize,
    to: *mut usize,
) -> c_int {
    result(context(handle).and_then(|()| {
        let desc: PoolDesc = described(desc.cast(), 0x10)?;
        if desc.count == 0 || desc.flags > 7 {
            return Err(INVALID_ARGUMENT);
        }
        let places = Mutex::new(vec![false; desc.count as usize]);
        write(to, keep(Object::Pool(Arc::new(Pool { is_timed: desc.flags & 4 != 0, places }))))
    }))
}

/// Its events go before it.
#[unsafe(no_mangle)]
extern "C" fn zeEventPoolDestroy(handle: usize) -> c_int {
    result(pool(handle).and_then(|pool| {
        if pool.places.lock().unwrap_or_else(PoisonError::into_inner).contains(&true) {
            return Err(OBJECT_IN_USE);
        }
        forget(handle, |_| Some(()))
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeEventCreate(handle: usize, desc: *const c_void, to: *mut usize) -> c_int {
    result(pool(handle).and_then(|pool| {
        let desc: EventDesc = described(desc.cast(), 0x11)?;
        let place = desc.index as usize;
        {
            let mut places = pool.places.lock().unwrap_or_else(PoisonError::into_inner);
            match places.get_mut(place) {
                Some(taken) if !*taken => *taken = true,
                _ => return Err(INVALID_ARGUMENT),
            }
        }
        let words: &'static [AtomicU32; 2] = Box::leak(Box::new([AtomicU32::new(0), AtomicU32::new(0)]));
        let mark = AtomicUsize::new(world(|world| world.mark()));
        write(to, keep(Object::Event(Arc::new(Event { pool, place, mark, uses: AtomicU64::new(0), words }))))
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeEventDestroy(handle: usize) -> c_int {
    result(event(handle).and_then(|event| {
        event.pool.places.lock().unwrap_or_else(PoisonError::into_inner)[event.place] = false;
        forget(handle, |_| Some(()))
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeEventHostSignal(handle: usize) -> c_int {
    result(event(handle).map(|event| event.words[0].store(1, Ordering::Release)))
}

#[unsafe(no_mangle)]
extern "C" fn zeEventHostReset(handle: usize) -> c_int {
    result(event(handle).and_then(|event| {
        // What is to signal it would signal its next use.
        if event.uses.swap(0, Ordering::AcqRel) & 1 == 1 && event.stamp_ns().is_none() {
            return Err(INVALID_SYNCHRONIZATION_OBJECT);
        }
        event.words[0].store(0, Ordering::Release);
        event.mark.store(world(|world| world.mark()), Ordering::Release);
        Ok(())
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeEventQueryStatus(handle: usize) -> c_int {
    result(event(handle).and_then(|event| if event.is_signalled() { Ok(()) } else { Err(NOT_READY) }))
}

#[unsafe(no_mangle)]
extern "C" fn zeEventHostSynchronize(handle: usize, timeout: u64) -> c_int {
    result(event(handle).and_then(|event| {
        if timeout == 0 {
            return if event.is_signalled() { Ok(()) } else { Err(NOT_READY) };
        }
        let mark = event.mark.load(Ordering::Acquire);
        let by_host = || event.words[0].load(Ordering::Acquire) != 0;
        wait_until(|world| by_host() || world.stamp_ns(mark).flatten().is_some());
        Ok(())
    }))
}

#[unsafe(no_mangle)]
extern "C" fn zeEventQueryKernelTimestamp(handle: usize, to: *mut c_void) -> c_int {
    result(event(handle).and_then(|event| {
        if !event.pool.is_timed {
            return Err(INVALID_SYNCHRONIZATION_OBJECT);
        }
        let stamp_ns = event.stamp_ns().ok_or(NOT_READY)?;
        let stamp_ns = if config().bogus_events { 0.0 } else { stamp_ns };
        let count = COUNT_AT_START + (stamp_ns * 1e-9 * TICKS_PER_S as f64).round() as u64;
        // Bits above those that mean something are noise.
        let count = count & ((1 << VALID_BITS) - 1) | (count.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) << VALID_BITS;
        write(to.cast(), Timestamps { global: [count; 2], context: [0; 2] })
    }))
}
