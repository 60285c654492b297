//! Caveats that follow from the samples of a series.

use paw_data::method::{EndRule, Estimator, LoopRule, Method};
use paw_data::outcome::{Caveat, Ending};
use paw_data::run::Instrument;
use paw_data::sample::Samples;
use paw_data::trust::CONTENDED;
use paw_stats::autocorrelation::autocorrelation;
use paw_stats::drift::drift;
use paw_stats::kbest::{self, Best};
use paw_stats::stability::{Grade, stability};
use paw_stats::{interval, modes, precision, quantile, rank, warmup};

use crate::caveat;
use crate::disturbance::{Placement, is_late};
use crate::ending::CONFIDENCE;
use crate::workload;

/// Calibration aims at a thousand clock readings; at half of them the clock's share is still two thousandths.
const READINGS_MIN: f64 = 500.0;

/// A drift or a widened interval below this is less than any method here resolves.
const NOTABLE: f64 = 0.01;

/// A series that has ended, and how it was measured.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// How it was measured.
    pub method: &'a Method,
    /// Its clock.
    pub instrument: &'a Instrument,
    /// Whether its threads were bound.
    pub placement: Placement,
    /// All samples that count.
    pub samples: &'a Samples,
    /// What decided the end of the series, sample by sample.
    pub driving: &'a [f64],
    /// Why it stopped.
    pub ending: Ending,
}

/// Every caveat that follows from the samples of a series.
pub fn caveats(ended: &Ended<'_>) -> Vec<Caveat> {
    let clean = ended.samples.clean_per_loop_s();
    let mut found = Vec::new();
    found.extend(short(ended));
    found.extend(unfinished(ended, ended.driving));
    found.extend(disturbed(ended, clean.len()));
    found.extend(moved(ended));
    found.extend(waited(ended));
    found.extend(late(ended.samples));
    found.extend(spread(ended, &clean));
    found.extend(order(&clean));
    found
}

/// Above this share of late starts the ranks do not start in step.
const LATE: f64 = 0.01;

fn late(samples: &Samples) -> Option<Caveat> {
    let late = samples.extra.get(workload::LATE)?.iter().filter(|late| late.is_finite()).sum::<f64>();
    // Where operations are stamped, each had its own start.
    let starts =
        samples.ops_s.iter().map(|ops_s| ops_s.len().max(1)).sum::<usize>().max(samples.elapsed_s.len()) as f64;
    (late > LATE * starts).then(|| caveat::late_starts(late, starts))
}

fn short(ended: &Ended<'_>) -> Option<Caveat> {
    let elapsed_s = quantile::median(&ended.samples.elapsed_s)?;
    let clock_s = ended.instrument.resolution_s.max(ended.instrument.overhead_s);
    if elapsed_s >= READINGS_MIN * clock_s {
        return None;
    }
    // The error of PAW's short regions was measured with their loops.
    let of_paw = matches!(ended.method.loops, LoopRule::Guide { .. } | LoopRule::Code { .. });
    (!of_paw).then(|| caveat::too_short(elapsed_s, clock_s))
}

fn unfinished(ended: &Ended<'_>, clean: &[f64]) -> Vec<Caveat> {
    let mut found = Vec::new();
    let finished = matches!(ended.ending, Ending::Converged | Ending::Valid | Ending::Complete);
    match ended.method.ending {
        EndRule::Interval { within, .. } if !finished => {
            let more = precision::more_samples(clean, CONFIDENCE, within);
            found.push(caveat::unconverged(precision::half_width(clean, CONFIDENCE), within, more));
        }
        EndRule::KBest { k, within, best_counts, .. } if !finished => {
            let best = if best_counts { Best::Counts } else { Best::Excluded };
            let spread = kbest::k_best(clean, k as usize, within, best).and_then(|found| found.spread_k);
            found.push(caveat::disagreement(k, spread, within));
        }
        _ => {}
    }
    if ended.ending == Ending::Budget {
        found.push(caveat::budget(ended.samples.len()));
    }
    if interval::median(clean, CONFIDENCE).is_none() {
        found.push(caveat::few_samples(clean.len()));
    }
    found
}

fn disturbed(ended: &Ended<'_>, clean: usize) -> Vec<Caveat> {
    let taken = ended.samples.len();
    let mut found = Vec::new();
    if ended.ending == Ending::Disturbed {
        found.push(caveat::disturbed(clean, taken));
    }
    if (taken - clean) as f64 > CONTENDED * taken as f64 {
        found.push(caveat::contended(taken - clean, taken));
    }
    found
}

fn moved(ended: &Ended<'_>) -> Option<Caveat> {
    let moved = ended.samples.migrations.iter().filter(|moves| **moves > 0).count();
    (ended.placement == Placement::Free && moved > 0).then(|| caveat::unpinned(moved, ended.samples.len()))
}

/// Every sample of a program counts, so that its waits are only reported.
fn waited(ended: &Ended<'_>) -> Option<Caveat> {
    let samples = ended.samples;
    let late =
        samples.run_delay_s.iter().zip(&samples.elapsed_s).filter(|(delay, elapsed)| is_late(**delay, **elapsed));
    let waited = late.count();
    let notable = waited as f64 > CONTENDED * samples.len() as f64;
    (ended.placement == Placement::Program && notable).then(|| caveat::waited(waited, samples.len()))
}

fn spread(ended: &Ended<'_>, clean: &[f64]) -> Vec<Caveat> {
    let mut found = Vec::new();
    if let Some(grade) = stability(clean).filter(|stability| stability.grade == Grade::Bad) {
        found.push(caveat::noisy(grade.spread));
    }
    if let Some(modes) = modes::bimodal(clean) {
        found.push(caveat::bimodal(&modes));
    }
    let (k, within) = match ended.method.ending {
        EndRule::KBest { k, within, .. } => (k, within),
        EndRule::Fixed { .. } | EndRule::Interval { .. } => (4, 0.05),
    };
    let best = kbest::k_best(clean, k as usize, within, Best::Counts);
    if ended.method.headline == Estimator::Min && best.is_some_and(|best| best.lone_minimum) {
        found.push(caveat::lucky_minimum(within));
    }
    found
}

/// Caveats from the order of the samples; of warm-up, drift and autocorrelation the first explains the others.
fn order(clean: &[f64]) -> Option<Caveat> {
    if let Some(leading) = warmup::leading(clean).filter(|leading| *leading > 0) {
        return Some(caveat::warm_up(leading));
    }
    let third = clean.len() / 3;
    let change = || Some(quantile::median(&clean[clean.len() - third..])? / quantile::median(&clean[..third])? - 1.0);
    if let Some(drift) = drift(clean).filter(|drift| drift.flagged) {
        let change = change().filter(|change| change.abs() >= NOTABLE);
        return change.map(|change| caveat::drift(drift.correlation, change));
    }
    let found = autocorrelation(clean).filter(|found| found.flagged)?;
    let median = quantile::median(clean)?;
    let honest = interval::widened(clean, found.effective_n, CONFIDENCE).map(|interval| interval.half_width(median));
    // So few independent values that there is no interval: all that is left is the range.
    let range = || Some((rank::max(clean)? - rank::min(clean)?) / (2.0 * median));
    let suffers = honest.or_else(range).is_some_and(|half_width| half_width > NOTABLE);
    suffers.then(|| caveat::autocorrelated(found.effective_n, clean.len()))
}
