//! Repetitions of counted calls.

use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_perf::counting::Counting;

use super::timed_call::TimedCall;
use crate::job::CountedRepetition;

/// Most calls of a repetition: an empty function reaches the floor with fewer.
const CALLS_MAX: u64 = 1 << 40;

/// Counts `repetitions` of `kernel`, each with as many calls as last for `floor_s`.
///
/// # Errors
/// What calls are refused for.
pub(super) fn repetitions(
    kernel: &mut TimedCall,
    counting: &mut Counting,
    clock: &Clock,
    (repetitions, floor_s): (u32, f64),
) -> Result<Vec<CountedRepetition>, Fault> {
    let mut calls = 1;
    loop {
        let seconds = kernel.counted(counting, calls, clock)?.seconds;
        if seconds >= floor_s || calls >= CALLS_MAX {
            break;
        }
        let wanted = if seconds > 0.0 { 1.2 * floor_s / seconds } else { 10.0 };
        calls = ((calls as f64 * wanted.clamp(1.5, 10.0)).ceil() as u64).min(CALLS_MAX);
    }
    (0..repetitions).map(|_| kernel.counted(counting, calls, clock)).collect()
}
