//! Trains of messages and an answer, from which the parameters of LogGP follow: `loggp`.
//!
//! The method is that of Hoefler, Lichei and Rehm, "Low-Overhead LogGP Parameter Assessment for Modern Interconnection Networks", IPDPS
//! 2007. LogGP is Alexandrov, Ionescu, Schauser and Scheiman's, SPAA 1995.

use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::train;
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::error::broken;
use super::pair::{self, Pair};
use super::world::World;
use super::{BY_PAIRS, MESSAGES, PAIRWISE};
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Values};
use crate::teamwork::{Ranks, Teamwork};

/// Trains of messages from one rank to another, and an answer.
pub const LOGGP: Benchmark = Own {
    name: "loggp",
    purpose: "What are the latency L, the overhead o, the gap g and the gap per byte G of messages between two ranks?",
    timed: "first rank: MPI_Send of each message of the train, MPI_Recv | second rank: as many MPI_Recv, MPI_Send; pauses between messages are taken off",
    formula: "8*n*(messages+1); the messages of a train, 1 (single) or 16, and the answer",
    work,
    start: |start| Ok(Box::new(Trains::new(start)?)),
}
.of(Common {
    headline: Quantity::Time,
    providers: Providers::Mpi(Teamwork { ranks: Ranks::Two, ..BY_PAIRS }),
    axes: &[Axis { values: Values::Ints(&[1, 64, 512, 4096, 32_768]), ..MESSAGES }, TRAIN],
    by_name: true,
    ..PAIRWISE
});

const TRAIN: Axis = Axis {
    name: axis::TRAIN,
    meaning: "one message (single), 16 one after the other (together), or 16 of which each leaves when the one before it has long arrived (apart)",
    values: Values::Each(&[train::SINGLE, train::TOGETHER, train::APART]),
};

/// A pause, in round trips of a message.
const PAUSE: f64 = 2.0;
/// Round trips of which the fastest gives the pause.
const PROBES: u32 = 8;

fn work(point: &Point) -> Work {
    let messages = (train::messages(point) + 1) as f64;
    Work { bytes: messages * pair::message_bytes(point), messages, operations: 1.0, ..Work::default() }
}

struct Trains {
    pair: Pair,
    world: Rc<World>,
    messages: i64,
    /// Seconds between two messages.
    pause_s: f64,
}

impl Trains {
    fn new(start: &Start<'_>) -> Result<Self, Fault> {
        let (pair, world) = (Pair::new(start)?, Rc::clone(start.engine.world()?));
        let messages = train::messages(start.point);
        let mut trains = Self { pair, world, messages: 1, pause_s: 0.0 };
        if start.point.text(axis::TRAIN) == Some(train::APART) {
            let clock = Clock::monotonic();
            let mut fastest_s = f64::INFINITY;
            for _ in 0..PROBES {
                fastest_s = fastest_s.min(trains.time(1, &clock)?);
            }
            trains.pause_s = PAUSE * fastest_s;
        }
        Ok(Self { messages, ..trains })
    }

    /// Waits for the pause, and returns how long that took.
    fn pause(&self, clock: &Clock) -> f64 {
        let begin = clock.start();
        loop {
            let paused_s = clock.seconds(begin, clock.stop());
            if paused_s >= self.pause_s {
                return paused_s;
            }
        }
    }
}

impl Timed for Trains {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let [out, into] = self.pair.messages()?;
        let mut paused_s = [0.0];
        let start = clock.start();
        for _ in 0..loops {
            if !self.pair.is_first {
                (0..self.messages).try_for_each(|_| into.recv()).map_err(broken)?;
                out.send().map_err(broken)?;
                continue;
            }
            out.send().map_err(broken)?;
            for _ in 1..self.messages {
                if self.pause_s > 0.0 {
                    paused_s[0] += self.pause(clock);
                }
                out.send().map_err(broken)?;
            }
            into.recv().map_err(broken)?;
        }
        let stop = clock.stop();
        // The second rank waited through the first one's pauses; nothing is timed here.
        self.world.channel().broadcast(&mut paused_s)?;
        Ok(clock.seconds(start, stop) - paused_s[0])
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.pair.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.pair.check())
    }
}
