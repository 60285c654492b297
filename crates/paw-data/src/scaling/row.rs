//! One thread count of a size: time, speed-up, efficiency.

use paw_stats::speedup::{self, Estimator};

use crate::application::{Application, ThreadPoint};
use crate::outcome::Status;
use crate::run::Record;
use crate::scaling::axes;
use crate::scaling::timing::RunTiming;
use crate::speedup::Speedup;

/// One thread count of a size.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalingRow<'run> {
    /// The cell and its runs.
    pub record: &'run Record,
    /// Threads the program was asked to use.
    pub threads: u32,
    /// Why this count is in the sweep, and where its threads ran; `None` where the run does not say.
    pub thread_point: Option<&'run ThreadPoint>,
    /// What its runs took; `None` where there is no number.
    pub timing: Option<RunTiming>,
    /// How many times as fast as the base. Of weak scaling none: the work differs.
    pub speedup: Option<Speedup>,
    /// Speed-up ÷ min(threads, hardware threads); of weak scaling time of one thread ÷ this time.
    pub efficiency: Option<f64>,
    /// The serial part that the speed-up amounts to (Karp and Flatt); of rows that are not oversubscribed.
    pub karp_flatt: Option<f64>,
    /// Of one thread with another program as base: time of the base's multiple less 1, what parallelisation itself costs.
    pub overhead: Option<f64>,
    /// Operations of one run.
    pub operations: Option<f64>,
}

impl<'run> ScalingRow<'run> {
    /// The row of `record`, without what depends on others.
    pub(super) fn new(record: &'run Record, app: &'run Application, timing: Option<RunTiming>) -> Self {
        let threads = axes::threads(&record.cell);
        let thread_point = axes::thread_point(app, threads);
        Self {
            record,
            threads,
            thread_point,
            timing,
            speedup: None,
            efficiency: None,
            karp_flatt: None,
            overhead: None,
            operations: None,
        }
    }

    /// Whether it was asked for a number of threads; if not, [`ScalingRow::threads`] is 1 and means nothing.
    pub fn is_told(&self) -> bool {
        self.record.cell.point.int(axes::THREADS).is_some()
    }

    /// Whether it has more threads than processors: marked, and left out of fits.
    pub fn oversubscribed(&self) -> bool {
        self.thread_point.is_some_and(|p| p.oversubscribed)
    }

    /// The threads that can run at once: no more than the hardware threads given to the program.
    pub fn effective_threads(&self) -> u32 {
        let given = self.thread_point.map_or(0, |p| p.hardware_threads);
        if given > 0 { self.threads.min(given) } else { self.threads }
    }

    /// The best wall time in seconds.
    pub fn best_s(&self) -> Option<f64> {
        self.timing.map(|t| t.best_s())
    }

    /// Operations a second, at the best time.
    pub fn throughput(&self) -> Option<f64> {
        Some(self.operations? / self.best_s().filter(|t| *t > 0.0)?)
    }

    /// Why there is no number: the status, and the reason. `None` where there is one.
    pub fn absence(&self) -> Option<(Status, &'run str)> {
        let Some(outcome) = &self.record.outcome else {
            return self.timing.is_none().then_some((Status::Skipped, "not finished: the run ended first"));
        };
        let why = outcome.why.as_deref().filter(|w| !w.is_empty()).unwrap_or("no reason was recorded");
        match outcome.status {
            Status::Measured => self.timing.is_none().then_some((Status::Failed, "no runs were recorded")),
            status => Some((status, why)),
        }
    }

    /// Fills in what follows from the base.
    pub(super) fn hold_against(&mut self, base: (&'run Record, &RunTiming), other_program: bool) {
        let Some(own) = self.best_s() else { return };
        let first = base.1.best_s();
        self.speedup = (first > 0.0 && own > 0.0)
            .then(|| Speedup::new(speedup::speedup(first, own), base.0, self.record, Estimator::Best));
        let Some(speedup) = self.speedup else { return };
        let workers = f64::from(self.effective_threads());
        self.efficiency = Some(speedup::efficiency(speedup.value, workers));
        if !self.oversubscribed() {
            self.karp_flatt = speedup::karp_flatt(speedup.value, f64::from(self.threads));
        }
        if other_program && self.threads == 1 {
            self.overhead = Some(own / base.1.best_s() - 1.0);
        }
    }
}
