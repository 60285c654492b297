//! The core clock, counted by a chain of known latency: `core_clock`.

use paw_data::axis;
use paw_data::headline::Family;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::clock_chain;

use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Values};
use crate::choice::Threads;

/// The clock of one core while it computes.
pub const CORE_CLOCK: Benchmark = Own {
    name: "core_clock",
    purpose: "At what clock does a core really run? (No counter is needed.)",
    timed: "a chain of dependent multiplications (x86: imul, 3 cycles) or additions (1 cycle)",
    formula: "10240*cycles_per_step; cycles of the chain, 3 a multiplication and 1 an addition on x86-64",
    work: |point| Work { cycles: chain(point).cycles(), ..Work::default() },
    start,
}
.of(Common {
    suite: "peak",
    family: Family::Peak,
    headline: Quantity::Cycles,
    providers: Providers::Native,
    axes: &[CHAIN],
    references: &[],
    variables: &[],
    threads: &[Threads::Count(1)],
    by_name: false,
    counts_waits: false,
    memory_bytes: |_| 0.0,
})
.quick(&[]);

const CHAIN: Axis =
    Axis { name: axis::CHAIN, meaning: "the instruction of the chain", values: Values::Words(&["multiply", "add"]) };

/// Steps of one iteration: entering and leaving the chain takes less than a thousandth of it.
const STEPS: u64 = 320 * clock_chain::STEPS_PER_TURN;

#[derive(Clone, Copy, PartialEq)]
enum Chain {
    Multiply,
    Add,
}

impl Chain {
    fn cycles(self) -> f64 {
        let each = match self {
            Chain::Multiply => clock_chain::MULTIPLY_CYCLES.unwrap_or(clock_chain::ADD_CYCLES),
            Chain::Add => clock_chain::ADD_CYCLES,
        };
        each * STEPS as f64
    }
}

/// The chain of a point; additions if the latency of a multiplication is unknown.
fn chain(point: &Point) -> Chain {
    match point.text(axis::CHAIN) {
        Some("add") => Chain::Add,
        _ if clock_chain::MULTIPLY_CYCLES.is_none() => Chain::Add,
        _ => Chain::Multiply,
    }
}

struct CoreClock(Chain);

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    start.engine.native()?.sit();
    Ok(Box::new(CoreClock(chain(start.point))))
}

impl Timed for CoreClock {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let start = clock.start();
        let value = match self.0 {
            Chain::Multiply => clock_chain::multiplies(loops * STEPS),
            Chain::Add => clock_chain::adds(loops * STEPS),
        };
        let stop = clock.stop();
        std::hint::black_box(value);
        Ok(clock.seconds(start, stop))
    }

    /// Checks that the chain ran as many steps as the work counts.
    fn verify(&mut self) -> Result<Check, Fault> {
        let ran = match self.0 {
            Chain::Multiply => clock_chain::multiplies(STEPS),
            Chain::Add => clock_chain::adds(STEPS),
        };
        Ok(answer::exact("steps run", (ran != STEPS).then(|| format!("{ran} steps ran, not {STEPS}"))))
    }
}
