//! Copies: the bytes move when the call is made, the time passes in the queue.
#![allow(unsafe_code)]
// The names are CUDA's.
#![allow(non_snake_case)]

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::config::Config;
use crate::driver::{INVALID_HANDLE, INVALID_VALUE, SUCCESS, device_of};
use crate::memory::{device_at, is_locked, note_read, note_write};
use crate::queue::{Command, Link};
use crate::time::{wait_until, world};

/// One of the ways that bytes take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    In(usize),
    Out(usize),
    Within(usize),
}

/// What moving bytes that way costs, after so long.
pub(crate) fn work(way: Way, bytes: usize, before_us: f64, own_gbs: f64) -> Command {
    let config = Config::chosen();
    let bus = |device: usize| if config.shared_bus { 0 } else { device };
    let speed = |device: usize| if config.slow_device == device { 0.25 } else { 1.0 };
    let (link, link_rate) = match way {
        Way::In(device) => (Link::In(bus(device)), config.in_gbs * speed(device)),
        Way::Out(device) => (Link::Out(bus(device)), config.out_gbs * speed(device)),
        Way::Within(device) => (Link::Within(device), config.device_gbs),
    };
    // 10⁹ bytes a second are bytes a nanosecond.
    Command::Work { fixed_ns: before_us * 1e3, bytes: bytes as f64, link, link_rate, own_rate: own_gbs }
}

/// Moves bytes now. Every `wrong`-th time one of them is wrong.
pub(crate) fn moved(to: usize, from: usize, bytes: usize) {
    static COPIES: AtomicU64 = AtomicU64::new(0);
    note_read(from, bytes);
    note_write(to, bytes);
    let (target, source) = (to as *mut u8, from as *const u8);
    // SAFETY: callers hand over memory of that size; the two may overlap.
    unsafe { target.copy_from(source, bytes) };
    let copy = COPIES.fetch_add(1, Ordering::Relaxed) + 1;
    let wrong = Config::chosen().wrong;
    if wrong != 0 && copy.is_multiple_of(wrong) && bytes > 0 {
        let at = target.wrapping_add(bytes / 2);
        // One more, so that the way back does not make it right.
        // SAFETY: it lies within what was written above.
        unsafe { at.write(at.read().wrapping_add(1)) };
    }
}

fn queued(stream: usize, command: Command) -> c_int {
    if world(|world| world.push(stream, command)) { SUCCESS } else { INVALID_HANDLE }
}

fn with_host(stream: usize, way: Way, (to, from): (usize, usize), host: usize, bytes: usize) -> c_int {
    let config = Config::chosen();
    let locked = bytes == 0 || is_locked(host, bytes);
    let own_gbs = if locked { f64::INFINITY } else { config.pageable_gbs };
    // Queued first: the time that moving the bytes takes here is part of what the copy lasts.
    let code = queued(stream, work(way, bytes, config.latency_us, own_gbs));
    if code != SUCCESS {
        return code;
    }
    moved(to, from, bytes);
    if !locked {
        // It goes through the driver's own memory, and the caller waits.
        wait_until(|world| world.is_done(stream) != Some(false));
    }
    SUCCESS
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: usize) -> c_int {
    let Some(device) = device_at(to as usize, bytes) else { return INVALID_VALUE };
    with_host(stream, Way::In(device), (to as usize, from as usize), from as usize, bytes)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, bytes: usize, stream: usize) -> c_int {
    let Some(device) = device_at(from as usize, bytes) else { return INVALID_VALUE };
    with_host(stream, Way::Out(device), (to as usize, from as usize), to as usize, bytes)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) -> c_int {
    let (Some(device), Some(_)) = (device_at(to as usize, bytes), device_at(from as usize, bytes)) else {
        return INVALID_VALUE;
    };
    // Read and written.
    let code = queued(stream, work(Way::Within(device), 2 * bytes, Config::chosen().latency_us, f64::INFINITY));
    moved(to as usize, from as usize, bytes);
    code
}

/// Directly where devices reach each other, else by the host: half as fast as the slower way.
#[unsafe(no_mangle)]
extern "C" fn cuMemcpyPeerAsync(
    to: u64,
    to_context: usize,
    from: u64,
    from_context: usize,
    bytes: usize,
    stream: usize,
) -> c_int {
    let (target, source) = (device_at(to as usize, bytes), device_at(from as usize, bytes));
    let Some(device) = target.filter(|_| target == device_of(to_context) && source == device_of(from_context)) else {
        return INVALID_VALUE;
    };
    let config = Config::chosen();
    let command = if config.peer {
        work(Way::Within(device), bytes, config.latency_us, f64::INFINITY)
    } else {
        work(Way::In(device), bytes, 2.0 * config.latency_us, config.in_gbs.min(config.out_gbs) / 2.0)
    };
    let code = queued(stream, command);
    moved(to as usize, from as usize, bytes);
    code
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8Async(to: u64, byte: u8, bytes: usize, stream: usize) -> c_int {
    let Some(device) = device_at(to as usize, bytes) else { return INVALID_VALUE };
    let code = queued(stream, work(Way::Within(device), bytes, Config::chosen().launch_us, f64::INFINITY));
    note_write(to as usize, bytes);
    // SAFETY: the device's memory is at least as large, as looked up above.
    unsafe { (to as *mut u8).write_bytes(byte, bytes) };
    code
}
