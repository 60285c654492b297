//! Figures of applications as text.

use paw_data::method::EndRule;
use paw_data::outcome::Status;
use paw_data::quantity::Quantity;
use paw_data::run::Run;
use paw_data::scaling::{BestFigure, RunAgreement, RunTiming, ScalingRow};
use paw_data::speedup::Speedup;
use paw_stats::interval::Bounds;
use paw_stats::speedup::Sampling;

use crate::model::{Field, Tone};
use crate::number::{self, Scale, significant};

/// Runs that must agree, where the method has no k.
const K: u32 = 4;

/// Number of runs that must agree with the best.
pub fn k(run: &Run) -> u32 {
    match run.header.plan.method.ending {
        EndRule::KBest { k, .. } => k,
        _ => K,
    }
}

/// The scale of a column of times: that of the largest.
pub fn time_scale(seconds: impl Iterator<Item = f64>) -> Scale {
    let largest = seconds.filter(|t| t.is_finite()).fold(0.0, f64::max);
    Scale::of(largest, Quantity::Time)
}

/// A time with unit: `137.7 s`.
pub fn seconds(timing: &RunTiming) -> String {
    let scale = Scale::of(timing.best_s(), Quantity::Time);
    format!("{} {}", best_in(&scale, timing), scale.unit)
}

/// The most memory that a process had: `41.0 MiB`, `≤ 8.4 MiB` where the launcher's hides it.
pub fn memory(timing: &RunTiming) -> Option<String> {
    let mark = if timing.is_rss_at_most() { "≤ " } else { "" };
    timing.rss_bytes.map(|bytes| format!("{mark}{}", number::size(bytes)))
}

/// The best time in a scale, with a fourth digit where the best runs agree closely enough.
pub fn best_in(scale: &Scale, timing: &RunTiming) -> String {
    scale.digits(timing.best_s(), half_spread(&timing.wall_s))
}

/// Half the spread of the best values.
fn half_spread(figure: &BestFigure) -> Option<f64> {
    figure.spread_k.map(|spread| figure.best * spread / 2.0)
}

/// A number of any unit.
pub fn plain(value: f64, half: Option<f64>) -> String {
    Scale { factor: 1.0, unit: String::new() }.digits(value, half)
}

/// The best value of a printed number.
pub fn best_of(figure: &BestFigure) -> String {
    plain(figure.best, half_spread(figure))
}

/// `7.12`.
pub fn speedup(speedup: &Speedup) -> String {
    plain(speedup.value, speedup.interval.map(|i| (i.high - i.low) / 2.0))
}

/// The speed-up of a row, with a `?` where its runs did not meet their rule; empty where there is none.
pub fn marked_speedup(row: &ScalingRow<'_>) -> String {
    let mark = row.timing.map_or("", |timing| timing.agreed().mark());
    row.speedup.map_or(String::new(), |found| format!("{}{mark}", speedup(&found)))
}

/// `7.05…7.20`; empty without an interval.
pub fn interval(interval: Option<Bounds>) -> String {
    interval.map_or(String::new(), |i| format!("{}…{}", significant(i.low, 3), significant(i.high, 3)))
}

/// The interval of a speed-up: `1.83…1.99`, or `1.83…1.99 apart` where both times were taken one after the other.
pub fn ends(speedup: &Speedup) -> String {
    let mark = if speedup.interval.is_some() && speedup.taken == Sampling::Apart { " apart" } else { "" };
    interval(speedup.interval) + mark
}

/// `valid`, `timeout`, with the mark of a best far below all other runs.
pub fn agreed(figure: &BestFigure) -> Field {
    let mark = if figure.lone_best { "!" } else { "" };
    let tone = match figure.agreed {
        RunAgreement::Complete => Tone::Plain,
        agreed if agreed.is_met() && mark.is_empty() => Tone::Good,
        RunAgreement::Timeout | RunAgreement::Unconverged | RunAgreement::Contended => Tone::Bad,
        _ => Tone::Doubt,
    };
    Field::new(format!("{}{mark}", figure.agreed.word()), tone)
}

/// The agreement of the best runs in words: `valid, the 4 best within 1.2%`.
pub fn certainty(timing: &RunTiming, k: u32) -> String {
    let word = timing.agreed().word();
    match timing.wall_s.spread_k {
        Some(spread) => {
            format!("{word}, the {k} best of {} runs within {}", timing.wall_s.n, number::half_width(spread))
        }
        None => format!("{word}, {}", number::plural(timing.wall_s.n, "run")),
    }
}

/// The thread count, with `*` if oversubscribed; `–` if paw did not set it.
pub fn threads(row: &ScalingRow<'_>) -> String {
    match (row.is_told(), row.oversubscribed()) {
        (false, _) => number::ABSENT.to_owned(),
        (true, false) => row.threads.to_string(),
        (true, true) => format!("{}*", row.threads),
    }
}

/// The status and the reason of a missing time; `None` if there is a time.
pub fn absence(row: &ScalingRow<'_>) -> Option<(Status, String)> {
    let (status, why) = row.absence()?;
    let word = match status {
        Status::Failed => "failed: ",
        Status::Skipped if row.record.outcome.is_some() => "skipped: ",
        Status::Skipped | Status::Measured => "",
    };
    Some((status, format!("{word}{why}")))
}

/// `1 thread`, `16 threads`; empty if paw did not set them.
pub fn threads_words(row: &ScalingRow<'_>) -> String {
    if row.is_told() { number::plural(row.threads as usize, "thread") } else { String::new() }
}
