//! A program that is paused at random times: the best of k finds its time, the mean does not.

use std::rc::Rc;

use paw_data::summary::Summary;
use paw_measure::method::{self, Overrides};

use super::alternatives::{Alternative, Pauses, measured};
use super::check::{Check, Evidence, Row};
use super::machine::{Machine, Work};

/// The check.
pub const CHECK: Check = Check {
    rows: &[
        Row::at_most("paused program: best of k off by", "%", 1.0, 2),
        Row::at_least("  its mean off by", "%", 20.0, 0),
    ],
    evidence: Evidence::Timed,
    measure,
};

/// Additions of a sample, about 0.2 ms: short enough to fit between the turns of other work on a busy machine.
const STEPS: u64 = 640_000;

/// Half of the samples are paused, for twice as long as they last on average.
const PAUSES: Pauses = Pauses { chance: 0.5, mean_s: 0.4e-3, seed: 20 };

fn measure(machine: &Rc<dyn Machine>) -> Result<Vec<f64>, String> {
    let k_best = method::preset("kbest").ok_or("there is no method kbest")?;
    let method = Overrides { loops: Some(1), ..Overrides::default() }.over(k_best);
    let plain = Alternative { work: Work::Adds, steps: STEPS, pauses: None };
    let paused = Alternative { pauses: Some(PAUSES), ..plain.clone() };
    let records = measured(machine, &[plain, paused], &method, 1)?;
    let summaries: Option<Vec<Summary>> = records.iter().map(|record| Summary::of(record, &method)).collect();
    let summaries = summaries.ok_or("a cell has no samples")?;
    let truth_s = summaries[0].headline_s();
    let off = |seconds: f64| (seconds / truth_s - 1.0).abs() * 100.0;
    Ok(vec![off(summaries[1].headline_s()), off(summaries[1].mean_s)])
}
