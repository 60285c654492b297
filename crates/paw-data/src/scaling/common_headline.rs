//! A printed time that is the headline of several runs, so that they can be compared by it.

use crate::application::MetricFact;
use crate::run::{Record, Run};
use crate::scaling::axes;
use crate::scaling::yardstick::{Yardstick, YardstickKind};

/// A printed time that is the headline of all of some runs.
#[derive(Debug, Clone, PartialEq)]
pub struct CommonHeadline(MetricFact);

impl CommonHeadline {
    /// That of the runs of both sides; `None` where one has another headline, or theirs is wall time or no time.
    pub fn of(a: &[Run], b: &[Run]) -> Option<Self> {
        let of = |run: &Run| Some(Yardstick::headline(run.header.app.as_ref()?).metric()?.clone());
        let first = of(a.first()?)?;
        let is_time = matches!(Yardstick::Metric(&first).kind(), YardstickKind::Time(_));
        // Units may differ: what is compared are seconds.
        let is_same = |run: &Run| of(run).is_some_and(|own| own.name == first.name && own.better == first.better);
        (is_time && a.iter().chain(b).all(is_same)).then_some(Self(first))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The runs with this time, in seconds, as that of each of their samples. Cells of programs that did not print it have none.
    pub fn seen(&self, runs: &[Run]) -> Vec<Run> {
        runs.iter().cloned().map(|run| self.one(run)).collect()
    }

    fn one(&self, mut run: Run) -> Run {
        let own = run.header.app.as_ref().map(|app| Yardstick::headline(app).metric().cloned());
        let Some(fact) = own.flatten() else { return run };
        let yardstick = Yardstick::Metric(&fact);
        for record in run.records.iter_mut().filter(|record| axes::is_of_program(record)) {
            let mut seen: Record = yardstick.seen(record).into_owned();
            seen.samples.elapsed_s.iter_mut().for_each(|cost| *cost = yardstick.value(*cost));
            *record = seen;
        }
        run
    }
}
