//! Checks that two equal builds compare as equal, and that one more multiplication is found slower.

use std::rc::Rc;

use paw_measure::method::{self, Overrides};
use paw_native::clock_chain::STEPS_PER_TURN;
use paw_sort::OrderBy;
use paw_stats::verdict::Verdict;

use super::alternatives::{Alternative, compared, measured};
use super::check::{Check, Limits, Row};
use super::machine::{Machine, Work};

/// Checks that two copies of one function compare as equal.
pub const EQUAL: Check = Check::timed(
    &[
        Row::at_most("equal builds: FASTER or SLOWER", "claims", 0.0, 0),
        Row::new("  ratio of their times", "x", 1.0, Limits::Within(0.01), 4),
    ],
    equal,
);

/// Checks that one more dependent multiplication among additions is found.
pub const ADDED: Check = Check::timed(
    &[
        Row::at_least("one more multiply: SLOWER", "of 5", 5.0, 0),
        Row::new("  ratio of their times", "x", 1.094, Limits::Within(0.01), 4),
    ],
    added,
);

/// Comparisons of a check.
const COMPARISONS: u64 = 5;

/// Chains of an iteration, about 60 µs.
const TURNS: u64 = 6_000;

/// Samples of each alternative.
const SAMPLES: u32 = 16;

fn equal(machine: &Rc<dyn Machine>) -> Result<Vec<f64>, String> {
    let chain = Alternative { work: Work::Adds, steps: STEPS_PER_TURN * TURNS, pauses: None };
    let (claims, ratio) = claims(machine, &[chain.clone(), chain], Verdict::is_claim)?;
    Ok(vec![claims, ratio])
}

fn added(machine: &Rc<dyn Machine>) -> Result<Vec<f64>, String> {
    machine.multiply_cycles().ok_or("no latency of a multiplication is known for all processors of this kind")?;
    let plain = Alternative { work: Work::Adds, steps: STEPS_PER_TURN * TURNS, pauses: None };
    let longer = Alternative { work: Work::AddsWithAMultiply, steps: TURNS, pauses: None };
    let (claims, ratio) = claims(machine, &[plain, longer], |verdict| matches!(verdict, Verdict::Slower(_)))?;
    Ok(vec![claims, ratio])
}

/// How many comparisons end in a verdict that `counts`, and the ratio of the middle one.
fn claims(
    machine: &Rc<dyn Machine>,
    alternatives: &[Alternative],
    counts: fn(Verdict) -> bool,
) -> Result<(f64, f64), String> {
    let method = Overrides { reps: Some(SAMPLES), ..Overrides::default() }.over(method::default());
    let mut comparisons = Vec::new();
    for seed in 0..COMPARISONS {
        comparisons.push(compared(&measured(machine, alternatives, &method, seed)?)?);
    }
    let claims = comparisons.iter().filter(|comparison| counts(comparison.verdict)).count();
    comparisons.order_by(|a, b| a.ratio.total_cmp(&b.ratio));
    Ok((claims as f64, comparisons[comparisons.len() / 2].ratio))
}
