//! Numbers for what a back-end made, and places in its memories.

use super::error::{DeviceError, DeviceResult};

/// Something a back-end made: a memory, a queue, a mark … Numbers are the back-end's own and never 0.
pub type ObjectHandle = u64;

/// A place in a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The memory.
    pub memory: ObjectHandle,
    /// Bytes from its beginning.
    pub offset: usize,
}

/// Refuses `count` bytes from `offset` on of a memory of `bytes`.
pub(super) fn within(offset: usize, count: usize, bytes: usize) -> DeviceResult {
    match offset.checked_add(count) {
        Some(end) if end <= bytes => Ok(()),
        end => Err(DeviceError::Beyond { offset, end: end.unwrap_or(usize::MAX), bytes }),
    }
}
