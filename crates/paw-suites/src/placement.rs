//! How many threads a cell has, and on which processors.

use paw_machine::threads::ThreadFit;

/// How many threads, on which processors, and the rule that gave the number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Threads.
    pub threads: u32,
    /// Their processors, thread by thread; empty where the operating system places them.
    pub cpus: Vec<u32>,
    /// The rule that gave the number.
    pub rule: String,
    /// Whether each thread has a hardware thread of its own.
    pub fit: ThreadFit,
}
