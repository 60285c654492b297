//! How a worker is started, and how long it may take.

use std::path::PathBuf;
use std::time::Duration;

/// How a worker is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Its name in faults: `openblas`.
    pub name: String,
    /// The program, which calls [`serve`](crate::serve::serve).
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables set in its environment, over those of this process.
    pub set: Vec<(String, String)>,
    /// Variables removed from its environment.
    pub remove: Vec<String>,
    /// Processors it and all its threads stay on; all where empty.
    pub cpus: Vec<u32>,
    /// How long answers may take.
    pub deadlines: Deadlines,
    /// The worker's state while none of its workloads is being timed.
    pub idle: Idle,
}

/// How long answers may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deadlines {
    /// Starting, opening, resuming, renewing, verifying, and the first sample of a workload.
    pub open: Duration,
    /// The least a later sample may take.
    pub sample: Duration,
    /// How many times its expected length a later sample may take.
    pub sample_factor: f64,
}

impl Default for Deadlines {
    /// A minute to open, max(10 s, 20 × expected) for a sample.
    fn default() -> Self {
        Self { open: Duration::from_secs(60), sample: Duration::from_secs(10), sample_factor: 20.0 }
    }
}

/// A worker's state while none of its workloads is being timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Waits for the next request; its library's threads may spin.
    Waiting,
    /// Is stopped by SIGSTOP: for a worker that shares the machine with others that are being timed.
    Stopped,
}
