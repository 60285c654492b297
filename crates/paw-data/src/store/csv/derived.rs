//! A number computed from a cell on export.

/// One number with its name.
pub(super) struct Derived {
    pub quantity: String,
    pub unit: String,
    pub statistic: &'static str,
    pub value: f64,
    /// The interval, where there is one.
    pub ends: Option<(f64, f64)>,
    /// Samples it comes from.
    pub samples: usize,
}
