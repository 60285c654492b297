//! The words of gates: a kernel of one thread polls a word of the host until it is set or a time limit ends.
#![allow(unsafe_code)]

use std::env;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::calls::Address;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::span::ObjectHandle;

/// The longest a gate stays closed: what is queued behind one takes less, and a display's driver kills kernels that run for long.
pub(in crate::device) const CLOSED_MAX_S: f64 = 5.0;
/// The most gates that are in use at a time; there is one per queue.
const GATES: usize = 64;
/// The value that the kernel writes if its time limit ends.
const GAVE_UP: u32 = 2;

/// A gate's flags, shared by host and device; on a cache line of its own.
#[repr(C, align(64))]
struct GateWord {
    /// Set by the host.
    open: AtomicU32,
    /// Set by the device at the end: 1 after it was opened, [`GAVE_UP`] else.
    ended: AtomicU32,
}

/// The gates of a device.
#[derive(Debug)]
pub(in crate::device) struct Gates {
    words: *const GateWord,
    address: Address,
    limits: [u64; 2],
    standing: Mutex<Vec<ClosedGate>>,
    /// The length of `standing`, so that a queue without gates need not take the lock.
    count: AtomicUsize,
    next: AtomicUsize,
}

#[derive(Debug, Clone, Copy)]
struct ClosedGate {
    handle: ObjectHandle,
    queue: ObjectHandle,
    slot: usize,
    is_open: bool,
}

/// The variable that forbids gates in this environment, of those that make launches synchronous, each with the value that does not:
/// the host would wait for a gate that it has to open.
pub(super) fn forbidden(serialising: &[(&'static str, &str)]) -> Option<&'static str> {
    let forbids = |(name, harmless): &&(&'static str, &str)| {
        env::var_os(name).is_some_and(|value| !value.is_empty() && value != *harmless)
    };
    serialising.iter().find(forbids).map(|(name, _)| *name)
}

impl Gates {
    /// Gates at these words, which the device sees at `address`. A gate ends at either of the limits, which its kernel counts: one by
    /// a timer, one without.
    ///
    /// # Safety
    /// [`Gates::BYTES`] zeros must lie at `words`, for as long as the process lives.
    pub(super) unsafe fn at(words: *const c_void, address: Address, limits: [u64; 2]) -> Self {
        Self {
            words: words.cast(),
            address,
            limits,
            standing: Mutex::default(),
            count: AtomicUsize::new(0),
            next: AtomicUsize::new(1),
        }
    }

    /// Bytes of all words.
    pub(super) const BYTES: usize = GATES * size_of::<GateWord>();

    /// Tests an open gate by `start`, which launches the kernel and waits; an error if the device did not see the host's write.
    pub(super) fn pass_once(&self, start: impl FnOnce(&[u64]) -> DeviceResult) -> DeviceResult {
        self.word(0).open.store(1, Ordering::Release);
        start(&self.arguments(0))?;
        if self.word(0).ended.load(Ordering::Acquire) == 1 {
            return Ok(());
        }
        Err(DeviceError::Unsupported(
            "no gates: the kernel that waits for the host did not see what the host wrote".to_owned(),
        ))
    }

    /// Closes a gate in `queue` by `start`, which queues the kernel that waits.
    pub(super) fn close(
        &self,
        queue: ObjectHandle,
        start: impl FnOnce(&[u64]) -> DeviceResult,
    ) -> DeviceResult<ObjectHandle> {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        standing.retain(|gate| !(gate.is_open && self.word(gate.slot).ended.load(Ordering::Acquire) == 1));
        let is_free = |slot: &usize| standing.iter().all(|gate| gate.slot != *slot);
        let slot = (0..GATES).find(is_free);
        let slot = slot.ok_or_else(|| DeviceError::Unsupported(format!("more than {GATES} gates at a time")))?;
        self.word(slot).open.store(0, Ordering::Relaxed);
        self.word(slot).ended.store(0, Ordering::Release);
        start(&self.arguments(slot))?;
        let handle = self.next.fetch_add(1, Ordering::Relaxed) as ObjectHandle;
        standing.push(ClosedGate { handle, queue, slot, is_open: false });
        self.count.store(standing.len(), Ordering::Release);
        Ok(handle)
    }

    /// Arguments of the kernel that waits.
    fn arguments(&self, slot: usize) -> [u64; 3] {
        let address = self.address + (slot * size_of::<GateWord>()) as Address;
        [address, self.limits[0], self.limits[1]]
    }

    /// Opens a gate; no effect on one that is open.
    pub(super) fn open(&self, gate: ObjectHandle) -> DeviceResult {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(gate) = standing.iter_mut().find(|other| other.handle == gate) else { return Ok(()) };
        gate.is_open = true;
        let word = self.word(gate.slot);
        word.open.store(1, Ordering::Release);
        if word.ended.load(Ordering::Acquire) == GAVE_UP { Err(DeviceError::GateTimedOut) } else { Ok(()) }
    }

    /// Forgets the gates of a queue that has finished; an error if one timed out.
    #[inline]
    pub(super) fn passed(&self, queue: ObjectHandle) -> DeviceResult {
        if self.count.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = |gate: &ClosedGate| self.word(gate.slot).ended.load(Ordering::Acquire);
        let timed_out = standing.iter().any(|gate| gate.queue == queue && ended(gate) == GAVE_UP);
        // A gate that has not ended was closed meanwhile by another thread.
        standing.retain(|gate| gate.queue != queue || ended(gate) == 0);
        self.count.store(standing.len(), Ordering::Release);
        if timed_out { Err(DeviceError::GateTimedOut) } else { Ok(()) }
    }

    fn word(&self, slot: usize) -> &GateWord {
        // SAFETY: there are GATES words, zeroed when they were made and never given back; `slot` is one of them.
        unsafe { &*self.words.add(slot) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_opened_through_its_word_and_forgotten_when_its_queue_has_passed() {
        let word = || GateWord { open: AtomicU32::new(0), ended: AtomicU32::new(0) };
        let words: Vec<GateWord> = (0..GATES).map(|_| word()).collect();
        // SAFETY: as many words of zeros, which outlive the gates.
        let gates = unsafe { Gates::at(words.as_ptr().cast(), 1 << 20, [1, 1]) };
        let slot = |arguments: &[u64]| (arguments[0] as usize - (1 << 20)) / size_of::<GateWord>();
        let closed = |queue| {
            let mut at = 0;
            let gate = gates.close(queue, |arguments| {
                at = slot(arguments);
                Ok(())
            });
            (gate.expect("there are words"), &words[at])
        };
        let ((first, its), (second, other)) = (closed(7), closed(8));
        assert!(!std::ptr::eq(its, other));
        assert_eq!(gates.open(first), Ok(()));
        assert_eq!((its.open.load(Ordering::Acquire), other.open.load(Ordering::Acquire)), (1, 0));
        // As the device writes: the first gate has passed, the second gave up.
        its.ended.store(1, Ordering::Release);
        other.ended.store(GAVE_UP, Ordering::Release);
        assert_eq!((gates.passed(7), gates.passed(8)), (Ok(()), Err(DeviceError::GateTimedOut)));
        assert_eq!((gates.passed(8), gates.open(second)), (Ok(()), Ok(())));
    }
}
