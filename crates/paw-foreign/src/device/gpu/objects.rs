//! Records of the objects of a device whose interface has addresses.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::calls::{Address, Opaque};
use crate::device::facts::HostKind;
use crate::device::program::Builtin;
use crate::device::span::ObjectHandle;

/// Memory on the device.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct Memory {
    pub(in crate::device) address: Address,
    pub(in crate::device) bytes: usize,
}

/// Memory of the host.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct HostMemory {
    pub(in crate::device) at: *mut u8,
    pub(in crate::device) bytes: usize,
    pub(in crate::device) kind: HostKind,
    /// Whether it moves between host and device.
    pub(in crate::device) is_managed: bool,
    /// Where the device sees it, if it is mapped.
    pub(in crate::device) address: Address,
}

/// A kernel.
#[derive(Debug, Clone, Copy)]
pub(in crate::device) struct Kernel {
    pub(in crate::device) function: Opaque,
    /// The program it belongs to; 0 for embedded ones.
    pub(in crate::device) program: ObjectHandle,
}

/// A program that is loaded.
#[derive(Debug, Clone)]
pub(in crate::device) struct Program {
    pub(in crate::device) module: Opaque,
    /// Announced names, and their names in the module.
    pub(in crate::device) lowered: Arc<[(String, String)]>,
}

/// The embedded kernels.
#[derive(Debug)]
pub(in crate::device) struct EmbeddedKernels {
    pub(in crate::device) gate: Opaque,
    /// Those that were loaded so far.
    pub(in crate::device) builtins: Mutex<Vec<(Builtin, ObjectHandle)>>,
    /// Copy kernels by the bytes that a thread copies at a time, most first.
    pub(in crate::device) words: Vec<(usize, Opaque)>,
}

impl EmbeddedKernels {
    /// Those that were loaded so far, and their handles.
    pub(in crate::device) fn loaded(&self) -> MutexGuard<'_, Vec<(Builtin, ObjectHandle)>> {
        self.builtins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
