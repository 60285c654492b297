//! The clock all ranks share, and how a rank waits.
#![allow(unsafe_code)]

use std::sync::OnceLock;

/// Nanoseconds of CLOCK_MONOTONIC: the same in every process of the machine.
pub(crate) fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is there to be written.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    u64::try_from(time.tv_sec).unwrap_or_default() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or_default()
}

/// Looks before a waiting rank offers its processor for the first time, where every rank has one.
const PATIENCE: u32 = 2000;

/// One pause between two looks, the `looks`-th of a wait of one of `ranks` ranks.
pub(crate) fn pause(looks: u32, ranks: usize) {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    let processors = *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    if ranks > processors || (looks > PATIENCE && looks.is_multiple_of(64)) {
        std::thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}
