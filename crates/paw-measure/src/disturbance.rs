//! What disturbed a timed region.

/// What the operating system did to the threads of a timed region while it ran.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Disturbance {
    /// Summed time the threads stood runnable but not running, in seconds.
    pub run_delay_s: f64,
    /// Involuntary context switches.
    pub switches: u32,
    /// Moves of a thread to another processor.
    pub migrations: u32,
}
