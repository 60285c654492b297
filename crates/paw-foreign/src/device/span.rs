//! Handles of a back-end's objects, and offsets into its memories.

use super::error::{DeviceError, DeviceResult};

/// A handle of a back-end's object (memory, queue, mark …); never 0.
pub type ObjectHandle = u64;

/// An offset into a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The memory.
    pub memory: ObjectHandle,
    /// Bytes from its beginning.
    pub offset: usize,
}

/// Refuses `count` bytes from `offset` on if they exceed a memory of `bytes`.
pub(super) fn within(offset: usize, count: usize, bytes: usize) -> DeviceResult {
    match offset.checked_add(count) {
        Some(end) if end <= bytes => Ok(()),
        end => Err(DeviceError::Beyond { offset, end: end.unwrap_or(usize::MAX), bytes }),
    }
}
