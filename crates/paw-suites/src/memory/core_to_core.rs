//! The way of a cache line from core to core: `core_to_core`.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::AxisValue;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::ping_pong::{PingPong, Turn};
use paw_native::pool::ThreadPool;

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};
use crate::choice::Threads;
use crate::engine::Engine;
use crate::host::Host;

/// Two threads that take turns at one line.
pub const CORE_TO_CORE: Benchmark = Own {
    name: "core_to_core",
    purpose: "How long does a cache line take from one core to another and back?",
    timed: "two threads, each on its processor, take turns at one word: a round trip is a turn of each",
    formula: "1; one round trip, two ways of the line",
    work: |_| Work::default(),
    start,
}
.of(Common {
    headline: Quantity::Time,
    axes: &[PAIR, TURN],
    threads: &[Threads::Count(1)],
    by_name: true,
    memory_bytes: |_| 4096.0,
    ..super::BANDWIDTH
});

const PAIR: Axis = Axis {
    name: axis::PAIR,
    meaning: "two processors; of more than 64, all pairs of 64 that are spread evenly",
    values: Values::Machine(pairs),
};
const TURN: Axis = Axis {
    name: axis::TURN,
    meaning: "a turn is taken by compare-and-swap (cas), or by loads until the other's store is seen (flag)",
    values: Values::Words(&["cas", "flag"]),
};

/// The most processors whose pairs are measured unless the user names pairs: 2016 pairs.
const PROCESSORS_MAX: usize = 64;

/// Every pair of the processors that this process may use.
fn pairs(host: &Host) -> Vec<AxisValue> {
    let all: Vec<u32> = host.topology.allowed().iter().collect();
    let some = spread(&all, PROCESSORS_MAX);
    let of = |(index, first): (usize, &u32)| {
        some[index + 1..].iter().map(|second| AxisValue::Text(format!("{first}-{second}"))).collect::<Vec<_>>()
    };
    some.iter().enumerate().flat_map(of).collect()
}

/// At most `most` of `all`, spread evenly.
fn spread(all: &[u32], most: usize) -> Vec<u32> {
    let count = all.len().min(most);
    (0..count).map(|index| all[index * all.len() / count]).collect()
}

/// The processors of a pair such as `0-1`.
fn processors(pair: &str) -> Option<[u32; 2]> {
    let (first, second) = pair.split_once('-')?;
    Some([first.parse().ok()?, second.parse().ok()?])
}

/// Seconds without a turn after which the game is given up.
const PATIENCE: Duration = Duration::from_secs(10);

struct CoreToCore {
    /// Kept for the processors of the cell.
    _engine: Rc<Engine>,
    pool: ThreadPool,
    game: PingPong,
    turn: Turn,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let Some(pair) = start.point.text(axis::PAIR) else {
        return Err(Fault::Missing("a pair needs two processors, and this process may use one".to_owned()));
    };
    let Some(cpus) = processors(pair).filter(|[first, second]| first != second) else {
        return Err(Fault::Missing(format!("`{pair}` is no pair of processors such as 0-1")));
    };
    let pool = ThreadPool::new(&cpus).map_err(|error| Fault::Missing(error.to_string()))?;
    let turn = if start.point.text(axis::TURN) == Some("flag") { Turn::Flag } else { Turn::CompareAndSwap };
    Ok(Box::new(CoreToCore { _engine: Rc::clone(start.engine), pool, game: PingPong::default(), turn }))
}

/// The last turn that was seen, and when.
struct Progress {
    began: Instant,
    turns: AtomicU64,
    seen_ms: AtomicU64,
}

impl Progress {
    fn since(turns: u64) -> Self {
        Self { began: Instant::now(), turns: AtomicU64::new(turns), seen_ms: AtomicU64::new(0) }
    }

    /// Whether a turn was taken within [`PATIENCE`], now that there are `turns`.
    fn is_recent(&self, turns: u64) -> bool {
        let now_ms = self.began.elapsed().as_millis() as u64;
        if self.turns.swap(turns, Ordering::Relaxed) != turns {
            self.seen_ms.store(now_ms, Ordering::Relaxed);
        }
        now_ms - self.seen_ms.load(Ordering::Relaxed).min(now_ms) < PATIENCE.as_millis() as u64
    }
}

impl CoreToCore {
    fn play(&self, rounds: u64) -> Result<(), Fault> {
        let (game, turn) = (&self.game, self.turn);
        let first = game.turns();
        let progress = Progress::since(first);
        self.pool.run(|worker| {
            game.play(worker as u64, first, rounds, turn, || progress.is_recent(game.turns()));
        });
        match game.turns() - first {
            taken if taken == 2 * rounds => Ok(()),
            taken => Err(Fault::Broken(format!("{taken} of {} turns were taken", 2 * rounds))),
        }
    }
}

impl Timed for CoreToCore {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        // Both threads are awake, and the line is where the game left it.
        self.pool.wake();
        let start = clock.start();
        self.play(loops)?;
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let before = self.game.turns();
        self.play(1000)?;
        let taken = self.game.turns() - before;
        Ok(answer::exact("turns", (taken != 2000).then(|| format!("{taken} turns were taken, not 2000"))))
    }

    fn threads(&self) -> Vec<i32> {
        self.pool.tids()
    }
}
