//! The clock of a core, beside what is timed on it.
//!
//! Additions of two registers: cores that remove additions of small constants when they rename registers (Intel since Golden Cove) do not
//! remove these, and `paw selftest` holds them against multiplications, which no core removes.

use paw_measure::clock::Clock;
use paw_native::clock_chain::{ADD_CYCLES, adds};

/// Additions of one probe of the core's clock: about 15 µs, a thousand times a clock's 10 ns.
const PROBE_STEPS: u64 = 60_000;
/// Probes before and after a region; the fastest one counts, because interrupts only slow them down.
const PROBES: u32 = 3;

/// The clock of this thread's core in hertz, from chains of dependent additions.
pub(super) fn core_hz(clock: &Clock) -> f64 {
    let probe = |_| {
        let start = clock.start();
        let steps = adds(PROBE_STEPS);
        let stop = clock.stop();
        steps as f64 * ADD_CYCLES / clock.seconds(start, stop)
    };
    (0..PROBES).map(probe).fold(0.0, f64::max)
}
