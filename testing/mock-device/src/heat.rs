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
