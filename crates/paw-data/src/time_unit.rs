//! Units of time by the names that people write.

/// The units in seconds.
const UNITS: [(&str, f64); 8] =
    [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("μs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0)];

/// The seconds of one `unit`; `None` where it is no unit of time.
pub fn seconds(unit: &str) -> Option<f64> {
    UNITS.iter().find(|(name, _)| *name == unit.trim()).map(|(_, seconds)| *seconds)
}
