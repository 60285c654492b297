//! The time that an explanation may take, and what is left out where a call takes too much of it.

use std::time::{Duration, Instant};

use paw_data::kernel::Level;
use paw_data::run::Record;
use paw_data::secondary::SecondaryMetric;

/// Seconds of a whole explanation, unless the user sets others.
pub const BUDGET_S: f64 = 60.0;
/// Seconds after which a warm-up ends: hundreds of times what filling a second-level cache takes, and what a slow call does to the caches
/// it does at once.
pub const WARMUP_S: f64 = 0.05;
/// Calls of a cell with the fewest samples: the reference's and the check's, three that look for side effects, and four times one that
/// warms up and one that is timed.
const CELL_CALLS: f64 = 13.0;
/// Calls of a row with the fewest samples, as of a cell without those of the reference and the check.
const ROW_CALLS: f64 = 11.0;
/// The most calls of one answer of a child, with room for a machine that is busy.
const ANSWER_CALLS: f64 = 20.0;

/// The time of an explanation.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    began: Instant,
    budget_s: f64,
}

/// The kernel's own series at a size, as its cell has it.
#[derive(Debug, Clone, Default)]
pub struct OwnSeries {
    /// Seconds of a call at least; NaN if that is not known.
    pub call_s: f64,
    /// Core cycles of a call, one a sample.
    pub cycles: Vec<f64>,
    /// Why there is none; empty if there is.
    pub why: String,
}

impl OwnSeries {
    /// The series of a cell.
    pub fn of(record: &Record) -> Self {
        let calls_s: Vec<f64> = record.samples.per_loop_s();
        let clocks = record.samples.secondary(SecondaryMetric::CoreClock).unwrap_or_default();
        let why = record.outcome.as_ref().and_then(|outcome| outcome.why.clone()).unwrap_or_default();
        Self {
            call_s: calls_s.iter().copied().reduce(f64::min).unwrap_or(f64::NAN),
            cycles: calls_s.iter().zip(clocks).map(|(call_s, hz)| call_s * hz).collect(),
            why,
        }
    }
}

impl Allowance {
    /// `budget_s` seconds from now.
    pub fn begin(budget_s: f64) -> Self {
        Self { began: Instant::now(), budget_s }
    }

    /// No limit.
    pub fn unlimited() -> Self {
        Self::begin(f64::INFINITY)
    }

    /// Seconds that are left.
    pub fn left_s(&self) -> f64 {
        (self.budget_s - self.began.elapsed().as_secs_f64()).max(0.0)
    }

    /// Why no cell is measured whose calls take `call_s` seconds at least; `None` if there is time, or if nothing is known.
    pub fn refuses_cell(&self, level: &Level, call_s: f64) -> Option<String> {
        let only = format!("`--budget 5m` gives more time, `--n {} --budget 5m` measures this size alone", level.n);
        self.refusal(CELL_CALLS * call_s, call_s).map(|why| format!("{why}. hint: {only}"))
    }

    /// Why `rows` versions whose calls take `call_s` seconds are not measured.
    pub(super) fn refuses_rows(&self, rows: usize, call_s: f64) -> Option<String> {
        let why = self.refusal(ROW_CALLS * rows as f64 * call_s, call_s)?;
        Some(format!("{why}; `--budget 5m` gives more time"))
    }

    fn refusal(&self, needed_s: f64, call_s: f64) -> Option<String> {
        let left_s = self.left_s();
        // A budget of less than a second is no 0 s.
        let digits = if self.budget_s < 10.0 { 2 } else { 0 };
        (needed_s > left_s).then(|| {
            format!(
                "left out: it needs {needed_s:.2} s at least, since a call takes {call_s:.2} s or more, and {left_s:.digits$} of \
                 {:.digits$} s were left",
                self.budget_s
            )
        })
    }
}

/// The time that a child may take to answer whose calls take `call_s` seconds: `usual`, or more if they are long.
pub fn patience(usual: Duration, call_s: f64) -> Duration {
    let long = Duration::try_from_secs_f64(ANSWER_CALLS * call_s).unwrap_or_default();
    usual.max(long)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_longer_than_is_left_is_left_out_with_the_way_to_measure_it() {
        let level = Level { n: 16_511, ..Level::default() };
        let minute = Allowance::begin(60.0);
        assert_eq!(minute.refuses_cell(&level, 0.5), None);
        assert_eq!(minute.refuses_cell(&level, f64::NAN), None);
        let why = minute.refuses_cell(&level, 6.0).unwrap();
        assert!(why.contains("a call takes 6.00 s or more") && why.contains("`--n 16511 --budget 5m`"), "{why}");
        assert_eq!(minute.refuses_rows(3, 1.0), None);
        assert!(minute.refuses_rows(3, 2.0).unwrap().ends_with("`--budget 5m` gives more time"));
    }

    #[test]
    fn a_child_of_long_calls_may_take_long_to_answer() {
        let usual = Duration::from_secs(10);
        assert_eq!(patience(usual, 0.1), usual);
        assert_eq!(patience(usual, 4.0), Duration::from_secs(80));
        assert_eq!(patience(usual, f64::NAN), usual);
    }
}
