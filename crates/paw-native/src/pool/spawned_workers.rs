//! The helpers of a pool: how they are started, woken, waited for and dismissed.
#![allow(unsafe_code)]

use std::any::Any;
use std::cell::UnsafeCell;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread::{self, JoinHandle, Thread, yield_now};
use std::time::{Duration, Instant};

use super::PoolError;
use crate::affinity;

/// How long a thread spins before it sleeps: several times what it takes to wake one that sleeps (5 to 50 µs), so that
/// runs in close order never sleep, and little enough that an idle pool costs nothing that can be measured.
const SPIN: Duration = Duration::from_micros(100);
/// Looks between two readings of the clock while spinning.
const LOOKS: u32 = 32;
/// Times a thread without a processor of its own offers it to others before it sleeps.
const YIELDS: u32 = 16;

/// What a thread does before it sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitStrategy {
    /// Spins for a moment: each thread has a processor of its own.
    Spin,
    /// Yields a few times: there are more threads than processors.
    Yield,
}

/// What a panicking call leaves behind.
type Panic = Box<dyn Any + Send>;
/// The work of one run, its lifetime erased.
type Task = *const (dyn Fn(usize) + Sync + 'static);

/// What the helpers and the caller share. Counters written by one side and watched by the other stand on cache lines
/// of their own.
pub(super) struct SpawnedWorkers {
    /// Number of runs started; odd and even mean nothing, a change means work.
    epoch: Padded<AtomicU64>,
    /// SpawnedWorkers that have not finished the current run.
    pending: Padded<AtomicUsize>,
    task: UnsafeCell<Option<Task>>,
    helpers: Vec<Padded<Helper>>,
    caller_sleeps: AtomicBool,
    caller: Mutex<Option<Thread>>,
    panic: Mutex<Option<Panic>>,
    closing: AtomicBool,
    wait_strategy: WaitStrategy,
}

/// Two cache lines: adjacent lines are fetched in pairs on x86-64, and some AArch64 lines are 128 bytes.
#[repr(align(128))]
struct Padded<T>(T);

#[derive(Default)]
struct Helper {
    sleeps: AtomicBool,
    place: OnceLock<(Thread, i32)>,
}

// SAFETY: `task` is written only while no helper works (`pending` is 0) and read only between the epoch's change and
// the helper's decrement of `pending`; what it points to is `Sync`. All other fields are atomics and locks.
unsafe impl Sync for SpawnedWorkers {}
// SAFETY: the pointer in `task` is used only during a run, which its owner outlives.
unsafe impl Send for SpawnedWorkers {}

impl std::fmt::Debug for SpawnedWorkers {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "SpawnedWorkers({} helpers)", self.helpers())
    }
}

impl SpawnedWorkers {
    pub(super) fn new(helpers: usize, wait_strategy: WaitStrategy) -> SpawnedWorkers {
        SpawnedWorkers {
            epoch: Padded(AtomicU64::new(0)),
            pending: Padded(AtomicUsize::new(0)),
            task: UnsafeCell::new(None),
            helpers: (0..helpers).map(|_| Padded(Helper::default())).collect(),
            caller_sleeps: AtomicBool::new(false),
            caller: Mutex::new(None),
            panic: Mutex::new(None),
            closing: AtomicBool::new(false),
            wait_strategy,
        }
    }

    pub(super) fn helpers(&self) -> usize {
        self.helpers.len()
    }

    /// The kernel's thread ids of the helpers.
    pub(super) fn tids(&self) -> impl Iterator<Item = i32> {
        self.helpers.iter().filter_map(|helper| helper.0.place.get().map(|(_, tid)| *tid))
    }

    /// Has the helpers call `task` while the caller does `own`, and returns the first panic when all are done.
    pub(super) fn work(&self, task: &(dyn Fn(usize) + Sync), own: impl FnOnce() -> Option<Panic>) -> Option<Panic> {
        let task: *const (dyn Fn(usize) + Sync + '_) = task;
        // SAFETY: only the lifetime changes; no helper uses the pointer after this function returns.
        let task: Task = unsafe { std::mem::transmute(task) };
        // SAFETY: no run is under way, so no helper reads the cell.
        unsafe { *self.task.get() = Some(task) };
        self.pending.0.store(self.helpers(), Ordering::Relaxed);
        self.call();
        let panic = own();
        self.wait_for_helpers();
        let theirs = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        panic.or(theirs)
    }

    /// Starts a run: helpers that spin see it, those that sleep are woken.
    fn call(&self) {
        self.epoch.0.fetch_add(1, Ordering::SeqCst);
        for helper in &self.helpers {
            if helper.0.sleeps.load(Ordering::SeqCst)
                && let Some((thread, _)) = helper.0.place.get()
            {
                thread.unpark();
            }
        }
    }

    fn wait_for_helpers(&self) {
        let done = || self.pending.0.load(Ordering::SeqCst) == 0;
        if self.wait_strategy.waits_for(done) {
            return;
        }
        *self.caller.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current());
        self.caller_sleeps.store(true, Ordering::SeqCst);
        while !done() {
            thread::park();
        }
        self.caller_sleeps.store(false, Ordering::SeqCst);
    }

    /// Ends the helpers' loops.
    pub(super) fn dismiss(&self) {
        self.closing.store(true, Ordering::SeqCst);
        self.call();
    }

    /// The life of a helper.
    fn serve(&self, helper: usize) {
        let mut seen = 0;
        loop {
            self.wait_for_call(helper, seen);
            seen += 1;
            if self.closing.load(Ordering::SeqCst) {
                return;
            }
            self.take_part(helper + 1);
            // The caller may return as soon as this is 0; only what the spawned owns is used after it.
            if self.pending.0.fetch_sub(1, Ordering::SeqCst) == 1 && self.caller_sleeps.load(Ordering::SeqCst) {
                let caller = self.caller.lock().unwrap_or_else(PoisonError::into_inner).clone();
                caller.inspect(Thread::unpark);
            }
        }
    }

    fn wait_for_call(&self, helper: usize, seen: u64) {
        let called = || self.epoch.0.load(Ordering::SeqCst) != seen;
        if self.wait_strategy.waits_for(called) {
            return;
        }
        // The flag is raised before the epoch is looked at again, and `call` changes the epoch before it looks at the
        // flag: one of the two sees the other.
        let sleeps = &self.helpers[helper].0.sleeps;
        sleeps.store(true, Ordering::SeqCst);
        while !called() {
            thread::park();
        }
        sleeps.store(false, Ordering::SeqCst);
    }

    fn take_part(&self, worker: usize) {
        // SAFETY: the run has started and this helper has not yet finished its share: the caller does not write.
        let task = unsafe { *self.task.get() };
        let Some(task) = task else { return };
        // SAFETY: the caller keeps what the pointer shows alive until every helper has finished its share.
        let task = unsafe { &*task };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| task(worker))) {
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
    }
}

impl WaitStrategy {
    /// Whether `ready` came true before it was time to sleep.
    fn waits_for(self, ready: impl Fn() -> bool) -> bool {
        match self {
            WaitStrategy::Spin => spins_until(ready),
            WaitStrategy::Yield => (0..YIELDS).any(|_| {
                yield_now();
                ready()
            }),
        }
    }
}

fn spins_until(ready: impl Fn() -> bool) -> bool {
    let mut start = None;
    loop {
        for _ in 0..LOOKS {
            if ready() {
                return true;
            }
            spin_loop();
        }
        if start.get_or_insert_with(Instant::now).elapsed() > SPIN {
            return false;
        }
    }
}

/// Starts a helper on its processor and returns when it is there.
pub(super) fn spawn(
    spawned: &Arc<SpawnedWorkers>,
    helper: usize,
    cpu: Option<u32>,
) -> Result<JoinHandle<()>, PoolError> {
    let (report, arrival) = mpsc::sync_channel(1);
    let own = Arc::clone(spawned);
    let life = move || {
        let pinned = cpu.map_or(Ok(()), |cpu| affinity::pin(&[cpu]).map_err(|source| PoolError::Pin { cpu, source }));
        let serves = pinned.is_ok();
        let _ = own.helpers[helper].0.place.set((thread::current(), affinity::thread_id()));
        let _ = report.send(pinned);
        if serves {
            own.serve(helper);
        }
    };
    let name = format!("paw-{}", helper + 1);
    let thread = thread::Builder::new().name(name).spawn(life).map_err(PoolError::Spawn)?;
    arrival.recv().map_err(|lost| PoolError::Spawn(std::io::Error::other(lost)))??;
    Ok(thread)
}
