//! The clock of the cores against the number of active ones and what they run: `active_clock`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::clock_chain::{BusyChain, MULTIPLIES_PER_TURN, MULTIPLY_CYCLES};

use super::fma::{PEAK_F64, RegisterLoop, TURNS};
use crate::benchmark::{Axis, Benchmark, Common, Own, Start, Values};
use crate::choice::Threads;
use crate::host::Host;

/// The clock of the slowest of the active cores.
pub const ACTIVE_CLOCK: Benchmark = Own {
    name: "active_clock",
    purpose: "At what clock do the cores run, with how many of them active, on which instructions?",
    timed: "a chain of dependent multiplications (imul, 3 cycles each) on each thread, beside two multiply-adds of the instruction set for \
            each of them; the clock of the slowest thread",
    formula: "6*2000*3; six multiplications of three cycles a turn, on x86-64",
    work: |_| Work { cycles: CYCLES, ..Work::default() },
    start,
}
.of(Common {
    headline: Quantity::Cycles,
    axes: &[ISA],
    threads: &[Threads::Topology],
    by_name: true,
    ..PEAK_F64.common
});

const ISA: Axis = Axis {
    name: axis::ISA,
    meaning: "instruction set of the multiply-adds beside the chain",
    values: Values::Machine(instruction_sets),
};

/// Cycles of an iteration.
const CYCLES: f64 = (MULTIPLIES_PER_TURN * TURNS * 3) as f64;

/// What stands for the instruction set where there is no chain of known length.
const NONE: &str = "none";

fn instruction_sets(_: &Host) -> Vec<AxisValue> {
    let all: Vec<_> = BusyChain::all_here().iter().map(|chain| AxisValue::from(chain.name())).collect();
    if all.is_empty() { vec![AxisValue::from(NONE)] } else { all }
}

fn chain(point: &Point) -> Option<BusyChain> {
    match point.text(axis::ISA) {
        Some(name) => BusyChain::named(name),
        None => BusyChain::all_here().pop(),
    }
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let isa = start.point.text(axis::ISA).unwrap_or(NONE);
    let missing = || {
        let known = "no chain of multiplications of known length";
        Fault::Missing(format!("{known} beside {isa} on this processor; `paw list active_clock` names those there"))
    };
    let chain = chain(start.point).filter(|_| MULTIPLY_CYCLES == Some(3.0)).ok_or_else(missing)?;
    let run = Box::new(move |turns| chain.run(turns));
    Ok(Box::new(RegisterLoop { engine: Rc::clone(start.engine), run, expected: chain.expected() }))
}
