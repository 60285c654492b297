//! Scaling of an application, derived from its run on demand and never stored.
//!
//! Cells of the suite `app` are grouped by *size* (the point without threads and copies); the rows of a size are in order of threads.

mod agreement;
mod axes;
mod base;
mod copies;
mod growth;
mod metric;
mod row;
mod sweep;
mod timing;
mod versus;

pub use agreement::RunAgreement;
pub use base::{Base, BaseKind};
pub use copies::{CopyRow, CopySweep};
pub use growth::Growth;
pub use metric::{MetricRow, MetricTable};
pub use row::ScalingRow;
pub use sweep::{FittedPeak, ScalingEnd, Sweep, SweepKind, ThreadPlateau};
pub use timing::{BestFigure, DELAYED, RunTiming};
pub use versus::Versus;

use crate::application::{Application, COMMAND};
use crate::run::{Record, Run};
use work::Operations;

mod work;

/// Speed-ups, fits and comparisons of an application's run.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling<'run> {
    /// The application.
    pub app: &'run Application,
    /// The program's name.
    pub program: &'run str,
    /// The base of speed-ups.
    pub base: Base<'run>,
    /// The cells by size and program, without those of several copies; sizes in order, `command` before `versus`.
    pub sweeps: Vec<Sweep<'run>>,
    /// How the time grows with the size, at each thread count that has five sizes.
    pub growths: Vec<Growth<'run>>,
    /// Several instances at once, where copies were swept.
    pub copy_sweeps: Vec<CopySweep<'run>>,
    /// Tables of the metrics that the program printed.
    pub metrics: Vec<MetricTable<'run>>,
    /// The other command against the first, point by point.
    pub versus: Vec<Versus<'run>>,
    /// Sentences that say why a requested result is missing.
    pub problems: Vec<String>,
}

impl<'run> Scaling<'run> {
    /// The scaling of `run`; `None` if it measured no application.
    pub fn of(run: &'run Run) -> Option<Self> {
        let app = run.header.app.as_ref()?;
        let program = axes::subjects(run).chain(axes::bases(run)).map(|r| r.cell.benchmark.as_str()).next();
        let base = Base::of(run, app);
        let operations = Operations::of(app);
        let mut problems: Vec<String> = operations.problem().into_iter().collect();
        let sweeps = sweep::sweeps(run, app, &base, &operations);
        problems.extend(sweep::base_problem(&base, &sweeps));
        Some(Self {
            app,
            program: program.unwrap_or_default(),
            growths: growth::growths(&sweeps, app),
            copy_sweeps: copies::copy_sweeps(run, app, &operations),
            metrics: metric::tables(run, app, &base),
            versus: versus::versus(run, app),
            base,
            sweeps,
            problems,
        })
    }

    /// The fastest row of the command's largest size, the run's headline.
    pub fn headline(&self) -> Option<(&Sweep<'run>, &ScalingRow<'run>)> {
        let own = self.sweeps.iter().filter(|s| s.provider == COMMAND);
        own.rev().find_map(|sweep| Some((sweep, sweep.fastest()?)))
    }

    /// The unit of throughput, `events/s`; `None` without a formula of work.
    pub fn throughput_unit(&self) -> Option<String> {
        let work = self.app.work.as_ref()?;
        Some(if work.unit.is_empty() { "1/s".to_owned() } else { format!("{}/s", work.unit) })
    }

    /// The sweep and the row of `record`.
    pub fn row(&self, record: &Record) -> Option<(&Sweep<'run>, &ScalingRow<'run>)> {
        let found = |sweep: &&Sweep<'run>| sweep.rows.iter().any(|row| std::ptr::eq(row.record, record));
        let sweep = self.sweeps.iter().find(found)?;
        Some((sweep, sweep.rows.iter().find(|row| std::ptr::eq(row.record, record))?))
    }
}
