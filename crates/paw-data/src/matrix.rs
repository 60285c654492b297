//! Analysis of a kernel's builds, computed from a run and never stored: panels, one for each level (size), with rows sorted by speed.

mod cycles;
mod level;
mod ranked_by;
mod row;
mod timing;

pub use cycles::{CycleTiming, DRIFT_MAX};
pub use level::Panel;
pub(crate) use level::groups;
pub use ranked_by::RankedBy;
pub use row::{MatrixRow, RowStatus};
pub use timing::BuildTiming;

use paw_sort::OrderBy;

use crate::build::Build;
use crate::cell::Role;
use crate::kernel::{self, Kernel, Question};
use crate::outcome::Status;
use crate::run::{Record, Run};

/// The builds of a kernel's run, compared at each level.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix<'run> {
    /// The kernel.
    pub kernel: &'run Kernel,
    /// The levels in the kernel's order.
    pub panels: Vec<Panel<'run>>,
}

impl<'run> Matrix<'run> {
    /// The matrix of `run`; `None` if no kernel was measured, or the question was not about builds.
    pub fn of(run: &'run Run) -> Option<Self> {
        let kernel = run.header.kernel.as_ref()?;
        match kernel.question {
            Question::Matrix | Question::Measure | Question::Check | Question::Search | Question::Explain => {}
            Question::Sensitivity | Question::Residency | Question::Analyze => return None,
        }
        Some(Self { kernel, panels: level::panels(run, kernel) })
    }

    /// Every build with a cell, each once, in the run's order.
    pub fn builds(&self) -> Vec<&'run Build> {
        let rows = self.panels.iter().flat_map(|panel| panel.rows.iter().chain(&panel.residency));
        let mut rows: Vec<&MatrixRow<'run>> = rows.collect();
        rows.order_by_key(|row| row.record.cell.id);
        let mut found: Vec<&Build> = Vec::new();
        for build in rows.into_iter().filter_map(|row| row.build) {
            if !found.iter().any(|known| known.full_name() == build.full_name()) {
                found.push(build);
            }
        }
        found
    }

    /// Names of builds that are the same machine code, a list for each code that several have.
    pub fn identical(&self) -> Vec<Vec<String>> {
        let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
        for build in self.builds().into_iter().filter(|b| !b.code.is_empty()) {
            let place = groups.iter().position(|(code, _)| *code == build.code).unwrap_or_else(|| {
                groups.push((&build.code, Vec::new()));
                groups.len() - 1
            });
            let names = &mut groups[place].1;
            for name in std::iter::once(build.full_name()).chain(build.same.iter().cloned()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        groups.into_iter().map(|(_, names)| names).filter(|names| names.len() > 1).collect()
    }

    /// The row of `record` and its panel.
    pub fn row(&self, record: &Record) -> Option<(&Panel<'run>, &MatrixRow<'run>)> {
        let own = |row: &&MatrixRow<'run>| std::ptr::eq(row.record, record);
        self.panels.iter().find_map(|panel| Some((panel, panel.rows.iter().chain(&panel.residency).find(own)?)))
    }
}

/// The cells of a kernel, in the run's order.
pub(crate) fn records(run: &Run) -> impl Iterator<Item = &Record> {
    run.records.iter().filter(|record| record.cell.suite == kernel::SUITE)
}

/// The variant of a cell; empty where it has none.
pub(crate) fn variant(record: &Record) -> &str {
    let told = record.cell.build.as_ref().map_or("", |build| build.variant.as_str());
    record.cell.point.text(kernel::VARIANT).unwrap_or(told)
}

/// Whether a cell only moves the data.
pub(crate) fn is_residency(record: &Record, kernel: &Kernel) -> bool {
    let named = !kernel.residency.is_empty() && variant(record) == kernel.residency;
    record.cell.role == Role::Bandwidth || named
}

/// Ticks per second of the clock of `record`, if it counts ticks.
pub(crate) fn hz(run: &Run, record: &Record) -> Option<f64> {
    let instrument = run.instruments.iter().find(|i| i.id == record.cell.instrument)?;
    instrument.hz.filter(|hz| *hz > 0.0 && hz.is_finite())
}

/// Why a cell has no number: the status, and the reason in the run's own words.
pub(crate) fn absence(record: &Record) -> (Status, &str) {
    let Some(outcome) = &record.outcome else { return (Status::Skipped, "not finished: the run ended first") };
    let note = outcome.check.as_ref().map(|check| check.note.as_str());
    let why = outcome.why.as_deref().or(note).filter(|why| !why.is_empty());
    match outcome.status {
        Status::Measured => (Status::Failed, why.unwrap_or("no samples were recorded")),
        status => (status, why.unwrap_or("no reason was recorded")),
    }
}
