//! Figures of applications as text.

use paw_data::method::EndRule;
use paw_data::outcome::Status;
use paw_data::quantity::Quantity;
use paw_data::run::Run;
use paw_data::scaling::{BestFigure, RunAgreement, RunTiming, ScalingRow, Sweep, Yardstick, YardstickKind};
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

/// The scale of a column of values: of times that of the largest, else the unit of the metric.
pub fn scale(yardstick: Yardstick<'_>, values: impl Iterator<Item = f64>) -> Scale {
    match yardstick.kind() {
        YardstickKind::Time(_) => {
            Scale::of(values.filter(|value| value.is_finite()).fold(0.0, f64::max), Quantity::Time)
        }
        YardstickKind::Rate | YardstickKind::Number => Scale { factor: 1.0, unit: yardstick.unit().to_owned() },
    }
}

/// The best value with its unit: `137.7 s`.
pub fn best(timing: &RunTiming<'_>) -> String {
    let scale = scale(timing.yardstick, std::iter::once(timing.value()));
    format!("{} {}", best_in(&scale, timing), scale.unit).trim_end().to_owned()
}

/// The median value with its unit.
pub fn median(timing: &RunTiming<'_>) -> String {
    let scale = scale(timing.yardstick, std::iter::once(timing.median()));
    format!("{} {}", median_in(&scale, timing), scale.unit).trim_end().to_owned()
}

/// The most memory that a process had: `41.0 MiB`, `≤ 8.4 MiB` where the launcher's hides it.
pub fn memory(timing: &RunTiming<'_>) -> Option<String> {
    let mark = if timing.is_rss_at_most() { "≤ " } else { "" };
    timing.rss_bytes.map(|bytes| format!("{mark}{}", number::size(bytes)))
}

/// The best value in a scale, with a fourth digit where the best runs agree closely enough.
pub fn best_in(scale: &Scale, timing: &RunTiming<'_>) -> String {
    scale.digits(timing.value(), half_spread(timing))
}

/// The median in a scale, with a fourth digit where its interval is narrow enough.
pub fn median_in(scale: &Scale, timing: &RunTiming<'_>) -> String {
    scale.digits(timing.median(), timing.median_interval().map(|(low, high)| (high - low) / 2.0))
}

/// Half the spread of the best values.
pub fn half_spread(timing: &RunTiming<'_>) -> Option<f64> {
    timing.cost.spread_k.map(|spread| timing.value() * spread / 2.0)
}

/// How far the last of the best lies from the best; 0 of values that are all the same.
pub fn spread(cost: &BestFigure) -> Option<String> {
    if cost.is_constant { Some("0".to_owned()) } else { cost.spread_k.map(number::half_width) }
}

/// Half the interval of the median, relative to it; `None` without one, and of values that are all the same.
pub fn half_interval(cost: &BestFigure) -> Option<String> {
    let (low, high) = cost.interval.filter(|_| !cost.is_constant)?;
    Some(number::half_width((high - low) / 2.0 / cost.median))
}

/// A number of any unit.
pub fn plain(value: f64, half: Option<f64>) -> String {
    Scale { factor: 1.0, unit: String::new() }.digits(value, half)
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

/// `7.05…7.20`; empty without an interval, and for one without width, which values have that never vary.
pub fn interval(interval: Option<Bounds>) -> String {
    interval
        .filter(|i| i.low < i.high)
        .map_or(String::new(), |i| format!("{}…{}", significant(i.low, 3), significant(i.high, 3)))
}

/// The interval of a speed-up: `1.83…1.99`, or `1.83…1.99 apart` where both times were taken one after the other.
pub fn ends(speedup: &Speedup) -> String {
    let ends = interval(speedup.interval);
    let mark = if !ends.is_empty() && speedup.taken == Sampling::Apart { " apart" } else { "" };
    ends + mark
}

/// What one thread of the program takes more than the original program, as a share; `None` where the interval of the ratio does not show it.
pub fn overhead(sweep: &Sweep<'_>) -> Option<f64> {
    let row = sweep.rows.iter().find(|row| row.overhead.is_some())?;
    let interval = row.speedup.filter(Speedup::decides)?.interval?;
    row.overhead.filter(|_| interval.low > 1.0 || interval.high < 1.0)
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
pub fn certainty(timing: &RunTiming<'_>, k: u32) -> String {
    let (word, runs) = (timing.agreed().word(), timing.cost.n);
    match timing.cost.spread_k {
        _ if timing.cost.is_constant => format!("{word}, the same in all {runs} runs"),
        Some(spread) => format!("{word}, the {k} best of {runs} runs within {}", number::half_width(spread)),
        None => format!("{word}, {}", number::plural(runs, "run")),
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
