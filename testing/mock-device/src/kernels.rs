//! What kernels do: paw's own by their names; others do nothing but take the time of a launch.
#![allow(unsafe_code)]

use std::ffi::c_void;

use crate::Refusal;
use crate::arithmetic;
use crate::config::Config;
use crate::copies::{Way, moved, work};
use crate::memory::{device_at, is_locked, note_read, note_write};
use crate::queue::Command;
use crate::time::{gate, world};

/// Doubles that a kernel of paw's computes at once: both parts stay in the host's first cache.
const PART: usize = 1024;

/// The arguments of a launch: addresses of eight bytes each.
pub(crate) struct Arguments(*const *const c_void);

impl Arguments {
    pub(crate) fn word(&self, at: usize) -> u64 {
        let place = self.0.wrapping_add(at);
        // SAFETY: the caller hands over as many places as the kernel has arguments.
        let place = unsafe { place.read() };
        // SAFETY: each place holds at least the argument; paw's own are all of eight bytes.
        unsafe { place.cast::<u64>().read_unaligned() }
    }

    pub(crate) fn size(&self, at: usize) -> usize {
        self.word(at) as usize
    }

    /// The address of an array of `n` doubles on a device.
    fn doubles(&self, at: usize, n: usize) -> Option<usize> {
        let address = self.size(at);
        device_at(address, 8 * n).map(|_| address)
    }
}

/// Starts so many threads of a kernel of that name, on a device and in one of its queues, with places of arguments of eight bytes each.
///
/// # Errors
/// An argument leads nowhere, or there is no such queue.
pub fn start(
    name: &str,
    (device, queue): (usize, usize),
    threads: usize,
    arguments: *const *const c_void,
) -> Result<(), Refusal> {
    let arguments = Arguments(arguments);
    let command = match name {
        "paw_gate" => Some(Command::Gate {
            number: gate(arguments.size(0)),
            limit_ns: arguments.word(1) as f64 * Config::chosen().gate_scale,
        }),
        "paw_copy" | "paw_scale" | "paw_add" | "paw_triad" => streamed(name, device, &arguments),
        _ if name.starts_with("paw_fma_") => arithmetic::chains(name, device, threads, &arguments),
        _ if name.starts_with("paw_intensity_") => arithmetic::intensity(name, device, &arguments),
        _ => match name.strip_prefix("paw_words_").map(str::parse) {
            Some(Ok(width)) => words(width, device, &arguments),
            _ => Some(work(Way::Within(device), 0, Config::chosen().launch_us, f64::INFINITY)),
        },
    };
    let command = command.ok_or(Refusal::Value)?;
    if world(|world| world.push(queue, command)) { Ok(()) } else { Err(Refusal::Queue) }
}

fn streamed(name: &str, device: usize, arguments: &Arguments) -> Option<Command> {
    let (arrays, has_factor) = match name {
        "paw_copy" => (2, false),
        "paw_scale" => (2, true),
        "paw_add" => (3, false),
        _ => (3, true),
    };
    let n = arguments.size(arrays + usize::from(has_factor));
    let factor = if has_factor { f64::from_bits(arguments.word(arrays)) } else { 1.0 };
    let to = arguments.doubles(0, n)?;
    let from = (1..arrays).map(|at| arguments.doubles(at, n)).collect::<Option<Vec<usize>>>()?;
    from.iter().for_each(|address| note_read(*address, 8 * n));
    note_write(to, 8 * n);
    let mut parts = [[0.0; PART]; 2];
    for first in (0..n).step_by(PART) {
        let count = PART.min(n - first);
        for (part, address) in parts.iter_mut().zip(&from) {
            // SAFETY: that many doubles of device memory are there; they are copied, so that arrays may be one another.
            unsafe { part.as_mut_ptr().copy_from_nonoverlapping((*address as *const f64).wrapping_add(first), count) };
        }
        let [x, y] = &mut parts;
        match name {
            "paw_copy" => {}
            "paw_scale" => x.iter_mut().for_each(|x| *x *= factor),
            _ => x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * *y),
        }
        // SAFETY: as above, and nothing refers to them.
        unsafe { (to as *mut f64).wrapping_add(first).copy_from_nonoverlapping(x.as_ptr(), count) };
    }
    Some(work(Way::Within(device), arrays * n * 8, Config::chosen().launch_us, f64::INFINITY))
}

/// Words that a kernel copies over the bus.
fn words(width: usize, device: usize, arguments: &Arguments) -> Option<Command> {
    let (to, from, bytes) = (arguments.size(0), arguments.size(1), arguments.size(2).checked_mul(width)?);
    let way = match (device_at(to, bytes), device_at(from, bytes)) {
        (Some(_), Some(_)) => Way::Within(device),
        (Some(_), None) if is_locked(from, bytes) => Way::In(device),
        (None, Some(_)) if is_locked(to, bytes) => Way::Out(device),
        _ => return None,
    };
    moved(to, from, bytes);
    Some(work(way, bytes, Config::chosen().launch_us, f64::INFINITY))
}
