//! Gates: a kernel of one thread that looks at a word of the host until that is set, or until it has looked for too long.
#![allow(unsafe_code)]

use std::env;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::calls::{Address, Opaque, call};
use super::context::Cuda;
use super::kernels::start;
use crate::device::driver::ObjectHandle;
use crate::device::error::{DeviceError, DeviceResult};
use crate::device::program::Grid;

/// So long a gate stays closed at most: what is queued behind one takes seconds at most, and a display's driver ends kernels that
/// run for many.
const CLOSED_MAX_S: f64 = 5.0;
/// Gates that stand at the same time at most; a device is given one a queue.
const GATES: usize = 64;
/// `CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP`.
const SEEN_BY_DEVICES: u32 = 3;
/// What the kernel writes when it gave up.
const GAVE_UP: u32 = 2;
/// Variables under which launches wait for their end, so that the host would wait for a gate that it has to open.
const SERIALISING: &[(&str, &str)] = &[("CUDA_LAUNCH_BLOCKING", "0"), ("CUDA_INJECTION64_PATH", "")];

/// What host and device tell each other: a cache line each, so that gates do not disturb one another.
#[repr(C, align(64))]
struct GateWord {
    /// Set by the host.
    open: AtomicU32,
    /// Set by the device at the end: 1 after it was opened, [`GAVE_UP`] else.
    ended: AtomicU32,
}

/// The gates of a device.
#[derive(Debug)]
pub(super) struct Gates {
    words: *const GateWord,
    address: Address,
    kernel: Opaque,
    limit_ns: i64,
    limit_clocks: i64,
    standing: Mutex<Vec<ClosedGate>>,
    /// As many as `standing` has: a queue without gates need not take the lock.
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

/// The variable that forbids gates in this environment.
pub(super) fn forbidden() -> Option<&'static str> {
    let forbids = |(name, harmless): &&(&str, &str)| {
        env::var_os(name).is_some_and(|value| !value.is_empty() && value != *harmless)
    };
    SERIALISING.iter().find(forbids).map(|(name, _)| *name)
}

impl Gates {
    /// Makes them, and lets one pass that is open: the kernel has run when it is first waited for.
    pub(super) fn try_out(cuda: &Cuda) -> DeviceResult<Self> {
        if let Some(variable) = forbidden() {
            return Err(DeviceError::Unsupported(format!("no gates: {variable} is set; unset it")));
        }
        let kernel = cuda.embedded.as_ref().map_err(Clone::clone)?.gate;
        let mut at: *mut c_void = std::ptr::null_mut();
        call!(cuda.library, mem_host_alloc(&raw mut at, GATES * size_of::<GateWord>(), SEEN_BY_DEVICES))?;
        // SAFETY: the driver allocated that many bytes just now; zeros are words.
        unsafe { at.cast::<u8>().write_bytes(0, GATES * size_of::<GateWord>()) };
        let mut address = 0;
        call!(cuda.library, mem_host_get_device_pointer(&raw mut address, at, 0))?;
        let clock_hz = cuda.facts.clock_hz.unwrap_or(2e9);
        let gates = Self {
            words: at.cast_const().cast(),
            address,
            kernel,
            limit_ns: (CLOSED_MAX_S * 1e9) as i64,
            // Should the timer stand still, cycles end it: twice as many, because clocks go beyond their nominal highest.
            limit_clocks: (CLOSED_MAX_S * clock_hz * 2.0) as i64,
            standing: Mutex::default(),
            count: AtomicUsize::new(0),
            next: AtomicUsize::new(1),
        };
        gates.pass_once(cuda)?;
        Ok(gates)
    }

    fn pass_once(&self, cuda: &Cuda) -> DeviceResult {
        let queue = cuda.queue_new()?;
        self.word(0).open.store(1, Ordering::Release);
        self.close_on(cuda, cuda.stream(queue)?, 0)?;
        cuda.queue_drop(queue)?;
        if self.word(0).ended.load(Ordering::Acquire) == 1 {
            return Ok(());
        }
        Err(DeviceError::Unsupported(
            "no gates: the kernel that waits for the host did not see what the host wrote".to_owned(),
        ))
    }

    /// A closed gate in that queue.
    pub(super) fn close(&self, cuda: &Cuda, queue: ObjectHandle) -> DeviceResult<ObjectHandle> {
        cuda.current()?;
        let stream = cuda.stream(queue)?;
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        standing.retain(|gate| !(gate.is_open && self.word(gate.slot).ended.load(Ordering::Acquire) == 1));
        let is_free = |slot: &usize| standing.iter().all(|gate| gate.slot != *slot);
        let slot = (0..GATES).find(is_free);
        let slot = slot.ok_or_else(|| DeviceError::Unsupported(format!("more than {GATES} gates at a time")))?;
        self.word(slot).open.store(0, Ordering::Relaxed);
        self.word(slot).ended.store(0, Ordering::Release);
        self.close_on(cuda, stream, slot)?;
        let handle = self.next.fetch_add(1, Ordering::Relaxed) as ObjectHandle;
        standing.push(ClosedGate { handle, queue, slot, is_open: false });
        self.count.store(standing.len(), Ordering::Release);
        Ok(handle)
    }

    fn close_on(&self, cuda: &Cuda, stream: Opaque, slot: usize) -> DeviceResult {
        let address = self.address + (slot * size_of::<GateWord>()) as Address;
        let grid = Grid { blocks: 1, threads: 1, shared_bytes: 0 };
        start(cuda, stream, self.kernel, grid, &[address, self.limit_ns as u64, self.limit_clocks as u64])
    }

    /// Opens that gate; one that is open stays so.
    pub(super) fn open(&self, gate: ObjectHandle) -> DeviceResult {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(gate) = standing.iter_mut().find(|other| other.handle == gate) else { return Ok(()) };
        gate.is_open = true;
        let word = self.word(gate.slot);
        word.open.store(1, Ordering::Release);
        if word.ended.load(Ordering::Acquire) == GAVE_UP { Err(DeviceError::GateTimedOut) } else { Ok(()) }
    }

    /// Forgets the gates of a queue that came to its end; says so where one had given up.
    #[inline]
    pub(super) fn passed(&self, queue: ObjectHandle) -> DeviceResult {
        if self.count.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = |gate: &ClosedGate| self.word(gate.slot).ended.load(Ordering::Acquire);
        let timed_out = standing.iter().any(|gate| gate.queue == queue && ended(gate) == GAVE_UP);
        // One that has not ended was closed since by somebody else.
        standing.retain(|gate| gate.queue != queue || ended(gate) == 0);
        self.count.store(standing.len(), Ordering::Release);
        if timed_out { Err(DeviceError::GateTimedOut) } else { Ok(()) }
    }

    fn word(&self, slot: usize) -> &GateWord {
        // SAFETY: there are GATES words, zeroed when they were made and never given back; `slot` is one of them.
        unsafe { &*self.words.add(slot) }
    }
}
