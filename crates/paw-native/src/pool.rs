//! A pool of pinned threads that run one function at a time, together.
//!
//! The thread that calls [`ThreadPool::run`] is worker 0: a pool of one thread is a plain function call, and a pool of n wakes
//! only n - 1 threads. Between runs workers spin for a moment, then sleep, so that an idle pool leaves its processors to others.
#![allow(unsafe_code)]

mod spawned_workers;
mod thread_slot;

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::partition::part;
use spawned_workers::{SpawnedWorkers, WaitStrategy};
use thread_slot::ThreadSlot;

/// Why a pool could not be made.
#[derive(Debug)]
pub enum PoolError {
    /// A pool needs at least one processor.
    Empty,
    /// The kernel refused to put a thread on this processor.
    Pin {
        /// The processor's number.
        cpu: u32,
        /// The kernel's error.
        source: std::io::Error,
    },
    /// The kernel refused another thread.
    Spawn(std::io::Error),
}

impl fmt::Display for PoolError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PoolError::Empty => write!(out, "a thread pool needs at least one processor; name one"),
            PoolError::Pin { cpu, source } => {
                write!(
                    out,
                    "no thread can be put on processor {cpu}: {source}; choose among those `taskset -p $$` shows"
                )
            }
            PoolError::Spawn(source) => write!(out, "no further thread could be started: {source}; ask for fewer"),
        }
    }
}

impl std::error::Error for PoolError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PoolError::Empty => None,
            PoolError::Pin { source, .. } | PoolError::Spawn(source) => Some(source),
        }
    }
}

/// Pinned threads that run one function at a time, together. A pool may move to another thread, but not be shared.
#[derive(Debug)]
pub struct ThreadPool {
    id: u64,
    cpus: Vec<u32>,
    spawned: Arc<SpawnedWorkers>,
    threads: Vec<JoinHandle<()>>,
    /// Whether a run is under way. The cell keeps the pool from being `Sync`: two threads that ran it at once would both be worker 0.
    is_running: Cell<bool>,
}

/// The next pool's number, by which a thread knows whose slot it holds.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// The processors that the calling thread may run on, ascending, whether or not a pool has pinned it to one of them.
///
/// # Errors
/// What the kernel says.
pub fn allowed() -> std::io::Result<Vec<u32>> {
    thread_slot::allowed()
}

impl ThreadPool {
    /// One thread for each of `cpus`, in this order; a processor named twice gets two threads. The calling thread is
    /// the first: it moves to `cpus[0]` now, again when it runs this pool after another, and back to where it was
    /// allowed before when the pool it ran last is dropped.
    ///
    /// # Errors
    /// Where `cpus` is empty, names a processor this process may not use, or no thread can be started.
    pub fn new(cpus: &[u32]) -> Result<ThreadPool, PoolError> {
        let Some(&first) = cpus.first() else { return Err(PoolError::Empty) };
        let places: Vec<Option<u32>> = cpus.iter().copied().map(Some).collect();
        let pool = ThreadPool::start(cpus.to_vec(), &places, wait_strategy(cpus))?;
        thread_slot::take(pool.thread_slot()).map_err(|source| PoolError::Pin { cpu: first, source })?;
        Ok(pool)
    }

    /// A pool of `threads` threads that the system places and moves.
    ///
    /// # Errors
    /// Where `threads` is zero or no thread can be started.
    pub fn unpinned(threads: usize) -> Result<ThreadPool, PoolError> {
        let places = vec![None; threads];
        if places.is_empty() {
            return Err(PoolError::Empty);
        }
        let has_enough = std::thread::available_parallelism().is_ok_and(|cpus| cpus.get() >= threads);
        ThreadPool::start(Vec::new(), &places, if has_enough { WaitStrategy::Spin } else { WaitStrategy::Yield })
    }

    fn start(cpus: Vec<u32>, places: &[Option<u32>], wait_strategy: WaitStrategy) -> Result<ThreadPool, PoolError> {
        let spawned = Arc::new(SpawnedWorkers::new(places.len() - 1, wait_strategy));
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        let mut pool = ThreadPool { id, cpus, spawned, threads: Vec::new(), is_running: Cell::new(false) };
        for (index, &place) in places[1..].iter().enumerate() {
            let thread = spawned_workers::spawn(&pool.spawned, index, place)?;
            pool.threads.push(thread);
        }
        Ok(pool)
    }

    fn thread_slot(&self) -> ThreadSlot {
        ThreadSlot { pool: self.id, cpu: self.cpus.first().copied() }
    }

    /// How many threads work together, the caller included.
    pub fn threads(&self) -> usize {
        self.spawned.len() + 1
    }

    /// The processors the threads were put on, in worker order; empty where the system places them.
    pub fn cpus(&self) -> &[u32] {
        &self.cpus
    }

    /// The kernel's ids of the threads, in worker order; the first is that of the calling thread.
    pub fn tids(&self) -> Vec<i32> {
        std::iter::once(crate::affinity::thread_id()).chain(self.spawned.tids()).collect()
    }

    /// Calls `task` once on every thread, with the worker's index, and returns when all calls have.
    ///
    /// # Panics
    /// Where a call panicked: with that call's panic, after all others have returned. Where `task` runs this pool again.
    #[inline]
    pub fn run(&self, task: impl Fn(usize) + Sync) {
        thread_slot::keep(self.thread_slot());
        if self.threads.is_empty() {
            return task(0);
        }
        self.run_together(&task);
    }

    /// Calls `task` on the calling thread alone, pinned as worker 0.
    #[inline]
    pub fn run_on_caller<R>(&self, task: impl FnOnce() -> R) -> R {
        thread_slot::keep(self.thread_slot());
        task()
    }

    fn run_together(&self, task: &(dyn Fn(usize) + Sync)) {
        assert!(
            !self.is_running.replace(true),
            "a task runs the pool that runs it: all threads of the pool are busy with the outer run"
        );
        // SAFETY: `is_running` was false, and the pool is not `Sync`: no other run is under way.
        let panic = unsafe { self.spawned.run(task, || catch_unwind(AssertUnwindSafe(|| task(0))).err()) };
        self.is_running.set(false);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Wakes every thread, so that a run that follows at once finds them spinning.
    pub fn wake(&self) {
        self.run(|_| {});
    }

    /// Cuts `data` into one part per worker, at multiples of `granule` as [`crate::partition::part`] does, and calls
    /// `task` on every thread with the worker's index, the indices of its part, and the part.
    ///
    /// # Panics
    /// Where a call panicked.
    pub fn run_parts<T: Send>(
        &self,
        data: &mut [T],
        granule: usize,
        task: impl Fn(usize, Range<usize>, &mut [T]) + Sync,
    ) {
        let (len, workers) = (data.len(), self.threads());
        let mut rest = data;
        let mut pieces = Vec::with_capacity(workers);
        for worker in 0..workers {
            let range = part(len, workers, granule, worker);
            let (piece, others) = rest.split_at_mut(range.len());
            rest = others;
            pieces.push(Mutex::new((range, piece)));
        }
        self.run(|worker| {
            let mut piece = pieces[worker].lock().unwrap_or_else(PoisonError::into_inner);
            let (range, slice) = &mut *piece;
            task(worker, range.clone(), slice);
        });
    }

    /// Calls `task` once on every thread and returns what the calls returned, in worker order.
    ///
    /// # Panics
    /// Where a call panicked.
    pub fn map<R: Send>(&self, task: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let mut results: Vec<Option<R>> = (0..self.threads()).map(|_| None).collect();
        self.run_parts(&mut results, 1, |worker, _, part| part[0] = Some(task(worker)));
        results.into_iter().map(|result| result.expect("every worker leaves a result")).collect()
    }
}

/// Spinning pays only where each thread has a processor of its own.
fn wait_strategy(cpus: &[u32]) -> WaitStrategy {
    let mut distinct = cpus.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() == cpus.len() { WaitStrategy::Spin } else { WaitStrategy::Yield }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.spawned.shut_down();
        for thread in self.threads.drain(..) {
            // `run` has passed on the panics of tasks; nothing is left to report.
            let _ = thread.join();
        }
        thread_slot::leave(self.id);
    }
}
