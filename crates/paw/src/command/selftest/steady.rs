//! Measures ratios of times while the core's clock is steady.

use std::rc::Rc;

use paw_stats::quantile;

use super::machine::{Machine, Work};

/// Work of known length: `steps` steps of `work`.
#[derive(Debug, Clone, Copy)]
pub struct WorkRegion {
    /// The work of a step.
    pub work: Work,
    /// Number of steps.
    pub steps: u64,
}

/// The quantile of the references' times that counts as fast: the very fastest may be an outlier.
const FAST: f64 = 0.1;

/// Relative difference of a reference from the fast ones that still counts as a steady clock.
const STEADY: f64 = 0.003;

/// Rounds with a steady clock that are wanted, and the fewest that decide.
const ROUNDS: usize = 101;
const ROUNDS_MIN: usize = 15;

/// Seconds after which no further round is begun.
const DURATION_MAX_S: f64 = 1.5;

/// A round: reference, subject, reference, in seconds.
type Round = [f64; 3];

/// Time of `subject` ÷ time of `reference`: the median of rounds reference, subject, reference in which both references took as long as the
/// fast ones of all. A second thread on the core slows additions down, and so does a lower clock. The error says how few rounds there were.
pub fn ratio(machine: &Rc<dyn Machine>, reference: WorkRegion, subject: WorkRegion) -> Result<f64, String> {
    let clock = machine.clock();
    let time_s = |region: WorkRegion| {
        let start = clock.start();
        machine.run(region.work, region.steps);
        clock.seconds(start, clock.stop())
    };
    time_s(reference);
    time_s(subject);
    let began_s = clock.now_s();
    let mut rounds: Vec<Round> = Vec::new();
    while clock.now_s() - began_s < DURATION_MAX_S && ratios(&rounds).len() < ROUNDS {
        rounds.extend((0..ROUNDS).map(|_| [reference, subject, reference].map(time_s)));
    }
    let ratios = ratios(&rounds);
    quantile::median(&ratios).filter(|_| ratios.len() >= ROUNDS_MIN).ok_or_else(|| {
        let (seen, all) = (ratios.len(), rounds.len());
        format!("the core's clock was steady in {seen} of {all} rounds only, and {ROUNDS_MIN} are needed")
    })
}

/// Ratios of the rounds both of whose references took as long as the fast ones do, as far as the clock of a core is ever steady.
fn ratios(rounds: &[Round]) -> Vec<f64> {
    let references_s: Vec<f64> = rounds.iter().flat_map(|[before_s, _, after_s]| [*before_s, *after_s]).collect();
    let Some(fast_s) = quantile::quantile(&references_s, FAST) else { return Vec::new() };
    let is_fast = |seconds: f64| (seconds - fast_s).abs() <= STEADY * fast_s;
    let steady = rounds.iter().filter(|[before_s, _, after_s]| is_fast(*before_s) && is_fast(*after_s));
    steady.map(|[before_s, between_s, after_s]| 2.0 * between_s / (before_s + after_s)).collect()
}
