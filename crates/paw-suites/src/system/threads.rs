//! Threads that begin, and wait for each other: `thread_create`, `thread_fork_join`, `thread_barrier`.

use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use paw_data::outcome::Check;
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::barrier::Barrier;
use paw_native::pool::ThreadPool;

use crate::answer;
use crate::benchmark::{Benchmark, Common, Own, Start};
use crate::choice::Threads;
use crate::engine::Engine;

/// Seconds of a thread's life.
pub const THREAD_CREATE: Benchmark = Own {
    name: "thread_create",
    purpose: "What does it cost to create a thread and to wait for its end?",
    timed: "a thread that returns at once, on the processor of the one that creates it and waits for it (pthread_create and \
            pthread_join, by Rust's std)",
    formula: "1; one thread",
    work: |_| Work::default(),
    start: |start| begin(start, What::Create),
}
.of(Common { counts_waits: true, ..super::COST });

/// Seconds of an empty parallel region.
pub const THREAD_FORK_JOIN: Benchmark = Own {
    name: "thread_fork_join",
    purpose: "What does an empty parallel region cost?",
    timed: "paw's own pool runs nothing on all threads, which wait for the next region by spinning (100 µs, then they sleep)",
    formula: "1; one region",
    work: |_| Work::default(),
    start: |start| begin(start, What::ForkJoin),
}
.of(Common { threads: &[Threads::All], ..super::COST });

/// Seconds of a barrier among threads.
pub const THREAD_BARRIER: Benchmark = Own {
    name: "thread_barrier",
    purpose: "What does it cost threads to wait for each other?",
    timed: "paw's own barrier: an atomic count, and a word on which all spin",
    formula: "1; one barrier",
    work: |_| Work::default(),
    start: |start| begin(start, What::Barrier),
}
.of(Common { threads: &[Threads::All], ..super::COST });

/// What threads do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Create,
    ForkJoin,
    Barrier,
}

struct ThreadCost {
    engine: Rc<Engine>,
    what: What,
    /// Threads that ran.
    ran: AtomicU64,
}

fn begin(start: &Start<'_>, what: What) -> Result<Box<dyn Timed>, Fault> {
    Ok(Box::new(ThreadCost { engine: Rc::clone(start.engine), what, ran: AtomicU64::new(0) }))
}

/// Barriers before those that are timed.
const LEAD: u64 = 2;
/// Operations that a check counts.
const CHECKED: u64 = 100;

/// The seconds of `loops` barriers, by the first thread's clock.
fn barriers(pool: &ThreadPool, loops: u64, clock: &Clock) -> Result<f64, Fault> {
    let (barrier, seconds) = (Barrier::new(pool.threads()), Mutex::new(None));
    pool.run(|worker| {
        (0..LEAD).for_each(|_| barrier.wait());
        let start = clock.start();
        (0..loops).for_each(|_| barrier.wait());
        let stop = clock.stop();
        if worker == 0 {
            *seconds.lock().expect("one thread writes it") = Some(clock.seconds(start, stop));
        }
    });
    seconds.into_inner().ok().flatten().ok_or_else(|| Fault::Broken("the threads never ran".to_owned()))
}

/// How often, in [`CHECKED`] barriers of the pool's threads, a thread left `wait` before all had come to it.
fn left_early(pool: &ThreadPool, wait: impl Fn() + Sync) -> u64 {
    let (came, early, parties) = (AtomicU64::new(0), AtomicU64::new(0), pool.threads() as u64);
    pool.run(|_| {
        for round in 1..=CHECKED {
            came.fetch_add(1, Ordering::SeqCst);
            wait();
            early.fetch_add(u64::from(came.load(Ordering::SeqCst) < parties * round), Ordering::Relaxed);
            // Nobody comes to the next round before all have looked.
            wait();
        }
    });
    early.into_inner()
}

/// Creates `count` threads, one after the other, each of which adds one to `ran`, and waits for each.
fn create(count: u64, ran: &AtomicU64) -> Result<(), Fault> {
    let refused = |error| Fault::Missing(format!("the system starts no thread: {error}"));
    let one = || {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, || ran.fetch_add(1, Ordering::Relaxed));
            thread.map_err(refused)?.join().map(drop).map_err(|_| Fault::Broken("a thread broke off".to_owned()))
        })
    };
    (0..count).try_for_each(|_| one())
}

impl Timed for ThreadCost {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let pool = &self.engine.native()?.pool;
        // Every thread is awake, and where it belongs.
        pool.wake();
        let start = clock.start();
        match self.what {
            What::Barrier => return barriers(pool, loops, clock),
            What::ForkJoin => (0..loops).for_each(|_| pool.run(|_| ())),
            What::Create => create(loops, &self.ran)?,
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let (ran, pool) = (&self.ran, &self.engine.native()?.pool);
        let before = ran.load(Ordering::Relaxed);
        let expected = match self.what {
            What::Barrier => {
                let barrier = Barrier::new(pool.threads());
                let early = left_early(pool, || barrier.wait());
                let wrong = (early > 0).then(|| format!("{early} times a thread left before all had come"));
                return Ok(answer::exact("nobody leaves before all have come", wrong));
            }
            What::ForkJoin => {
                let count = |_| {
                    ran.fetch_add(1, Ordering::Relaxed);
                };
                (0..CHECKED).for_each(|_| pool.run(count));
                pool.threads() as u64 * CHECKED
            }
            What::Create => {
                create(CHECKED, ran)?;
                CHECKED
            }
        };
        let found = ran.load(Ordering::Relaxed) - before;
        Ok(answer::exact("threads", (found != expected).then(|| format!("{found} threads ran, not {expected}"))))
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }
}

#[cfg(test)]
mod tests {
    use paw_native::barrier::Barrier;
    use paw_native::pool::ThreadPool;

    use super::left_early;

    #[test]
    fn a_barrier_that_holds_nobody_is_found() {
        let pool = ThreadPool::unpinned(2).expect("two threads can be started");
        let barrier = Barrier::new(2);
        assert_eq!(left_early(&pool, || barrier.wait()), 0);
        assert!(left_early(&pool, || ()) > 0);
    }
}
