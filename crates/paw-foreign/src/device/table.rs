//! A device's objects by handle: handles of removed objects and of other tables are refused.

use std::sync::{PoisonError, RwLock};

use super::error::DeviceError;
use super::facts::Backend;
use super::span::ObjectHandle;

/// Objects of one kind of one device. A handle holds the device, the kind, how often its slot was used, and the slot, so that a handle
/// of another table, or of an object that was removed, is refused.
///
/// From the highest bit: 2 of back-end, 6 of device, 4 of kind, 20 of use, 32 of slot (from 1: a handle is never 0).
#[derive(Debug)]
pub(super) struct HandleTable<T> {
    kind: ObjectKind,
    device: (Backend, u32),
    slots: RwLock<Slots<T>>,
}

/// Kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Memory,
    HostMemory,
    Queue,
    Mark,
    Gate,
    Program,
    Kernel,
    Plan,
}

#[derive(Debug)]
struct Slots<T> {
    list: Vec<(u32, Option<T>)>,
    free: Vec<usize>,
}

const USES: u32 = 0xf_ffff;

impl<T: Clone> HandleTable<T> {
    /// An empty table for objects of that kind of that device.
    pub(super) fn new(kind: ObjectKind, device: (Backend, u32)) -> Self {
        Self { kind, device, slots: RwLock::new(Slots { list: Vec::new(), free: Vec::new() }) }
    }

    /// Stores `object` and returns its handle.
    pub(super) fn insert(&self, object: T) -> ObjectHandle {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let at = slots.free.pop().unwrap_or(slots.list.len());
        if at == slots.list.len() {
            slots.list.push((0, Some(object)));
        } else {
            let (used, slot) = &mut slots.list[at];
            *used = used.wrapping_add(1) & USES;
            *slot = Some(object);
        }
        self.handle(at, slots.list[at].0)
    }

    /// A copy of the object of that handle.
    #[inline]
    pub(super) fn at(&self, handle: ObjectHandle) -> Result<T, DeviceError> {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        let at = (handle as u32 as usize).wrapping_sub(1);
        match slots.list.get(at) {
            Some((used, Some(object))) if self.handle(at, *used) == handle => Ok(object.clone()),
            _ => Err(self.unknown(handle)),
        }
    }

    /// Removes the object of that handle.
    pub(super) fn remove(&self, handle: ObjectHandle) -> Result<T, DeviceError> {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let at = (handle as u32 as usize).wrapping_sub(1);
        let known = slots.list.get(at).is_some_and(|(used, _)| self.handle(at, *used) == handle);
        let object = if known { slots.list[at].1.take() } else { None };
        if object.is_some() {
            slots.free.push(at);
        }
        object.ok_or_else(|| self.unknown(handle))
    }

    /// Removes the objects that `chosen` accepts. The caller drops them outside the lock.
    pub(super) fn remove_all(&self, chosen: impl Fn(&T) -> bool) -> Vec<T> {
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let found = slots.list.iter().enumerate().filter(|(_, (_, slot))| slot.as_ref().is_some_and(&chosen));
        let found: Vec<usize> = found.map(|(at, _)| at).collect();
        let gone = found.iter().filter_map(|at| slots.list[*at].1.take()).collect();
        slots.free.extend(found);
        gone
    }

    fn handle(&self, at: usize, used: u32) -> ObjectHandle {
        let ((backend, device), kind) = (self.device, self.kind as u64);
        (backend as u64) << 62 | u64::from(device & 0x3f) << 56 | kind << 52 | u64::from(used) << 32 | (at as u64 + 1)
    }

    fn unknown(&self, handle: ObjectHandle) -> DeviceError {
        DeviceError::Unsupported(format!("{}{} knows no {:?} {handle:#x}", self.device.0, self.device.1, self.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUDA0: (Backend, u32) = (Backend::Cuda, 0);

    #[test]
    fn what_was_given_back_is_unknown_even_when_its_slot_is_used_again() {
        let table = HandleTable::new(ObjectKind::Memory, CUDA0);
        let first = table.insert('a');
        assert_eq!(table.remove(first), Ok('a'));
        let second = table.insert('b');
        assert!(first != 0 && second != 0);
        assert_eq!((table.at(second), table.at(first).is_err()), (Ok('b'), true));
        assert!(table.remove(first).is_err() && table.remove(second).is_ok() && table.remove(second).is_err());
    }

    #[test]
    fn handles_of_another_table_are_refused() {
        let tables = [CUDA0, (Backend::Cuda, 1), (Backend::Hip, 0), (Backend::OpenCl, 0), (Backend::LevelZero, 0)]
            .map(|device| [ObjectKind::Memory, ObjectKind::HostMemory].map(|kind| HandleTable::new(kind, device)));
        let tables = tables.as_flattened();
        let handles: Vec<ObjectHandle> = tables.iter().map(|table| table.insert(())).collect();
        for (i, table) in tables.iter().enumerate() {
            for (j, handle) in handles.iter().enumerate() {
                assert_eq!(table.at(*handle).is_ok(), i == j);
            }
            assert!(table.at(0).is_err() && table.at(u64::MAX).is_err());
        }
    }

    #[test]
    fn what_is_chosen_goes_and_the_rest_stays() {
        let table = HandleTable::new(ObjectKind::Kernel, CUDA0);
        let handles: Vec<ObjectHandle> = (0..4).map(|i| table.insert(i)).collect();
        assert_eq!(table.remove_all(|i| i % 2 == 0), [0, 2]);
        assert_eq!(handles.iter().filter_map(|handle| table.at(*handle).ok()).collect::<Vec<_>>(), [1, 3]);
    }
}
