//! How many times as fast one record is as another.

use paw_stats::interval::Bounds;
use paw_stats::speedup::{self, Estimator, Sampling};

use crate::rounds::{ROUNDS_MIN, Rounds};
use crate::run::Record;
use crate::summary::{CONFIDENCE, times_s};

/// A ratio of times, base ÷ record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speedup {
    /// The ratio of the estimates.
    pub value: f64,
    /// The 95 % interval of the ratio of typical times, widened to hold the value; `None` with too few samples.
    pub interval: Option<Bounds>,
    /// Whether both were measured in the same rounds.
    pub taken: Sampling,
}

impl Speedup {
    /// The speed-up `value` of `record` over `base`, with its interval: by rounds where both share enough. The best comes from all
    /// samples, the median from undisturbed ones.
    pub(crate) fn new(value: f64, base: &Record, record: &Record, estimator: Estimator) -> Self {
        if std::ptr::eq(base, record) {
            return Self { value, interval: None, taken: Sampling::Interleaved };
        }
        let takes_all = estimator == Estimator::Best;
        let rounds = match base.cell.group == record.cell.group {
            true if takes_all => Rounds::all(&base.samples, &record.samples),
            true => Rounds::of(&base.samples, &record.samples),
            false => Rounds::default(),
        };
        let (taken, a, b) = if rounds.len() >= ROUNDS_MIN {
            (Sampling::Interleaved, rounds.a_s, rounds.b_s)
        } else {
            let times = |r: &Record| if takes_all { r.samples.per_loop_s() } else { times_s(&r.samples).0 };
            (Sampling::Apart, times(base), times(record))
        };
        let interval = speedup::interval(&a, &b, estimator, taken, CONFIDENCE);
        let interval = interval.map(|bounds| bounds.and(Bounds { low: value, high: value }));
        Self { value, interval, taken }
    }
}
