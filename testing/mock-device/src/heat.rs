//! How warm a device has become by what it computed, and how much slower it is from some heat on.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::config::Config;

/// Nanoseconds that each device has computed.
static COMPUTED_NS: Mutex<BTreeMap<usize, f64>> = Mutex::new(BTreeMap::new());

/// How long a computation takes on a device that would take `cool_ns` on a cool one; it grows warmer by that.
pub(crate) fn spent_ns(device: usize, cool_ns: f64) -> f64 {
    let is_hot = is_hot(device);
    let taken_ns = if is_hot { cool_ns / Config::chosen().hot_speed } else { cool_ns };
    *COMPUTED_NS.lock().unwrap_or_else(PoisonError::into_inner).entry(device).or_default() += taken_ns;
    taken_ns
}

/// Whether it has computed for as long as the configuration says that it stays cool.
pub fn is_hot(device: usize) -> bool {
    let computed_ns = COMPUTED_NS.lock().unwrap_or_else(PoisonError::into_inner).get(&device).copied().unwrap_or(0.0);
    computed_ns * 1e-9 >= Config::chosen().hot_after_s
}

/// What a unit of each device has counted, and when: cycles and nanoseconds.
static COUNTED: Mutex<BTreeMap<usize, (f64, f64)>> = Mutex::new(BTreeMap::new());

/// Cycles that a unit of a device has counted at `now_ns`, and that time, in whole nanoseconds; a hot one counts more slowly.
pub(crate) fn counted(device: usize, now_ns: f64, cycles_a_ns: f64) -> (u64, u64) {
    let rate = if is_hot(device) { cycles_a_ns * Config::chosen().hot_speed } else { cycles_a_ns };
    let mut counted = COUNTED.lock().unwrap_or_else(PoisonError::into_inner);
    let (cycles, at_ns) = counted.entry(device).or_insert((1e6, now_ns));
    *cycles += rate * (now_ns - *at_ns);
    *at_ns = now_ns;
    (*cycles as u64, 1 + now_ns as u64)
}
