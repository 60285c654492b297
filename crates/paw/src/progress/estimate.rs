//! The share of a run that is done, and the time left.

use std::collections::BTreeMap;
use std::time::Instant;

use paw_data::cell::Cell;
use paw_data::method::{EndRule, Plan};

use crate::amount::{duration, point};

/// The expected length of a run, from its plan.
#[derive(Debug, Clone, Copy)]
pub struct Expected {
    /// Cells to be measured.
    pub cells: usize,
    /// Samples that a cell needs at least.
    pub samples: u32,
    /// Time of the run at nominal speeds, if the plan knows it.
    pub seconds: Option<f64>,
    /// Budget of the run, if it has one.
    pub budget_s: Option<f64>,
}

impl Expected {
    /// The expectation of a plan of `cells` cells; `seconds` is its time at nominal speeds.
    pub fn new(cells: usize, plan: &Plan, seconds: Option<f64>) -> Self {
        let samples = match plan.method.ending {
            EndRule::Fixed { samples } => samples,
            EndRule::Interval { min, .. } | EndRule::KBest { min, .. } => min,
        };
        Self { cells, samples, seconds, budget_s: plan.budget_s }
    }
}

/// The share of a run that is done, and the time left.
#[derive(Debug)]
pub struct Estimate {
    expected: Expected,
    begun: Instant,
    ended: usize,
    /// Samples of the cells that have begun and not ended.
    open: BTreeMap<u32, u32>,
}

impl Estimate {
    /// The estimate at the start `now` of a run.
    pub fn new(expected: Expected, now: Instant) -> Self {
        Self { expected, begun: now, ended: 0, open: BTreeMap::new() }
    }

    /// Counts a sample; true for the first of its cell.
    pub fn sampled(&mut self, cell: u32) -> bool {
        let samples = self.open.entry(cell).or_insert(0);
        *samples += 1;
        *samples == 1
    }

    /// Counts a cell that has ended.
    pub fn ended(&mut self, cell: u32) {
        self.open.remove(&cell);
        self.ended += 1;
    }

    /// Share of the cells that is done; an open cell counts by its samples.
    fn done(&self) -> f64 {
        let needed = f64::from(self.expected.samples.max(1));
        let open: f64 = self.open.values().map(|samples| (f64::from(*samples) / needed).min(0.9)).sum();
        ((self.ended as f64 + open) / self.expected.cells.max(1) as f64).min(1.0)
    }

    /// Seconds left; `None` while neither the plan nor a sample gives an estimate.
    ///
    /// The plan's estimate weighs most at the beginning, the pace of the cells that are done towards the end. Before both, the budget
    /// says how long the run lasts at most.
    fn left_s(&self, now: Instant) -> Option<f64> {
        let (passed_s, done) = (now.duration_since(self.begun).as_secs_f64(), self.done());
        let planned_s = self.expected.seconds.map(|seconds| seconds - passed_s).filter(|left_s| *left_s > 0.0);
        let paced_s = (done > 0.0).then(|| passed_s * (1.0 - done) / done);
        let left_s = match (planned_s, paced_s) {
            (Some(planned_s), Some(paced_s)) => planned_s * (1.0 - done) + paced_s * done,
            (planned_s, paced_s) => {
                planned_s.or(paced_s).or(self.expected.budget_s.map(|budget_s| budget_s - passed_s))?
            }
        };
        Some(self.expected.budget_s.map_or(left_s, |budget_s| left_s.min((budget_s - passed_s).max(0.0))))
    }

    /// Share of the run's time that has passed.
    fn passed(&self, now: Instant) -> f64 {
        let passed_s = now.duration_since(self.begun).as_secs_f64();
        self.left_s(now).map_or(0.0, |left_s| passed_s / (passed_s + left_s).max(f64::MIN_POSITIVE)).min(1.0)
    }

    /// The time left after a comma, in `words`; of a run that has used up its budget, that it has. Empty while nothing is known.
    fn left(&self, now: Instant, words: impl Fn(f64) -> String) -> String {
        let passed_s = now.duration_since(self.begun).as_secs_f64();
        match (self.expected.budget_s.filter(|budget_s| *budget_s <= passed_s), self.left_s(now)) {
            (Some(budget_s), _) => format!(", past its budget of {}", duration(budget_s)),
            (None, Some(left_s)) => format!(", {}", words(left_s)),
            (None, None) => String::new(),
        }
    }

    /// `██████░░░░░░░░░░░░░░ 3/15 cells, 20s left`.
    pub fn bar(&self, now: Instant, columns: usize) -> String {
        let full = (self.passed(now) * columns as f64) as usize;
        let left = self.left(now, |left_s| format!("{} left", duration(left_s.max(1.0))));
        let Self { ended, expected: Expected { cells, .. }, .. } = self;
        format!("{}{} {ended}/{cells} cells{left}", "█".repeat(full), "░".repeat(columns - full))
    }

    /// The line of a log: what is being done, such as `at` or `starting`, and with which cell.
    pub fn line(&self, doing: &str, cell: &Cell, now: Instant) -> String {
        let passed = duration(now.duration_since(self.begun).as_secs_f64());
        let left = self.left(now, |left_s| format!("about {} left", duration(left_s)));
        format!("paw: {} of {} cells after {passed}{left}, {doing} {}", self.ended, self.expected.cells, name(cell))
    }
}

/// A cell's name: `dgemm n=8 embedded`.
pub fn name(cell: &Cell) -> String {
    let point = point(&cell.point);
    let words = [cell.benchmark.as_str(), point.as_str(), cell.provider.as_str()];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn cell() -> Cell {
        let cell = r#"{"id":0,"benchmark":"dgemm","provider":"embedded","role":"subject","group":0,"point":{"n":8},
            "method":"adaptive","work":{},"headline":"flops","instrument":0}"#;
        serde_json::from_str(cell).unwrap()
    }

    fn estimate(seconds: Option<f64>) -> (Estimate, Instant) {
        let (expected, begun) = (Expected { cells: 4, samples: 16, seconds, budget_s: None }, Instant::now());
        (Estimate::new(expected, begun), begun)
    }

    #[test]
    fn the_time_left_comes_from_the_plan_and_then_from_the_pace() {
        let (mut planned, begun) = estimate(Some(100.0));
        let after = |s| begun + Duration::from_secs(s);
        assert_eq!(planned.left_s(after(0)), Some(100.0));
        assert_eq!(planned.left_s(after(10)), Some(90.0));
        (0..2).for_each(|cell| planned.ended(cell));
        // Half the cells took 10 s, the plan says 90 s for the rest: between the two.
        assert_eq!(planned.left_s(after(10)), Some(50.0));
        (2..4).for_each(|cell| planned.ended(cell));
        assert_eq!(planned.left_s(after(12)), Some(0.0));
        // A plan that was too short is no figure any more, and a budget is never passed.
        let (mut late, begun) = estimate(Some(5.0));
        late.ended(0);
        assert_eq!(late.left_s(begun + Duration::from_secs(10)), Some(30.0));
        late.expected.budget_s = Some(12.0);
        assert_eq!(late.left_s(begun + Duration::from_secs(10)), Some(2.0));
        let (mut limited, begun) = estimate(None);
        limited.expected.budget_s = Some(12.0);
        assert_eq!(limited.left_s(begun + Duration::from_secs(2)), Some(10.0));
        assert!(limited.bar(begun + Duration::from_secs(13), 4).ends_with(" 0/4 cells, past its budget of 12s"));
        let (mut paced, begun) = estimate(None);
        assert_eq!(paced.left_s(begun), None);
        paced.ended(0);
        assert_eq!(paced.left_s(begun + Duration::from_secs(10)), Some(30.0));
    }

    #[test]
    fn an_open_cell_counts_by_its_samples_and_never_as_done() {
        let (mut estimate, _) = estimate(None);
        assert!(estimate.sampled(7));
        assert!(!estimate.sampled(7));
        assert_eq!(estimate.done(), 2.0 / 16.0 / 4.0);
        assert!((0..100).all(|_| !estimate.sampled(7)));
        assert_eq!(estimate.done(), 0.9 / 4.0);
        estimate.ended(7);
        assert_eq!(estimate.done(), 0.25);
    }

    #[test]
    fn the_bar_moves_with_the_time_before_any_cell_has_ended() {
        let (estimate, begun) = estimate(Some(10.0));
        assert_eq!(estimate.bar(begun, 20), format!("{} 0/4 cells, 10s left", "░".repeat(20)));
        let later = estimate.bar(begun + Duration::from_secs(5), 20);
        assert_eq!(later, format!("{}{} 0/4 cells, 5s left", "█".repeat(10), "░".repeat(10)));
    }

    #[test]
    fn a_line_says_how_far_the_run_is_and_where() {
        let (mut estimate, begun) = estimate(None);
        estimate.ended(0);
        estimate.ended(1);
        let line = estimate.line("at", &cell(), begun + Duration::from_secs(30));
        assert_eq!(line, "paw: 2 of 4 cells after 30s, about 30s left, at dgemm n=8 embedded");
    }
}
