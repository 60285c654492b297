//! Two threads that take turns and sleep in between: `context_switch`, `futex_wake`.

use std::sync::Mutex;

use paw_data::outcome::{Caveat, Check};
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::pool::ThreadPool;
use paw_native::system::{Played, Sleepers};

use crate::answer;
use crate::benchmark::{Benchmark, Common, Own, Start};
use crate::choice::Threads;

/// Seconds of a switch between two threads of one processor.
pub const CONTEXT_SWITCH: Benchmark = Own {
    name: "context_switch",
    purpose: "What does it cost one processor to go on with another thread?",
    timed: "two threads on one processor take turns, each wakes the other and sleeps (futex): a turn is a wake and a switch",
    formula: "2; two turns",
    work: |_| Work { operations: 2.0, ..Work::default() },
    start: |start| begin(start, Game::OneProcessor),
}
.of(Common { counts_waits: true, ..super::COST });

/// Seconds from a wake to the woken thread's own wake, on another processor.
pub const FUTEX_WAKE: Benchmark = Own {
    name: "futex_wake",
    purpose: "How long does a sleeping thread on another processor take to go on once it is woken?",
    timed: "two threads on two processors take turns, each wakes the other and sleeps (futex): a turn is a wake, and the way out of sleep",
    formula: "2; two turns",
    work: |_| Work { operations: 2.0, ..Work::default() },
    start: |start| begin(start, Game::TwoProcessors),
}
.of(Common { threads: &[Threads::Count(2)], counts_waits: true, ..super::COST });

/// Where the two threads are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Game {
    OneProcessor,
    TwoProcessors,
}

impl Game {
    /// The processors of the two threads, of those of the cell.
    fn processors(self, cpus: &[u32]) -> Option<[u32; 2]> {
        let first = *cpus.first()?;
        match self {
            Self::OneProcessor => Some([first; 2]),
            Self::TwoProcessors => cpus.get(1).filter(|second| **second != first).map(|second| [first, *second]),
        }
    }

    /// The turns that were what the benchmark says: with a switch of the processor, or with a wake of a thread that slept.
    fn right(self, played: &Played) -> u64 {
        match self {
            Self::OneProcessor => played.switches.min(played.turns),
            Self::TwoProcessors => played.slept,
        }
    }
}

struct Turns {
    pool: ThreadPool,
    game: Game,
    sleepers: Sleepers,
}

fn begin(start: &Start<'_>, game: Game) -> Result<Box<dyn Timed>, Fault> {
    let too_few = || {
        Fault::Missing(
            "a wake on another processor takes two processors, each with a thread pinned to it; use --threads 2"
                .to_owned(),
        )
    };
    let cpus = game.processors(start.engine.native()?.pool.cpus()).ok_or_else(too_few)?;
    let pool = ThreadPool::new(&cpus).map_err(|error| Fault::Missing(error.to_string()))?;
    Ok(Box::new(Turns { pool, game, sleepers: Sleepers::default() }))
}

/// Turns before those that are timed.
const LEAD: u64 = 2;
/// Turns that a check counts.
const CHECKED: u64 = 100;
/// The least share of turns that are what the benchmark says.
const RIGHT: f64 = 0.9;

impl Turns {
    /// The seconds of `loops` turns of each of two threads, by the first's clock; the first turns get both going.
    fn play(&self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let (sleepers, seconds) = (&self.sleepers, Mutex::new(None));
        self.pool.run(|worker| {
            sleepers.play(worker as u32, LEAD);
            let start = clock.start();
            sleepers.play(worker as u32, loops);
            let stop = clock.stop();
            if worker == 0 {
                *seconds.lock().expect("one thread writes it") = Some(clock.seconds(start, stop));
            }
        });
        seconds.into_inner().ok().flatten().ok_or_else(|| Fault::Broken("the threads never ran".to_owned()))
    }
}

impl Timed for Turns {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        self.play(loops, clock)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        let before = self.sleepers.played().turns;
        self.play(CHECKED, &Clock::monotonic())?;
        let (found, expected) = (self.sleepers.played().turns - before, 2 * (CHECKED + LEAD));
        Ok(answer::exact("turns", (found != expected).then(|| format!("{found} turns were taken, not {expected}"))))
    }

    fn threads(&self) -> Vec<i32> {
        self.pool.tids()
    }

    fn caveats(&self) -> Vec<Caveat> {
        caveat(self.game, &self.sleepers.played()).into_iter().collect()
    }
}

/// Says how many turns were not what is asked for, where they are many.
fn caveat(game: Game, played: &Played) -> Option<Caveat> {
    let share = game.right(played) as f64 / played.turns.max(1) as f64;
    let what = match game {
        Game::OneProcessor => "the processor switched between threads",
        Game::TwoProcessors => "the thread slept and was woken",
    };
    let why = format!("{what} in {:.0} % of the turns only: the time is not all its cost", 100.0 * share);
    (share < RIGHT).then(|| Caveat::new("few-switches", why, "run on processors that nothing else keeps busy"))
}

#[cfg(test)]
mod tests {
    use paw_native::system::Played;

    use super::{Game, caveat};

    #[test]
    fn a_switch_takes_one_processor_and_a_wake_two() {
        assert_eq!(Game::OneProcessor.processors(&[3, 4]), Some([3, 3]));
        assert_eq!(Game::TwoProcessors.processors(&[3, 4]), Some([3, 4]));
        assert_eq!(Game::TwoProcessors.processors(&[3, 3]), None, "two threads on one processor are no wake across");
        assert_eq!(Game::TwoProcessors.processors(&[3]), None);
        assert_eq!(Game::OneProcessor.processors(&[]), None, "threads that the system places may be anywhere");
    }

    #[test]
    fn turns_without_a_switch_or_a_sleep_are_told() {
        let played = Played { turns: 100, slept: 10, switches: 120 };
        assert_eq!(caveat(Game::OneProcessor, &played), None);
        let told = caveat(Game::TwoProcessors, &played).expect("the threads seldom slept");
        assert!(format!("{told:?}").contains("10 %"), "{told:?}");
    }
}
