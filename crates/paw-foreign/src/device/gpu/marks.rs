//! Marks of a device, by handle; events are kept for another use.

use std::sync::{Mutex, PoisonError};

use super::calls::Opaque;
use crate::device::facts::Backend;
use crate::device::table::{HandleTable, ObjectKind};

/// Marks that are in use, and those that were given up and can be used again.
#[derive(Debug)]
pub(super) struct Marks {
    pub(super) used: HandleTable<Opaque>,
    spare: Mutex<Vec<Opaque>>,
}

impl Marks {
    /// An empty table for the device of that number.
    pub(super) fn new(device: (Backend, u32)) -> Self {
        Self { used: HandleTable::new(ObjectKind::Mark, device), spare: Mutex::new(Vec::new()) }
    }

    /// An event for another use.
    pub(super) fn spare(&self) -> Option<Opaque> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Keeps an event for its next use.
    pub(super) fn keep(&self, event: Opaque) {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }
}
