//! What a sampler found.

use std::time::SystemTime;

use crate::Refusal;

/// Samples of processes, counted by thread and stack.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sampled {
    /// Samples of a second that were asked for.
    pub hz: u32,
    /// Files and other memory from which code ran.
    pub images: Vec<Image>,
    /// Threads, in the order in which they were seen.
    pub threads: Vec<Thread>,
    /// Stacks with their numbers of samples, the most frequent first.
    pub stacks: Vec<StackCount>,
    /// When the oldest of the processes began, or the sampling did: a file about them that is older is about others.
    pub since: Option<SystemTime>,
    /// Samples in all.
    pub samples: u64,
    /// Samples that were lost by the kernel's own count: the ring was full.
    pub lost: u64,
    /// How often the kernel stopped sampling until its next tick.
    pub throttled: u64,
    /// How often records of a ring could not be read.
    pub damaged: u64,
    /// Seconds of processor time while events sampled, of all processes together, by the event's own count.
    pub clock_s: f64,
    /// Seconds of processor time in user mode of the children that ended and were waited for while the sampler was open.
    pub user_s: f64,
    /// Their seconds in the kernel.
    pub system_s: f64,
    /// Whether time in the kernel was sampled too.
    pub sees_kernel: bool,
    /// What is to be known where signals sampled; `None` where perf_event did.
    pub signals: Option<SignalFacts>,
}

/// What is to be known of sampling by signals.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalFacts {
    /// Why perf_event did not sample.
    pub why: Refusal,
    /// Seconds of processor time of children, which have no timer.
    pub children_s: f64,
    /// Whether a program handles SIGPROF itself.
    pub handles_signal: bool,
    /// The part of the samples of a process that other threads should have, by the processor time of its threads; `None` where chance
    /// explains it.
    pub misplaced: Option<f64>,
}

/// Where code lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Image {
    /// The file's path, or the name that the kernel has for it.
    pub path: String,
    /// What it is.
    pub kind: ImageKind,
    /// The process whose code it is, where no file has it; else 0.
    pub pid: u32,
}

/// What code was mapped from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// A file.
    File,
    /// Memory of no file: code that the program made itself.
    Generated,
    /// The kernel's own code within a process: `[vdso]`.
    Vdso,
    /// The kernel.
    Kernel,
    /// Nothing is known of the address.
    Unknown,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Number of its process.
    pub pid: u32,
    /// Its own number.
    pub tid: u32,
    /// Number of the process that started its process; 0 if that was not seen.
    pub parent: u32,
    /// Name of its process, as the process last had it; empty if it is not known.
    pub process: String,
    /// Its own name.
    pub name: String,
    /// Whether its process became another program while it was sampled.
    pub has_executed: bool,
}

/// A place in code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Index in [`Sampled::images`].
    pub image: u32,
    /// Offset in the file, or the address where there is none.
    pub offset: u64,
}

/// Samples of one stack in one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackCount {
    /// Index in [`Sampled::threads`].
    pub thread: u32,
    /// Places from the innermost outward; callers by their return addresses, less one.
    pub frames: Box<[Place]>,
    /// How often it was found.
    pub samples: u64,
}

impl Sampled {
    /// Samples that the processor time should have given: all of it, or that in user mode where the kernel is not sampled.
    pub fn expected(&self) -> f64 {
        let seen = if self.sees_kernel { self.clock_s } else { (self.clock_s - self.system_s).max(0.0) };
        seen * f64::from(self.hz)
    }
}
