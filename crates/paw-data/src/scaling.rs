//! Scaling of an application, derived from its run on demand and never stored.
//!
//! Cells of the suite `app` are grouped by *size* (the point without threads and copies); the rows of a size are in order of threads. All
//! that is said of them is said by one [`Yardstick`]: wall time, or a number that the program prints.

mod agreement;
mod axes;
mod base;
mod common_headline;
mod copies;
mod growth;
mod ranking;
mod row;
mod share;
mod sweep;
mod timing;
mod yardstick;

pub use agreement::RunAgreement;
pub use base::{Base, BaseKind};
pub use common_headline::CommonHeadline;
pub use copies::{CopyRow, CopySweep};
pub use growth::Growth;
pub use ranking::{RankedRow, Ranking};
pub use row::ScalingRow;
pub use share::{ShareRow, TimeShare};
pub use sweep::{FittedPeak, Indecision, ScalingEnd, Sweep, SweepKind, ThreadPlateau};
pub use timing::{BestFigure, DELAYED, RunTiming};
pub use yardstick::{Yardstick, YardstickKind};

use crate::application::Application;
use crate::point::Point;
use crate::run::{Record, Run};
use work::Operations;

mod work;

/// Speed-ups, fits and comparisons of an application's run by one yardstick.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling<'run> {
    /// The application.
    pub app: &'run Application,
    /// What the points are held against each other by.
    pub yardstick: Yardstick<'run>,
    /// The program's name.
    pub program: &'run str,
    /// The base of speed-ups.
    pub base: Base<'run>,
    /// The cells by size and program, without those of several copies; sizes and commands in order.
    pub sweeps: Vec<Sweep<'run>>,
    /// How the time, or what else is looked at, grows with the size, at each thread count that has five sizes.
    pub growths: Vec<Growth<'run>>,
    /// Several instances at once, where copies were swept.
    pub copy_sweeps: Vec<CopySweep<'run>>,
    /// Alternatives at each size and width that has several, the best first.
    pub rankings: Vec<Ranking<'run>>,
    /// Sentences that say why a requested result is missing.
    pub problems: Vec<String>,
}

impl<'run> Scaling<'run> {
    /// The scaling of `run` by the yardstick of its headline; `None` if it measured no application.
    pub fn of(run: &'run Run) -> Option<Self> {
        Self::by(run, Yardstick::headline(run.header.app.as_ref()?))
    }

    /// The scaling of `run` by every other yardstick of which it has numbers.
    pub fn others(run: &'run Run) -> Vec<Self> {
        let all = run.header.app.iter().flat_map(Yardstick::all).skip(1);
        all.filter_map(|yardstick| Self::by(run, yardstick)).filter(Self::has_numbers).collect()
    }

    /// The scaling of `run` by `yardstick`; `None` if it measured no application.
    pub fn by(run: &'run Run, yardstick: Yardstick<'run>) -> Option<Self> {
        let app = run.header.app.as_ref()?;
        let program = axes::subjects(run).chain(axes::bases(run)).map(|r| r.cell.benchmark.as_str()).next();
        let base = Base::of(run, app, yardstick);
        let operations = Operations::of(app);
        let mut problems: Vec<String> = operations.problem().into_iter().collect();
        let sweeps = sweep::sweeps(run, app, &base, &operations, yardstick);
        problems.extend(sweep::base_problem(&base, &sweeps, yardstick));
        Some(Self {
            app,
            yardstick,
            program: program.unwrap_or_default(),
            growths: growth::growths(&sweeps, app),
            copy_sweeps: copies::copy_sweeps(run, app, &operations, yardstick),
            rankings: ranking::rankings(run, app, yardstick),
            base,
            sweeps,
            problems,
        })
    }

    /// Whether it is by the yardstick of the run's headline.
    pub fn is_headline(&self) -> bool {
        self.yardstick == Yardstick::headline(self.app)
    }

    fn has_numbers(&self) -> bool {
        self.sweeps.iter().flat_map(|sweep| &sweep.rows).any(|row| row.timing.is_some())
            || self.copy_sweeps.iter().flat_map(|sweep| &sweep.rows).any(|row| row.row.timing.is_some())
    }

    /// The run's headline: of alternatives the fastest of the largest size, else the fastest row of the command's largest size.
    pub fn headline(&self) -> Option<(&Sweep<'run>, &ScalingRow<'run>)> {
        if let Some(leader) = self.leading().and_then(|ranking| ranking.rows.first()) {
            return self.row(leader.record);
        }
        let own = self.sweeps.iter().filter(|s| s.provider == self.app.first());
        own.rev().find_map(|sweep| Some((sweep, sweep.fastest()?)))
    }

    /// The alternatives of the largest size, one instance each, at the width at which the fastest of them is fastest; `None` without.
    pub fn leading(&self) -> Option<&Ranking<'run>> {
        let alone = self.rankings.iter().filter(|ranking| ranking.copies() == 1 && !ranking.rows.is_empty());
        let last = alone.clone().next_back()?;
        let of_largest = alone.filter(|ranking| self.size(&ranking.place) == self.size(&last.place));
        of_largest.min_by(|a, b| a.lowest().total_cmp(&b.lowest()))
    }

    /// The values of the ladders at `point`, but of the one that grows with the threads.
    pub fn size(&self, point: &Point) -> Point {
        let kept = self.app.ladders().filter(|axis| self.app.weak.as_deref() != Some(axis));
        let of = |axis: &str| Some((axis.to_owned(), point.value(axis)?.clone()));
        kept.filter_map(of).fold(Point::new(), |size, (axis, value)| size.with(&axis, value))
    }

    /// The unit of throughput, `events/s`; `None` without a formula of work, and where no time is looked at.
    pub fn throughput_unit(&self) -> Option<String> {
        let work = self.app.work.as_ref().filter(|_| matches!(self.yardstick.kind(), YardstickKind::Time(_)))?;
        Some(if work.unit.is_empty() { "1/s".to_owned() } else { format!("{}/s", work.unit) })
    }

    /// The unit of the throughput of several copies: that of throughput, of the rate that is looked at, or `runs/s`.
    pub fn copies_unit(&self) -> String {
        let of_rate = || (self.yardstick.kind() == YardstickKind::Rate).then(|| self.yardstick.unit().to_owned());
        self.throughput_unit().or_else(of_rate).unwrap_or_else(|| "runs/s".to_owned())
    }

    /// The sweep and the row of `record`.
    pub fn row(&self, record: &Record) -> Option<(&Sweep<'run>, &ScalingRow<'run>)> {
        let found = |sweep: &&Sweep<'run>| sweep.rows.iter().any(|row| std::ptr::eq(row.record, record));
        let sweep = self.sweeps.iter().find(found)?;
        Some((sweep, sweep.rows.iter().find(|row| std::ptr::eq(row.record, record))?))
    }
}
