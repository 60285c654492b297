//! Other work on the machine: processes of `spin` that are busy and idle by turns, from a seed.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::available_parallelism;

/// What runs beside an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadState {
    /// Nothing of ours.
    Idle,
    /// A process for each processor, busy half of the time.
    Loaded,
}

impl LoadState {
    /// The word that tables print.
    pub fn word(self) -> &'static str {
        match self {
            LoadState::Idle => "idle",
            LoadState::Loaded => "loaded",
        }
    }
}

/// Mean milliseconds of a burst of work and of the idle time after it: some turns of the scheduler, and shorter than a series of samples.
const BURST_MS: &str = "60";

/// Processes that load the machine; they end when this is dropped.
#[derive(Debug)]
pub struct SpinLoad(Vec<Child>);

impl SpinLoad {
    /// Starts a process for each processor, from `seed`.
    ///
    /// # Errors
    /// `spin` cannot be started.
    pub fn start(spin: &Path, seed: u64) -> io::Result<Self> {
        let processors = available_parallelism().map_or(1, usize::from);
        let mut load = Self(Vec::new());
        for process in 0..processors as u64 {
            let seed = seed.wrapping_mul(1000).wrapping_add(process).to_string();
            let flags = ["--bursts", "--work-ms", BURST_MS, "--pause-ms", BURST_MS, "--seed", &seed];
            let mut command = Command::new(spin);
            command.args(flags).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            load.0.push(command.spawn()?);
        }
        Ok(load)
    }
}

impl Drop for SpinLoad {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
        }
        for child in &mut self.0 {
            let _ = child.wait();
        }
    }
}
