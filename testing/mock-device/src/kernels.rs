//! What kernels do: paw's own by their names; others do nothing but take the time of a launch.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Refusal;
use crate::arithmetic;
use crate::config::Config;
use crate::copies::{Way, moved, work};
use crate::heat;
use crate::managed::{self, Place};
use crate::memory::{device_at, is_locked, note_read, note_write};
use crate::peers::usable_by;
use crate::queue::{Command, Link};
use crate::time::{gate, now_ns, world};

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

    /// The address of an array of `n` words of eight bytes that kernels of a device may use.
    fn array(&self, at: usize, n: usize, device: usize) -> Result<usize, Refusal> {
        let address = self.size(at);
        n.checked_mul(8).and_then(|bytes| usable_by(device, address, bytes)).map(|_| address).ok_or(Refusal::Address)
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
        "paw_gate" => Ok(Command::Gate {
            number: gate(arguments.size(0)),
            limit_ns: arguments.word(1) as f64 * Config::chosen().gate_scale,
        }),
        "paw_copy" | "paw_scale" | "paw_add" | "paw_triad" => streamed(name, device, &arguments),
        "paw_chase" => chased(device, &arguments),
        "paw_update" => updated(device, &arguments),
        "paw_cycles" => counted(device, &arguments),
        _ if name.starts_with("paw_fma_") => {
            arithmetic::chains(name, device, threads, &arguments).ok_or(Refusal::Value)
        }
        _ if name.starts_with("paw_matrix_") => {
            arithmetic::matrices(name, device, threads, &arguments).ok_or(Refusal::Value)
        }
        _ if name.starts_with("paw_intensity_") => {
            arithmetic::intensity(name, device, &arguments).ok_or(Refusal::Value)
        }
        _ => match name.strip_prefix("paw_words_").map(str::parse) {
            Some(Ok(width)) => words(width, device, &arguments),
            _ => Ok(work(Way::Within(device), 0, Config::chosen().launch_us, f64::INFINITY)),
        },
    };
    let command = command?;
    if world(|world| world.push(queue, command)) { Ok(()) } else { Err(Refusal::Queue) }
}

/// A command that takes so long.
fn lasting(device: usize, ns: f64) -> Command {
    let fixed_ns = Config::chosen().launch_us * 1e3 + ns;
    Command::Work {
        fixed_ns,
        bytes: 0.0,
        link: Link::Within(device),
        link_rate: f64::INFINITY,
        own_rate: f64::INFINITY,
    }
}

/// Loads along a chain, each of which waits for the one before.
fn chased(device: usize, arguments: &Arguments) -> Result<Command, Refusal> {
    let (state, chain, hops) = (arguments.array(0, 1, device)?, arguments.array(1, 1, device)?, arguments.size(2));
    let owner = usable_by(device, chain, 8).ok_or(Refusal::Address)?;
    note_read(state, 8);
    let load = |address: usize| -> Result<u64, Refusal> {
        usable_by(device, address, 8).ok_or(Refusal::Address)?;
        // SAFETY: eight bytes of device memory are there.
        Ok(unsafe { (address as *const u64).read_unaligned() })
    };
    let mut place = load(state)?;
    for _ in 0..hops {
        place = load(chain + 8 * place as usize)?;
    }
    note_write(state, 8);
    // SAFETY: eight bytes of device memory are there.
    unsafe { (state as *mut u64).write_unaligned(place) };
    let config = Config::chosen();
    Ok(lasting(device, hops as f64 * if owner == device { config.chase_ns } else { config.peer_chase_ns }))
}

/// Words of a table changed at places that the update's number gives.
fn updated(device: usize, arguments: &Arguments) -> Result<Command, Refusal> {
    let (shift, seed, updates) = (arguments.word(1) as u32, arguments.word(2), arguments.word(3));
    let table = arguments.array(0, 1 << (64 - shift.clamp(1, 64)), device)?;
    static LAUNCHES: AtomicU64 = AtomicU64::new(0);
    let launch = LAUNCHES.fetch_add(1, Ordering::Relaxed) + 1;
    let wrong = Config::chosen().wrong;
    for update in 0..updates {
        let bits = split_mix(seed, update);
        let at = (table as *mut u64).wrapping_add((bits >> shift) as usize);
        // SAFETY: a place below the number of words that are there, as looked up above.
        let word = unsafe { at.read_unaligned() };
        let change = if wrong != 0 && launch.is_multiple_of(wrong) && update == updates / 2 { bits ^ 1 } else { bits };
        // SAFETY: as above.
        unsafe { at.write_unaligned(word ^ change) };
    }
    Ok(lasting(device, updates as f64 * Config::chosen().update_ns))
}

/// Cycles of each of four units, which began to count at different times, and the nanoseconds of one timer.
fn counted(device: usize, arguments: &Arguments) -> Result<Command, Refusal> {
    let places = arguments.size(1);
    let out = arguments.array(0, 2 * places, device)?;
    let (cycles, ns) = heat::counted(device, now_ns(), Config::chosen().unit_ghz);
    for unit in 0..places.min(4) {
        let place = (out as *mut u64).wrapping_add(2 * unit);
        note_write(place.addr(), 16);
        // SAFETY: two words of device memory are there, as looked up above.
        unsafe { place.write_unaligned(cycles + 1_000_003 * unit as u64) };
        // SAFETY: as above.
        unsafe { place.wrapping_add(1).write_unaligned(ns) };
    }
    Ok(lasting(device, 0.0))
}

/// Number `index` of the stream of `seed` (Steele, Lea and Flood, OOPSLA 2014).
fn split_mix(seed: u64, index: u64) -> u64 {
    let mut bits = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn streamed(name: &str, device: usize, arguments: &Arguments) -> Result<Command, Refusal> {
    let (arrays, has_factor) = match name {
        "paw_copy" => (2, false),
        "paw_scale" => (2, true),
        "paw_add" => (3, false),
        _ => (3, true),
    };
    let n = arguments.size(arrays + usize::from(has_factor));
    let factor = if has_factor { f64::from_bits(arguments.word(arrays)) } else { 1.0 };
    let to = arguments.array(0, n, device)?;
    let from = (1..arrays).map(|at| arguments.array(at, n, device)).collect::<Result<Vec<usize>, Refusal>>()?;
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
    Ok(work(Way::Within(device), arrays * n * 8, Config::chosen().launch_us, f64::INFINITY))
}

/// Words that a kernel copies over a link.
fn words(width: usize, device: usize, arguments: &Arguments) -> Result<Command, Refusal> {
    let (to, from) = (arguments.size(0), arguments.size(1));
    let bytes = arguments.size(2).checked_mul(width).ok_or(Refusal::Value)?;
    let config = Config::chosen();
    let mut own_gbs = f64::INFINITY;
    let way = match (usable_by(device, to, bytes), usable_by(device, from, bytes)) {
        (Some(to), Some(from)) if to == from => Way::Within(to),
        (Some(to), Some(from)) => Way::Peer(from, to),
        (Some(_), None) if is_locked(from, bytes) => Way::In(device),
        (None, Some(_)) if is_locked(to, bytes) => Way::Out(device),
        (Some(_), None) | (None, Some(_)) => {
            let managed = if device_at(to, bytes).is_some() { from } else { to };
            match managed::used(managed, bytes).ok_or(Refusal::Address)? {
                Place::Device => Way::Within(device),
                Place::Elsewhere => {
                    own_gbs = config.managed_gbs;
                    Way::In(device)
                }
            }
        }
        (None, None) => return Err(Refusal::Address),
    };
    moved(to, from, bytes);
    Ok(work(way, bytes, config.launch_us, own_gbs))
}
