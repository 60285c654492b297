//! Records of the objects of a device whose interface has addresses.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::calls::{Address, Opaque};
use super::error::{DeviceError, DeviceResult};
use super::facts::HostKind;
use super::program::Builtin;
use super::span::ObjectHandle;

/// Memory on the device.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    pub(super) address: Address,
    pub(super) bytes: usize,
}

/// Memory of the host.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostMemory {
    pub(super) at: *mut u8,
    pub(super) bytes: usize,
    pub(super) kind: HostKind,
    /// Whether it moves between host and device.
    pub(super) is_managed: bool,
    /// Where the device sees it, if it is mapped.
    pub(super) address: Address,
}

/// A kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel {
    pub(super) function: Opaque,
    /// The program it belongs to; 0 for embedded ones.
    pub(super) program: ObjectHandle,
}

/// A program that is loaded.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) module: Opaque,
    /// Announced names, and their names in the module.
    pub(super) lowered: Arc<[(String, String)]>,
}

/// The embedded kernels.
#[derive(Debug)]
pub(super) struct EmbeddedKernels {
    pub(super) gate: Opaque,
    /// Those that were loaded so far.
    pub(super) builtins: Mutex<Vec<(Builtin, ObjectHandle)>>,
    /// Copy kernels by the bytes that a thread copies at a time, most first.
    pub(super) words: Vec<(usize, Opaque)>,
}

impl EmbeddedKernels {
    /// Those that were loaded so far, and their handles.
    pub(super) fn loaded(&self) -> MutexGuard<'_, Vec<(Builtin, ObjectHandle)>> {
        self.builtins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The handle of an embedded kernel, of those that are loaded with the device.
    pub(super) fn builtin(&self, which: Builtin) -> DeviceResult<ObjectHandle> {
        let found = self.loaded().iter().find(|(other, _)| *other == which).map(|(_, handle)| *handle);
        found.ok_or_else(|| DeviceError::Unsupported(format!("there is no kernel {} of paw's here", which.name())))
    }
}
