//! Speed-up of one record over another.

use paw_stats::interval::Bounds;
use paw_stats::speedup::{self, Estimator, Sampling};

use crate::rounds::{ROUNDS_MIN, Rounds};
use crate::run::Record;
use crate::summary::{CONFIDENCE, times_s};

/// Time of the base ÷ time of the record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speedup {
    /// The ratio of the estimates.
    pub value: f64,
    /// The 95 % interval of the ratio of typical times, widened to hold the value; `None` with too few samples.
    pub interval: Option<Bounds>,
    /// How the samples were taken: [`Sampling::Interleaved`] if the interval pairs samples of the same rounds.
    pub taken: Sampling,
}

impl Speedup {
    /// The speed-up `value` of `record` over `base`. The interval pairs rounds if both share enough of them; an interval of bests
    /// takes all samples, one of medians the undisturbed ones.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    const BASE: [f64; 7] = [2.0, 2.1, 2.7, 2.2, 2.6, 2.4, 9.0];
    const OWN: [f64; 7] = [1.0, 1.2, 1.1, 1.4, 1.3, 1.5, 0.1];

    /// A record of `group` with a sample of each time; the last one of seven is disturbed.
    fn record(group: u32, times: &[f64]) -> Record {
        let cell = serde_json::json!({
            "id": 0, "benchmark": "b", "provider": "p", "role": "subject", "group": group, "point": {}, "method": "m",
            "work": {}, "headline": "time", "instrument": 0,
        });
        let mut record = Record::new(serde_json::from_value(cell).expect("a cell"));
        for (round, elapsed_s) in (0..).zip(times) {
            let disturbed = round == 6;
            record.samples.push(Sample { round, loops: 1, elapsed_s: *elapsed_s, disturbed, ..Sample::default() });
        }
        record
    }

    fn check(groups: [u32; 2], n: usize, estimator: Estimator, taken: Sampling, used: usize) {
        let (base, own) = (record(groups[0], &BASE[..n]), record(groups[1], &OWN[..n]));
        let expected = speedup::interval(&BASE[..used], &OWN[..used], estimator, taken, CONFIDENCE);
        let expected = expected.map(|bounds| bounds.and(Bounds { low: 1.9, high: 1.9 }));
        let found = Speedup::new(1.9, &base, &own, estimator);
        assert_eq!((found.taken, found.interval), (taken, expected), "{groups:?} {n} {estimator:?}");
        assert!(expected.is_some() || used < 6 || taken == Sampling::Apart, "{groups:?} {n} {estimator:?}");
    }

    #[test]
    fn a_speedup_comes_from_shared_rounds_and_the_best_from_disturbed_ones_too() {
        check([3, 3], 7, Estimator::Median, Sampling::Interleaved, 6);
        check([3, 3], 7, Estimator::Best, Sampling::Interleaved, 7);
        check([3, 3], 5, Estimator::Median, Sampling::Apart, 5);
        check([3, 4], 7, Estimator::Median, Sampling::Apart, 6);
        check([3, 4], 7, Estimator::Best, Sampling::Apart, 7);
    }

    #[test]
    fn a_record_against_itself_has_no_interval() {
        let own = record(3, &OWN);
        assert_eq!(Speedup::new(1.0, &own, &own, Estimator::Best).interval, None);
    }
}
