//! The way of a cache line from core to core: `core_to_core`.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::point::AxisValue;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_machine::topology::Topology;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::ping_pong::{PingPong, Turn};
use paw_native::pool::ThreadPool;

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};
use crate::choice::Threads;
use crate::engine::Engine;

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
    axes: &[PAIRS, TURN],
    threads: &[Threads::Count(2)],
    by_name: true,
    memory_bytes: |_| 4096.0,
    ..super::BANDWIDTH
});

const PAIRS: Axis = Axis {
    name: axis::PAIRS,
    meaning: "two processors, of which the first touches the line first, so that it is in that one's memory; both ways round where \
              they are on different memory nodes; of more than 64 processors, the pairs of 64 that are spread evenly",
    values: Values::Sampled {
        some: |host| pairs(&host.topology, PROCESSORS_MAX),
        all: |host| pairs(&host.topology, usize::MAX),
    },
};
const TURN: Axis = Axis {
    name: axis::TURN,
    meaning: "a turn is taken by compare-and-swap (cas), or by loads until the other's store is seen (flag)",
    values: Values::Each(&["cas", "flag"]),
};

/// The most processors whose pairs are measured unless the user names pairs: 2016 pairs.
const PROCESSORS_MAX: usize = 64;

/// The pairs of at most `most` of the processors that this process may use.
fn pairs(topology: &Topology, most: usize) -> Vec<AxisValue> {
    let all: Vec<u32> = topology.allowed().iter().collect();
    if let [only] = all[..] {
        // No pair: the cell says why it is skipped.
        return vec![AxisValue::Text(format!("{only}-{only}").into())];
    }
    let some = spread(&all, most);
    let node = |cpu: u32| topology.cpu(cpu).and_then(|cpu| cpu.node);
    let is_pair = |first: u32, second: u32| first < second || first > second && node(first) != node(second);
    let of = |first: &u32| {
        let own = some.iter().filter(|second| is_pair(*first, **second));
        own.map(|second| AxisValue::Text(format!("{first}-{second}").into())).collect::<Vec<_>>()
    };
    some.iter().flat_map(of).collect()
}

/// At most `most` of `all`, spread evenly.
pub(super) fn spread(all: &[u32], most: usize) -> Vec<u32> {
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
    let pair = start.point.text(axis::PAIRS).unwrap_or_default();
    let Some(cpus) = processors(pair).filter(|[first, second]| first != second) else {
        return Err(Fault::Missing(format!("a round trip takes two processors, and `{pair}` is no such pair")));
    };
    let pool = ThreadPool::new(&cpus).map_err(|error| Fault::Missing(error.to_string()))?;
    let turn = if start.point.text(axis::TURN) == Some("flag") { Turn::Flag } else { Turn::CompareAndSwap };
    let game = PingPong::new().map_err(|error| Fault::Missing(error.to_string()))?;
    pool.run(|worker| {
        if worker == 0 {
            game.home();
        }
    });
    Ok(Box::new(CoreToCore { _engine: Rc::clone(start.engine), pool, game, turn }))
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

#[cfg(test)]
mod tests {
    use paw_machine::topology::{Cpu, Topology};

    use super::{pairs, spread};

    #[test]
    fn pairs_across_memory_nodes_are_measured_both_ways_round() {
        let cpu = |number: u32| Cpu { number, node: Some(number / 2), ..Cpu::default() };
        let mut topology = Topology { cpus: (0..4).map(cpu).collect(), ..Topology::default() };
        topology.allowance.affinity = Some(topology.online());
        let texts = |topology: &Topology, most| {
            pairs(topology, most).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(texts(&topology, 4), "0-1 0-2 0-3 1-2 1-3 2-0 2-1 2-3 3-0 3-1");
        assert_eq!(texts(&topology, 2), "0-2 2-0");
        topology.cpus.truncate(1);
        assert_eq!(texts(&topology, 2), "0-0", "one processor has no pair, and its cell says so");
    }

    #[test]
    fn of_many_processors_some_spread_evenly_are_taken() {
        let all: Vec<u32> = (0..256).collect();
        let some = spread(&all, 64);
        assert_eq!((some.len(), some[0], some[63]), (64, 0, 252));
        assert!(some.windows(2).all(|pair| pair[1] - pair[0] == 4));
        assert_eq!(spread(&all[..3], 64), [0, 1, 2]);
    }
}
