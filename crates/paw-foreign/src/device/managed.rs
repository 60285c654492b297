//! Memory that moves between host and device as either uses it.

/// The two places of managed memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The host's memory.
    Host,
    /// The device's memory.
    Device,
}
