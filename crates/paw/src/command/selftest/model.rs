//! The measured processor model that explains kernels: generated chains take as long as their instructions, and what is kept of it still holds.

use std::rc::Rc;

use paw_binary::form::Probe;

use super::chains;
use super::check::{Check, Limits, Measured, Row};
use super::machine::Machine;

/// Generated chains and streams against what is known of every core, and against each other.
pub const CHAINS: Check = Check::timed(
    &[
        Row::new("model: dependent addition", "cycles", 1.0, Limits::Within(0.03), 2),
        Row::new("model: dependent multiply", "cycles", 3.0, Limits::Within(0.09), 2),
        Row::new("model: both in turn", "cycles", 4.0, Limits::Within(0.12), 2),
        Row::at_least("model: instructions a cycle", "", 1.9, 2),
        Row::at_most("  additions a cycle above it", "%", 3.0, 2),
    ],
    |machine| {
        let probes =
            [Probe::Additions, Probe::Multiplications, Probe::AdditionsAndMultiplications, Probe::Width, ADDITIONS];
        let cycles = machine.model(&probes)?;
        let [add, multiply, both, one, addition] = cycles.as_slice() else { return Err(FEW.to_owned()) };
        Ok(vec![*add, *multiply, *both, 1.0 / one, above(1.0 / addition, 1.0 / one)])
    },
);

/// The load of the model against the pointer chase.
pub const LOAD: Check = Check::timed(
    &[
        Row::new("model: load from L1", "cycles", 5.0, Limits::Between(2.9, 6.1), 2),
        Row::at_most("  off the pointer chase by", "%", 3.0, 2),
    ],
    load,
);

/// What was kept against what is measured now.
pub const KEPT: Check = Check::timed(
    &[Row::at_most("model: before and now differ by", "%", 3.0, 2)
        .helped_by("`paw kernel explain SPEC --fresh-model` measures the costs of instructions anew")],
    kept,
);

const ADDITIONS: Probe = Probe::IndependentAdditions;
/// What every explanation keeps, and what a neighbour on the other hardware thread of the core does not change: it halves the front end.
const KEPT_PROBES: [Probe; 1] = [Probe::Load];
const FEW: &str = "the child measured too little";

/// By how many per cent `value` is larger than `other`; zero if it is not.
fn above(value: f64, other: f64) -> f64 {
    ((value / other - 1.0) * 100.0).max(0.0)
}

fn load(machine: &Rc<dyn Machine>) -> Measured {
    let chase = chains::load_cycles(machine)?;
    let load = machine.model(&[Probe::Load])?.first().copied().ok_or(FEW)?;
    Ok(vec![load, (load / chase - 1.0).abs() * 100.0])
}

/// The largest difference; where nothing was kept, between two measurements of now.
fn kept(machine: &Rc<dyn Machine>) -> Measured {
    let now = machine.model(&KEPT_PROBES)?;
    let before = match machine.kept_model(&KEPT_PROBES) {
        Some(before) => before,
        None => machine.model(&KEPT_PROBES)?,
    };
    let off = |(now, before): (&f64, &f64)| (now / before - 1.0).abs() * 100.0;
    Ok(vec![now.iter().zip(&before).map(off).fold(0.0, f64::max)])
}
