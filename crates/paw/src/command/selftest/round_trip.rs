//! A request to a worker process and its reply: what every sample of a library costs beside its timed region.

use super::check::{Check, Row};

/// The check.
pub const CHECK: Check = Check::timed(&[Row::at_most("worker round trip", "us", 1000.0, 1)], |machine| {
    let times_s = machine.round_trips_s(ROUND_TRIPS)?;
    Ok(vec![times_s.into_iter().fold(f64::INFINITY, f64::min) * 1e6])
});

/// Round trips of which the fastest counts.
const ROUND_TRIPS: usize = 300;
