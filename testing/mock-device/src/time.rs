//! The one world of this process, brought to the present by whoever looks at it, and waiting for what comes.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::config::Config;
use crate::queue::{Passed, World};

/// Sleeping ends so much too late at times: what is nearer is waited for awake.
const AWAKE_NS: f64 = 200e3;
/// How long a sleeper does not see that a gate was opened.
const NAP_NS: f64 = 500e3;

pub(crate) fn now_ns() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGIN.elapsed().as_nanos() as f64
}

/// The bit of a gate's number that says that nobody sees it opened; the rest is an address of words of four bytes.
const HANGS: usize = 1;

/// The number of a gate whose words lie there.
pub(crate) fn gate(address: usize) -> usize {
    static GATES: AtomicU64 = AtomicU64::new(0);
    let before = GATES.fetch_add(1, Ordering::Relaxed);
    if before >= Config::chosen().hang { address | HANGS } else { address }
}

/// The two words of a gate: the host sets the first, and reads in the second how the gate ended.
fn words(gate: usize) -> &'static [AtomicU32; 2] {
    // SAFETY: a gate's number is the address that the kernel of gates was started with, of two words that outlive the gate.
    unsafe { &*((gate & !HANGS) as *const [AtomicU32; 2]) }
}

fn is_open(gate: usize) -> bool {
    gate & HANGS == 0 && words(gate)[0].load(Ordering::Acquire) != 0
}

/// Does something with the world as it is now.
pub fn world<T>(does: impl FnOnce(&mut World) -> T) -> T {
    static WORLD: LazyLock<Mutex<World>> = LazyLock::new(Mutex::default);
    let mut world = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    world.advance(now_ns(), is_open);
    for (gate, how) in world.take_passed() {
        let word = if how == Passed::Opened { 1 } else { 2 };
        words(gate)[1].store(word, Ordering::Release);
    }
    does(&mut world)
}

/// Waits until the world is as asked for.
pub fn wait_until(is_so: impl Fn(&World) -> bool) {
    loop {
        let next_ns = world(|world| if is_so(world) { None } else { Some(world.next_end_ns(is_open).unwrap_or(0.0)) });
        let Some(next_ns) = next_ns else { return };
        rest(next_ns);
    }
}

/// Waits that many microseconds.
pub(crate) fn wait_us(microseconds: f64) {
    let end_ns = now_ns() + microseconds * 1e3;
    while now_ns() < end_ns {
        rest(end_ns - now_ns());
    }
}

fn rest(for_ns: f64) {
    if for_ns > 2.0 * AWAKE_NS {
        thread::sleep(Duration::from_nanos((for_ns - AWAKE_NS).min(NAP_NS) as u64));
    } else {
        thread::yield_now();
    }
}
