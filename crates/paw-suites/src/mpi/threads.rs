//! Several threads of each rank at once: `latency_threads`.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Builder, ScopedJoinHandle};

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::{AcrossThreads, Datatype, Memory, Message, Part, ThreadLevel};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::error::broken;
use super::pair::{self, Pair};
use super::payload;
use super::send::round_trips;
use super::{BY_PAIRS, PAIRS, PAIRWISE};
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Values};
use crate::teamwork::Teamwork;

/// A ping-pong of each thread with its counterpart.
pub const LATENCY_THREADS: Benchmark = Own {
    name: "latency_threads",
    purpose: "How long does a message take where several threads of a rank send at once (MPI_THREAD_MULTIPLE)?",
    timed: "in every thread, first half: MPI_Send, MPI_Recv | second half: MPI_Recv, MPI_Send; from the first thread's start to the last one's end",
    formula: "2*8*n*(ranks/2)*pool; bytes of a round trip of all pairs, the time is that of one message",
    work: |point| {
    let threads = threads(point) as f64;
    let one = pair::round_trip(point);
    Work { bytes: one.bytes * threads, messages: one.messages * threads, ..one }
},
    start: |start| begin(start),
}
.of(Common {
    headline: Quantity::Time,
    providers: Providers::Mpi(Teamwork { thread_level: Some(ThreadLevel::Multiple), ..BY_PAIRS }),
    axes: &[N, THREADS, PAIRS],
    memory_bytes: |point| 2.0 * threads(point) as f64 * pair::message_bytes(point),
    ..PAIRWISE
})
.quick(&[]);

const N: Axis = Axis { name: axis::N, meaning: "elements of 8 bytes in a message", values: Values::Ints(&[1, 512]) };
const THREADS: Axis =
    Axis { name: axis::POOL, meaning: "threads of each rank that send at once", values: Values::Ints(&[2]) };

fn threads(point: &Point) -> usize {
    point.int(axis::POOL).and_then(|n| usize::try_from(n).ok()).unwrap_or(2).max(1)
}

/// A thread's side of its pair.
#[derive(Clone, Copy)]
struct Thread {
    comm: AcrossThreads,
    partner: usize,
    is_first: bool,
    count: i32,
    /// The thread's own tag.
    tag: i32,
}

/// The threads of a rank, and the error found in their last messages.
struct Threads {
    threads: Vec<Thread>,
    wrong: Option<String>,
}

fn begin(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let (world, count) = (start.engine.world()?, threads(start.point));
    let fits = world.needs_multiple(LATENCY_THREADS.name);
    let fits = fits.and_then(|()| world.needs_processors(LATENCY_THREADS.name, count));
    // Only rank 0 knows the processors of all ranks: the others start no threads before it agrees.
    world.team().agree(fits.and_then(|()| distinct(count)))?;
    startable(count)?;
    let Pair { comm, partner, is_first, out, .. } = Pair::new(start)?;
    let tags = pair::TAG..pair::TAG + count as i32;
    let comm = comm.across_threads().map_err(broken)?;
    let threads = tags.map(|tag| Thread { comm, partner, is_first, count: out.count(), tag }).collect();
    Ok(Box::new(Threads { threads, wrong: None }))
}

/// The largest tag that every MPI has (MPI 4.1, 9.1.2).
const TAG_MAX: usize = 32_767;

/// Refuses more threads than MPI has tags for.
fn distinct(threads: usize) -> Result<(), Fault> {
    if threads < TAG_MAX {
        return Ok(());
    }
    Err(Fault::Missing(format!("{threads} threads need a tag each, and MPI promises {TAG_MAX}; choose a smaller pool")))
}

/// Refuses more threads than the system can start, by starting them.
fn startable(threads: usize) -> Result<(), Fault> {
    let gate = ThreadBarrier::of(threads);
    thread::scope(|scope| {
        let started: io::Result<Vec<_>> =
            (1..threads).map(|_| Builder::new().spawn_scoped(scope, || gate.pass())).collect();
        gate.close();
        started.map(drop).map_err(|error| unstarted(threads, &error))
    })
}

fn unstarted(threads: usize, error: &io::Error) -> Fault {
    Fault::Missing(format!(
        "{threads} threads were refused by the system: {error}; choose a smaller pool, or raise ulimit -u"
    ))
}

/// A barrier at which threads wait until all have arrived, or until it is closed.
struct ThreadBarrier {
    all: usize,
    /// The number of threads that arrived, and whether the barrier is closed.
    state: Mutex<(usize, bool)>,
    changed: Condvar,
}

impl ThreadBarrier {
    fn of(all: usize) -> Self {
        Self { all, state: Mutex::new((0, false)), changed: Condvar::new() }
    }

    /// Waits for the others; returns whether all arrived.
    fn pass(&self) -> bool {
        let mut state = self.lock();
        state.0 += 1;
        if state.0 == self.all {
            self.changed.notify_all();
        }
        while state.0 < self.all && !state.1 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.0 == self.all
    }

    /// Releases all waiting threads, because not all will arrive.
    fn close(&self) {
        self.lock().1 = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, (usize, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of a thread's round trips.
struct ThreadResult {
    start: u64,
    stop: u64,
    /// The error in the last message received.
    wrong: Option<String>,
}

impl Thread {
    /// Makes `loops` round trips once all threads are ready. Threads share no memory.
    fn run(self, loops: u64, gate: &ThreadBarrier, clock: &Clock) -> Result<ThreadResult, Fault> {
        let comm = self.comm.here();
        let out = Part::new(0, self.count, Datatype::Double);
        let into = Part::new(pair::apart(out.bytes()), self.count, Datatype::Double);
        let memory = Memory::new(into.offset_bytes() + into.bytes()).map_err(broken);
        if let Ok(memory) = &memory {
            payload::fill(memory, out, comm.rank());
            payload::clear(memory, into);
        }
        if !gate.pass() {
            return Err(Fault::Broken("another thread of this rank could not be started".to_owned()));
        }
        let memory = memory?;
        let message = |part| Message::new(comm, &memory, part, self.partner, self.tag).map_err(broken);
        let (out_message, into_message) = (message(out)?, message(into)?);
        let start = clock.start();
        round_trips(&out_message, &into_message, self.is_first, loops)?;
        let stop = clock.stop();
        let wrong = payload::wrong(&memory, into, |index| payload::value(self.partner, into.len(), index));
        Ok(ThreadResult { start, stop, wrong })
    }
}

impl Timed for Threads {
    /// Seconds from the first thread's start to the last one's end, without starting threads and checking messages.
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let Some((mine, others)) = self.threads.split_first() else { return Ok(0.0) };
        let gate = ThreadBarrier::of(self.threads.len());
        let ended: Result<Vec<ThreadResult>, Fault> = thread::scope(|scope| {
            let start = |thread: &Thread| {
                let thread = *thread;
                Builder::new().spawn_scoped(scope, {
                    let gate = &gate;
                    move || thread.run(loops, gate, clock)
                })
            };
            let running: io::Result<Vec<_>> = others.iter().map(start).collect();
            if running.is_err() {
                gate.close();
            }
            let running = running.map_err(|error| unstarted(self.threads.len(), &error))?;
            // The calling thread is the first of them.
            let ended = mine.run(loops, &gate, clock);
            let others = running.into_iter().map(ScopedJoinHandle::join);
            let others = others.map(|end| end.expect("a round trip does not panic"));
            std::iter::once(ended).chain(others).collect()
        });
        let ended = ended?;
        let start = ended.iter().map(|thread| thread.start).min().unwrap_or(0);
        let stop = ended.iter().map(|thread| thread.stop).max().unwrap_or(start);
        let wrong = |(thread, ended): (usize, ThreadResult)| Some(format!("thread {thread}: {}", ended.wrong?));
        self.wrong = ended.into_iter().enumerate().find_map(wrong);
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.time(1, &Clock::monotonic())?;
        Ok(answer::exact("the partner's pattern in every thread", self.wrong.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_opens_when_all_have_come() {
        let gate = ThreadBarrier::of(4);
        let passed = thread::scope(|scope| {
            let others: Vec<_> = (1..4).map(|_| scope.spawn(|| gate.pass())).collect();
            let mine = gate.pass();
            others.into_iter().map(|other| other.join().expect("it only waits")).fold(mine, |all, one| all && one)
        });
        assert!(passed);
    }

    #[test]
    fn a_gate_that_is_closed_keeps_nobody() {
        let gate = ThreadBarrier::of(4);
        let passed = thread::scope(|scope| {
            let early = scope.spawn(|| gate.pass());
            gate.close();
            [early.join().expect("it only waits"), gate.pass()]
        });
        assert_eq!(passed, [false, false]);
    }

    #[test]
    fn threads_beyond_mpis_tags_are_refused() {
        assert_eq!(distinct(TAG_MAX - pair::TAG as usize), Ok(()));
        assert!(distinct(100_000_000).unwrap_err().to_string().contains("choose a smaller pool"));
    }

    #[test]
    fn a_few_threads_can_be_started() {
        assert_eq!(startable(4), Ok(()));
    }
}
