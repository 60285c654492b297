//! Copies: the bytes move when the call is made, the time passes in the queue.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Refusal;
use crate::config::Config;
use crate::memory::{device_at, is_locked, note_read, note_write};
use crate::peers::may_access;
use crate::queue::{Command, Link};
use crate::time::{wait_until, world};

/// One of the ways that bytes take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    In(usize),
    Out(usize),
    Within(usize),
    /// From one device to another.
    Peer(usize, usize),
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
        Way::Peer(from, to) => {
            (Link::Peer(from, to), config.peer_gbs * if config.slow_pair.is(from, to) { 0.25 } else { 1.0 })
        }
    };
    // 10⁹ bytes a second are bytes a nanosecond.
    Command::Work { fixed_ns: before_us * 1e3, bytes: bytes as f64, link, link_rate, own_rate: own_gbs }
}

/// Moves bytes now. Every `wrong`-th time, and as often as `wrong_for` says from there on, one of them is wrong.
pub(crate) fn moved(to: usize, from: usize, bytes: usize) {
    static COPIES: AtomicU64 = AtomicU64::new(0);
    note_read(from, bytes);
    note_write(to, bytes);
    let (target, source) = (to as *mut u8, from as *const u8);
    // SAFETY: callers hand over memory of that size; the two may overlap.
    unsafe { target.copy_from(source, bytes) };
    let copy = COPIES.fetch_add(1, Ordering::Relaxed) + 1;
    let Config { wrong, wrong_for, .. } = *Config::chosen();
    if wrong != 0 && copy >= wrong && copy % wrong < wrong_for && bytes > 0 {
        let at = target.wrapping_add(bytes / 2);
        // One more, so that the way back does not make it right.
        // SAFETY: it lies within what was written above.
        unsafe { at.write(at.read().wrapping_add(1)) };
    }
}

/// What a call answers.
type Answer = Result<(), Refusal>;

fn queued(queue: usize, command: Command) -> Answer {
    if world(|world| world.push(queue, command)) { Ok(()) } else { Err(Refusal::Queue) }
}

fn with_host(queue: usize, way: Way, (to, from): (usize, usize), host: usize, bytes: usize) -> Answer {
    let config = Config::chosen();
    let locked = bytes == 0 || is_locked(host, bytes);
    let own_gbs = if locked { f64::INFINITY } else { config.pageable_gbs };
    // Queued first: the time that moving the bytes takes here is part of what the copy lasts.
    queued(queue, work(way, bytes, config.latency_us, own_gbs))?;
    moved(to, from, bytes);
    if !locked {
        // It goes through the driver's own memory, and the caller waits.
        wait_until(|world| world.is_done(queue) != Some(false));
    }
    Ok(())
}

/// Queues a copy from the host to a device's memory at `to`.
///
/// # Errors
/// The device has no such memory, or there is no such queue; so in all that follow.
pub fn copy_in(queue: usize, to: usize, from: usize, bytes: usize) -> Answer {
    let device = device_at(to, bytes).ok_or(Refusal::Value)?;
    with_host(queue, Way::In(device), (to, from), from, bytes)
}

/// Queues a copy from a device's memory at `from` to the host.
///
/// # Errors
/// As [`copy_in`].
pub fn copy_out(queue: usize, to: usize, from: usize, bytes: usize) -> Answer {
    let device = device_at(from, bytes).ok_or(Refusal::Value)?;
    with_host(queue, Way::Out(device), (to, from), to, bytes)
}

/// Queues a copy within a device.
///
/// # Errors
/// As [`copy_in`].
pub fn copy_within(queue: usize, to: usize, from: usize, bytes: usize) -> Answer {
    let (Some(device), Some(_)) = (device_at(to, bytes), device_at(from, bytes)) else { return Err(Refusal::Value) };
    // Read and written.
    let answer = queued(queue, work(Way::Within(device), 2 * bytes, Config::chosen().latency_us, f64::INFINITY));
    moved(to, from, bytes);
    answer
}

/// Queues a copy between the memories of two devices: directly where one may use the memory of the other, else by the host, half as fast as the
/// slower way.
///
/// # Errors
/// As [`copy_in`]; also where an address is not of the device that it is said to be of.
pub fn copy_peer(queue: usize, to: (usize, Option<usize>), from: (usize, Option<usize>), bytes: usize) -> Answer {
    let (target, source) = (device_at(to.0, bytes), device_at(from.0, bytes));
    let (Some(target), Some(source)) = (target, source) else { return Err(Refusal::Value) };
    if (Some(target), Some(source)) != (to.1, from.1) {
        return Err(Refusal::Value);
    }
    let config = Config::chosen();
    let command = if may_access(target, source) || may_access(source, target) {
        work(Way::Peer(source, target), bytes, config.latency_us, f64::INFINITY)
    } else {
        work(Way::In(target), bytes, 2.0 * config.latency_us, config.in_gbs.min(config.out_gbs) / 2.0)
    };
    let answer = queued(queue, command);
    moved(to.0, from.0, bytes);
    answer
}

/// Queues a fill of a device's memory. The bytes are written first: what is queued right behind finds the device busy, as behind a real fill.
///
/// # Errors
/// As [`copy_in`].
pub fn fill(queue: usize, to: usize, byte: u8, bytes: usize) -> Answer {
    let device = device_at(to, bytes).ok_or(Refusal::Value)?;
    note_write(to, bytes);
    // SAFETY: the device's memory is at least as large, as looked up above.
    unsafe { (to as *mut u8).write_bytes(byte, bytes) };
    queued(queue, work(Way::Within(device), bytes, Config::chosen().launch_us, f64::INFINITY))
}
