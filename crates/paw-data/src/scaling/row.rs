//! One thread count of a size: time, speed-up, efficiency.

use paw_stats::speedup::{self, Estimator};

use crate::application::{Application, ThreadPoint};
use crate::axis;
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
    /// The reason for this count and its processors; `None` if the run has no such entry.
    pub thread_point: Option<&'run ThreadPoint>,
    /// Its runs; `None` where none has the number that is looked at.
    pub timing: Option<RunTiming<'run>>,
    /// Speed-up over the base, or the ratio by which another number is better; `None` for weak scaling, where the work differs.
    pub speedup: Option<Speedup>,
    /// Speed-up ÷ min(threads, hardware threads); for weak scaling, time of one thread ÷ this time. `None` of what is no pace.
    pub efficiency: Option<f64>,
    /// The serial part that the speed-up implies (Karp and Flatt); `None` for oversubscribed rows.
    pub karp_flatt: Option<f64>,
    /// Cost of parallelisation: time of one thread ÷ time of the base program, minus 1; `None` for other rows.
    pub overhead: Option<f64>,
    /// Operations of one run.
    pub operations: Option<f64>,
}

impl<'run> ScalingRow<'run> {
    /// The row of `record`, without the figures that depend on the base.
    pub(super) fn new(record: &'run Record, app: &'run Application, timing: Option<RunTiming<'run>>) -> Self {
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

    /// Whether paw set the number of threads; if not, [`ScalingRow::threads`] is a meaningless 1.
    pub fn is_told(&self) -> bool {
        self.record.cell.point.int(axis::THREADS).is_some()
    }

    /// The number of threads, if paw set it.
    pub fn told(&self) -> Option<u32> {
        self.is_told().then_some(self.threads)
    }

    /// Whether the row has more threads than processors: tables mark such rows, and fits leave them out.
    pub fn oversubscribed(&self) -> bool {
        self.thread_point.is_some_and(|p| p.oversubscribed)
    }

    /// Threads that can run at once: at most the program's hardware threads.
    pub fn effective_threads(&self) -> u32 {
        let given = self.thread_point.map_or(0, |p| p.hardware_threads);
        if given > 0 { self.threads.min(given) } else { self.threads }
    }

    /// The best cost.
    pub fn best(&self) -> Option<f64> {
        self.timing.map(|t| t.best())
    }

    /// Operations a second, at the best time; `None` where no time is looked at.
    pub fn throughput(&self) -> Option<f64> {
        Some(self.operations? / self.timing?.seconds().filter(|t| *t > 0.0)?)
    }

    /// The status and the reason of a missing time; `None` if there is a time.
    pub fn absence(&self) -> Option<(Status, &'run str)> {
        let Some(outcome) = &self.record.outcome else {
            return self.timing.is_none().then_some((Status::Skipped, "not finished: the run ended first"));
        };
        let why = outcome.why.as_deref().filter(|w| !w.is_empty()).unwrap_or("no reason was recorded");
        match outcome.status {
            Status::Measured if self.timing.is_some() => None,
            Status::Measured if self.record.samples.is_empty() => Some((Status::Failed, "no runs were recorded")),
            Status::Measured => Some((Status::Measured, "no run printed a number that can be held against others")),
            status => Some((status, why)),
        }
    }

    /// Computes the figures that depend on the base; `parallel` is the cost that efficiency and serial part refer to.
    pub(super) fn hold_against(
        &mut self,
        base: (&'run Record, &RunTiming<'run>),
        parallel: Option<f64>,
        other_program: bool,
    ) {
        let Some(timing) = self.timing else { return };
        let (own, first, yardstick) = (timing.best(), base.1.best(), timing.yardstick);
        let is_base = std::ptr::eq(base.0, self.record);
        let ratio = |value| {
            let of_base = yardstick.seen(base.0);
            if is_base {
                return Speedup::new(value, &of_base, &of_base, Estimator::Best);
            }
            Speedup::new(value, &of_base, &yardstick.seen(self.record), Estimator::Best)
        };
        self.speedup = (first > 0.0 && own > 0.0).then(|| ratio(speedup::speedup(first, own)));
        // Numbers that never vary tell nothing of how a ratio would.
        if let Some(speedup) = self.speedup.as_mut().filter(|_| timing.cost.is_constant && base.1.cost.is_constant) {
            speedup.interval = None;
        }
        if self.speedup.is_none() || !yardstick.is_pace() {
            return;
        }
        let workers = f64::from(self.effective_threads());
        if let Some(gain) = parallel.map(|one| speedup::speedup(one, own)) {
            self.efficiency = Some(speedup::efficiency(gain, workers));
            self.karp_flatt =
                (!self.oversubscribed()).then(|| speedup::karp_flatt(gain, f64::from(self.threads))).flatten();
        }
        if other_program && self.threads == 1 && self.is_told() && !is_base {
            self.overhead = Some(own / first - 1.0);
        }
    }
}
