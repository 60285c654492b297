//! Speed-up of one record over another.

use paw_stats::comparison;
use paw_stats::interval::Bounds;
use paw_stats::speedup::{self, Estimator, Sampling};

use crate::rounds::Rounds;
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
    /// The speed-up `value` of `record` over `base`. Cells of one group are paired by round, and have no interval where too few rounds are
    /// common to both; cells of two groups, or with different numbers of iterations in all rounds, count as taken apart. An interval of
    /// bests takes all samples, one of medians the undisturbed ones.
    pub(crate) fn new(value: f64, base: &Record, record: &Record, estimator: Estimator) -> Self {
        if std::ptr::eq(base, record) {
            return Self { value, interval: None, taken: Sampling::Interleaved };
        }
        let paired = if base.cell.group == record.cell.group { paired(base, record, estimator) } else { Paired::Apart };
        let (taken, interval) = match paired {
            Paired::Rounds(interval) => (Sampling::Interleaved, interval),
            Paired::Apart => {
                let times = |record: &Record| match estimator {
                    Estimator::Best => record.samples.per_loop_s(),
                    Estimator::Median => times_s(&record.samples).0,
                };
                let taken = Sampling::Apart;
                (taken, speedup::interval(&times(base), &times(record), estimator, taken, CONFIDENCE))
            }
        };
        let interval = interval.map(|bounds| bounds.and(Bounds { low: value, high: value }));
        Self { value, interval, taken }
    }

    /// Whether the interval may carry a statement that one is faster: samples taken apart share no state of the machine.
    pub fn decides(&self) -> bool {
        self.taken == Sampling::Interleaved && self.interval.is_some()
    }
}

/// Whether two cells of one group have equal regions to pair.
enum Paired {
    /// They do, with this interval.
    Rounds(Option<Bounds>),
    /// Their regions hold different numbers of iterations in all rounds.
    Apart,
}

/// The interval of the rounds' ratios, base ÷ record: of medians over invocations, of bests over rounds, each of which is a process.
fn paired(base: &Record, record: &Record, estimator: Estimator) -> Paired {
    if estimator == Estimator::Best {
        let Rounds { a_s, b_s } = Rounds::all(&base.samples, &record.samples);
        return Paired::Rounds(speedup::interval(&a_s, &b_s, estimator, Sampling::Interleaved, CONFIDENCE));
    }
    let rounds = Rounds::by_invocation(&record.samples, &base.samples);
    if rounds.is_empty() && rounds.unequal > 0 {
        return Paired::Apart;
    }
    let own: Vec<&[f64]> = rounds.invocations.iter().map(|rounds| rounds.a_s.as_slice()).collect();
    let first: Vec<&[f64]> = rounds.invocations.iter().map(|rounds| rounds.b_s.as_slice()).collect();
    Paired::Rounds(comparison::paired_invocations(&own, &first, CONFIDENCE).and_then(|found| found.interval))
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
        check([3, 3], 5, Estimator::Median, Sampling::Interleaved, 5);
        check([3, 4], 7, Estimator::Median, Sampling::Apart, 6);
        check([3, 4], 7, Estimator::Best, Sampling::Apart, 7);
    }

    #[test]
    fn too_few_common_rounds_have_no_interval_however_many_samples_there_are() {
        let (base, mut own) = (record(3, &BASE), record(3, &OWN));
        own.samples.round.iter_mut().for_each(|round| *round += 3);
        let found = Speedup::new(1.9, &base, &own, Estimator::Median);
        assert_eq!((found.taken, found.interval, found.decides()), (Sampling::Interleaved, None, false));
    }

    #[test]
    fn rounds_of_several_invocations_have_an_interval_over_these() {
        let over = |group, times: &[f64]| {
            let mut record = record(group, times);
            record.samples.invocation = (0..6).map(|i| i / 2).collect();
            record
        };
        let (base, own) = (over(3, &BASE[..6]), over(3, &OWN[..6]));
        let pairs = |times: &'static [f64; 7]| [&times[..2], &times[2..4], &times[4..6]];
        let expected =
            comparison::paired_invocations(&pairs(&OWN), &pairs(&BASE), CONFIDENCE).unwrap().interval.unwrap();
        let found = Speedup::new(1.9, &base, &own, Estimator::Median);
        assert_eq!(found.interval, Some(expected.and(Bounds { low: 1.9, high: 1.9 })));
        assert!(found.decides() && !Speedup::new(1.9, &base, &over(4, &OWN[..6]), Estimator::Median).decides());
    }

    #[test]
    fn what_was_taken_apart_decides_nothing() {
        let mut other = record(3, &OWN);
        other.samples.loops.fill(2);
        let found = Speedup::new(1.9, &record(3, &BASE), &other, Estimator::Median);
        assert_eq!((found.taken, found.decides()), (Sampling::Apart, false), "regions of different lengths");
        let found = Speedup::new(1.9, &record(3, &BASE), &record(4, &[1.0; 7]), Estimator::Best);
        assert!(found.taken == Sampling::Apart && found.interval.is_some() && !found.decides(), "{found:?}");
    }

    #[test]
    fn a_record_against_itself_has_no_interval() {
        let own = record(3, &OWN);
        assert_eq!(Speedup::new(1.0, &own, &own, Estimator::Best).interval, None);
    }
}
