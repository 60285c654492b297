//! The threads that a pool has started: how they wait for work, do it, and end.
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

/// How long a thread spins before it sleeps: several times what waking a thread takes (5 to 50 µs), so that threads do not
/// sleep between back-to-back runs, and short enough that an idle pool costs nothing measurable.
const SPIN: Duration = Duration::from_micros(100);
/// Polls between two readings of the clock while spinning.
const POLLS: u32 = 32;
/// Times a thread without a processor of its own offers it to others before it sleeps.
const YIELDS: u32 = 16;

/// The activity of a thread before it sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitStrategy {
    /// Spins for a moment: each thread has a processor of its own.
    Spin,
    /// Yields a few times: there are more threads than processors.
    Yield,
}

/// The payload of a panic.
type Panic = Box<dyn Any + Send>;
/// The work of one run, its lifetime erased.
type Task = *const (dyn Fn(usize) + Sync + 'static);

/// The state shared by a pool's caller and the workers it started. Counters that one side writes and the other polls have cache
/// lines of their own.
pub(super) struct SpawnedWorkers {
    /// Number of runs started: a change means work.
    epoch: Padded<AtomicU64>,
    /// Workers that have not finished the current run.
    pending: Padded<AtomicUsize>,
    task: UnsafeCell<Option<Task>>,
    workers: Vec<Padded<Worker>>,
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
struct Worker {
    sleeps: AtomicBool,
    /// The thread's handle and its kernel id.
    thread: OnceLock<(Thread, i32)>,
}

// SAFETY: `task` is written only while no worker runs (`pending` is 0) and read only between the epoch's change and
// the worker's decrement of `pending`; what it points to is `Sync`. All other fields are atomics and locks.
unsafe impl Sync for SpawnedWorkers {}
// SAFETY: the pointer in `task` is used only during a run, which its owner outlives.
unsafe impl Send for SpawnedWorkers {}

impl std::fmt::Debug for SpawnedWorkers {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "SpawnedWorkers({})", self.len())
    }
}

impl SpawnedWorkers {
    pub(super) fn new(workers: usize, wait_strategy: WaitStrategy) -> SpawnedWorkers {
        SpawnedWorkers {
            epoch: Padded(AtomicU64::new(0)),
            pending: Padded(AtomicUsize::new(0)),
            task: UnsafeCell::new(None),
            workers: (0..workers).map(|_| Padded(Worker::default())).collect(),
            caller_sleeps: AtomicBool::new(false),
            caller: Mutex::new(None),
            panic: Mutex::new(None),
            closing: AtomicBool::new(false),
            wait_strategy,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.workers.len()
    }

    /// The kernel's ids of the threads.
    pub(super) fn tids(&self) -> impl Iterator<Item = i32> {
        self.workers.iter().filter_map(|worker| worker.0.thread.get().map(|(_, tid)| *tid))
    }

    /// Has every worker call `task` while the caller does `own`; returns the first panic once all are done.
    ///
    /// # Safety
    /// No other run may be under way.
    pub(super) unsafe fn run(
        &self,
        task: &(dyn Fn(usize) + Sync),
        own: impl FnOnce() -> Option<Panic>,
    ) -> Option<Panic> {
        let task: *const (dyn Fn(usize) + Sync + '_) = task;
        // SAFETY: only the lifetime changes; no worker uses the pointer after this function returns.
        let task: Task = unsafe { std::mem::transmute(task) };
        // SAFETY: the caller guarantees that no run is under way, so no worker reads the cell.
        unsafe { *self.task.get() = Some(task) };
        self.pending.0.store(self.len(), Ordering::Relaxed);
        self.start_run();
        let panic = own();
        self.wait_until_done();
        let theirs = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        panic.or(theirs)
    }

    /// Announces a run to the workers that spin, and wakes those that sleep.
    fn start_run(&self) {
        self.epoch.0.fetch_add(1, Ordering::SeqCst);
        for worker in &self.workers {
            if worker.0.sleeps.load(Ordering::SeqCst)
                && let Some((thread, _)) = worker.0.thread.get()
            {
                thread.unpark();
            }
        }
    }

    fn wait_until_done(&self) {
        let done = || self.pending.0.load(Ordering::SeqCst) == 0;
        if self.wait_strategy.is_met_before_sleep(done) {
            return;
        }
        *self.caller.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread::current());
        self.caller_sleeps.store(true, Ordering::SeqCst);
        while !done() {
            thread::park();
        }
        self.caller_sleeps.store(false, Ordering::SeqCst);
    }

    /// Ends the workers' loops.
    pub(super) fn shut_down(&self) {
        self.closing.store(true, Ordering::SeqCst);
        self.start_run();
    }

    /// Runs the worker of this index until the pool ends.
    fn serve(&self, index: usize) {
        let mut seen = 0;
        loop {
            self.wait_for_run(index, seen);
            seen += 1;
            if self.closing.load(Ordering::SeqCst) {
                return;
            }
            // The caller is worker 0.
            self.take_part(index + 1);
            // The caller may return as soon as this is 0; only what `self` owns is used after it.
            if self.pending.0.fetch_sub(1, Ordering::SeqCst) == 1 && self.caller_sleeps.load(Ordering::SeqCst) {
                let caller = self.caller.lock().unwrap_or_else(PoisonError::into_inner).clone();
                caller.inspect(Thread::unpark);
            }
        }
    }

    fn wait_for_run(&self, index: usize, seen: u64) {
        let has_begun = || self.epoch.0.load(Ordering::SeqCst) != seen;
        if self.wait_strategy.is_met_before_sleep(has_begun) {
            return;
        }
        // The flag is raised before the epoch is read again, and `start_run` changes the epoch before it reads the flag: one of
        // the two sees the other.
        let sleeps = &self.workers[index].0.sleeps;
        sleeps.store(true, Ordering::SeqCst);
        while !has_begun() {
            thread::park();
        }
        sleeps.store(false, Ordering::SeqCst);
    }

    fn take_part(&self, worker: usize) {
        // SAFETY: the run has begun and this worker has not finished its share: the caller does not write.
        let task = unsafe { *self.task.get() };
        let Some(task) = task else { return };
        // SAFETY: the caller keeps the task alive until every worker has finished its share.
        let task = unsafe { &*task };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| task(worker))) {
            self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
        }
    }
}

impl WaitStrategy {
    /// Polls `ready` until it is time to sleep; returns whether it came true.
    fn is_met_before_sleep(self, ready: impl Fn() -> bool) -> bool {
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
        for _ in 0..POLLS {
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

/// Starts the worker of this index on its processor, and returns when it runs there.
pub(super) fn spawn(
    workers: &Arc<SpawnedWorkers>,
    index: usize,
    cpu: Option<u32>,
) -> Result<JoinHandle<()>, PoolError> {
    let (report, arrival) = mpsc::sync_channel(1);
    let own = Arc::clone(workers);
    let life = move || {
        let pinned = cpu.map_or(Ok(()), |cpu| affinity::pin(&[cpu]).map_err(|source| PoolError::Pin { cpu, source }));
        let serves = pinned.is_ok();
        let _ = own.workers[index].0.thread.set((thread::current(), affinity::thread_id()));
        let _ = report.send(pinned);
        if serves {
            own.serve(index);
        }
    };
    let name = format!("paw-{}", index + 1);
    let thread = thread::Builder::new().name(name).spawn(life).map_err(PoolError::Spawn)?;
    arrival.recv().map_err(|lost| PoolError::Spawn(std::io::Error::other(lost)))??;
    Ok(thread)
}
