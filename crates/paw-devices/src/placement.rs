//! Places the thread that drives a device on processors near it, before the thread allocates host memory.

use paw_foreign::device::DeviceFacts;
use paw_native::affinity;

/// The processors that a driving thread runs on, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostPlacement {
    /// On these processors, which are near its device.
    Near(Vec<u32>),
    /// Anywhere: which processors are near is unknown.
    Unknown,
    /// Anywhere: this process may use none of these, which are near.
    Excluded(Vec<u32>),
    /// Anywhere: the kernel refused to move it, with this error.
    Refused(String),
}

impl HostPlacement {
    /// The placement near a device for a thread that may use the processors `allowed`.
    pub fn of(facts: &DeviceFacts, allowed: &[u32]) -> Self {
        if facts.host_cpus.is_empty() {
            return HostPlacement::Unknown;
        }
        let near: Vec<u32> = facts.host_cpus.iter().copied().filter(|cpu| allowed.contains(cpu)).collect();
        if near.is_empty() { HostPlacement::Excluded(facts.host_cpus.clone()) } else { HostPlacement::Near(near) }
    }

    /// Moves the calling thread near a device. Memory it touches from now on lies there as well.
    pub fn take(facts: &DeviceFacts) -> Self {
        let placement = affinity::allowed().map(|allowed| Self::of(facts, &allowed));
        match placement {
            Ok(HostPlacement::Near(near)) => match affinity::pin(&near) {
                Ok(()) => HostPlacement::Near(near),
                Err(error) => HostPlacement::Refused(error.to_string()),
            },
            Ok(other) => other,
            Err(error) => HostPlacement::Refused(error.to_string()),
        }
    }
}
