//! Several threads of each rank at once: `latency_threads`.

use std::sync::Barrier;
use std::thread::{self, ScopedJoinHandle};

use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::{AcrossThreads, Kind, Memory, Part};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::PAIRWISE;
use super::pair::{self, Pair};
use super::partner::PAIRS;
use super::payload;
use super::world::broken;
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Start, Values};

/// A ping-pong of each thread with its counterpart.
pub const LATENCY_THREADS: Benchmark = Benchmark {
    name: "latency_threads",
    purpose: "How long does a message take where several threads of a rank send at once (MPI_THREAD_MULTIPLE)?",
    timed: "in every thread, first half: MPI_Send, MPI_Recv | second half: MPI_Recv, MPI_Send; the time ends when the last thread is back",
    formula: "2 · 8n bytes · P/2 pairs · threads in a round trip; the time is that of one message",
    headline: Quantity::Time,
    axes: &[N, THREADS, PAIRS],
    work: |point| {
        let threads = threads(point) as f64;
        let one = pair::round_trip(point);
        Work { bytes: one.bytes * threads, messages: one.messages * threads, ..one }
    },
    memory_bytes: |point| 2.0 * threads(point) as f64 * pair::message_bytes(point),
    start: |start| begin(start),
    ..PAIRWISE
};

const N: Axis = Axis { name: "n", meaning: "elements of 8 bytes in a message", values: Values::Ints(&[1, 512]) };
const THREADS: Axis =
    Axis { name: "pool", meaning: "threads of each rank that send at once", values: Values::Ints(&[2]) };

fn threads(point: &Point) -> usize {
    point.int("pool").and_then(|n| usize::try_from(n).ok()).unwrap_or(2).max(1)
}

/// What every thread of a rank needs to make its own messages.
#[derive(Clone, Copy)]
struct Thread {
    comm: AcrossThreads,
    partner: usize,
    is_first: bool,
    count: i32,
    /// The tag is the thread's own.
    tag: i32,
}

/// The threads of a rank, and what was wrong in their last messages.
struct Threads {
    threads: Vec<Thread>,
    wrong: Option<String>,
}

fn begin(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    start.engine.world()?.needs_multiple("latency_threads")?;
    let Pair { comm, partner, is_first, out, .. } = Pair::new(start)?;
    let tags = pair::TAG..pair::TAG + threads(start.point) as i32;
    let comm = comm.across_threads().map_err(broken)?;
    let threads = tags.map(|tag| Thread { comm, partner, is_first, count: out.count(), tag }).collect();
    Ok(Box::new(Threads { threads, wrong: None }))
}

impl Thread {
    /// `loops` round trips, begun when all threads stand at the gate; what was wrong in the last message. Memory is not shared between threads.
    fn run(self, loops: u64, gate: &Barrier, begun: impl FnOnce()) -> Result<Option<String>, Fault> {
        let comm = self.comm.here();
        let out = Part::new(0, self.count, Kind::Double);
        let into = Part::new(pair::apart(out.bytes()), self.count, Kind::Double);
        let memory = Memory::new(into.offset_bytes() + into.bytes()).map_err(broken);
        if let Ok(memory) = &memory {
            payload::fill(memory, out, comm.rank());
        }
        gate.wait();
        begun();
        let memory = memory?;
        for _ in 0..loops {
            if self.is_first {
                comm.send(&memory, out, self.partner, self.tag).map_err(broken)?;
                comm.recv(&memory, into, self.partner, self.tag).map_err(broken)?;
            } else {
                comm.recv(&memory, into, self.partner, self.tag).map_err(broken)?;
                comm.send(&memory, out, self.partner, self.tag).map_err(broken)?;
            }
        }
        Ok(payload::wrong(&memory, into, |index| payload::value(self.partner, into.len(), index)))
    }
}

impl Timed for Threads {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let Some((mine, others)) = self.threads.split_first() else { return Ok(0.0) };
        let gate = Barrier::new(self.threads.len());
        let (elapsed_s, wrong) = thread::scope(|scope| {
            let running: Vec<_> = others.iter().map(|thread| scope.spawn(|| thread.run(loops, &gate, || ()))).collect();
            // The calling thread is one of them, and starts the clock when all stand at the gate.
            let mut start = 0;
            let ended = mine.run(loops, &gate, || start = clock.start());
            let others: Vec<_> = running.into_iter().map(ScopedJoinHandle::join).collect();
            let stop = clock.stop();
            let others = others.into_iter().map(|end| end.expect("a round trip does not panic"));
            let wrong: Result<Vec<_>, Fault> = std::iter::once(ended).chain(others).collect();
            wrong.map(|wrong| (clock.seconds(start, stop), wrong))
        })?;
        let first =
            wrong.into_iter().enumerate().find_map(|(thread, wrong)| Some(format!("thread {thread}: {}", wrong?)));
        self.wrong = first;
        Ok(elapsed_s)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.time(1, &Clock::monotonic())?;
        Ok(answer::exact("the partner's pattern in every thread", self.wrong.clone()))
    }
}
