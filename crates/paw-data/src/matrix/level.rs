//! One level of a kernel's run: its rows by speed, and their ties.

use std::borrow::Cow;

use paw_sort::OrderBy;
use paw_stats::ties;

use crate::cell::Role;
use crate::comparison::MARGIN;
use crate::kernel::{self, Kernel, Level, Question};
use crate::matrix::RankedBy;
use crate::matrix::row::{MatrixRow, RowStatus};
use crate::rounds;
use crate::run::Run;
use crate::summary::CONFIDENCE;

/// The rows of one level of the memory hierarchy.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel<'run> {
    /// Its name: `L1`; empty where cells name none.
    pub name: &'run str,
    /// The size, where cells name one.
    pub n: Option<i64>,
    /// The number of the search's step, from 1; `None` for other questions.
    pub step: Option<usize>,
    /// The level in the run's header.
    pub level: Option<&'run Level>,
    /// The rows of builds: right ones by speed, then those that are not ranked.
    pub rows: Vec<MatrixRow<'run>>,
    /// The builds of the variant that only moves the data, by speed.
    pub residency: Vec<MatrixRow<'run>>,
    /// Complete rounds of the ranked builds.
    pub rounds: usize,
    /// The fewest complete rounds that can separate the ranked builds.
    pub needed: usize,
    /// The quantity that builds are ranked by.
    pub by: RankedBy,
}

impl<'run> Panel<'run> {
    /// Its label: `L1, n = 88`, `L1, n = 88, step 2`.
    pub fn label(&self) -> String {
        let n = self.n.map(|n| format!("n = {n}"));
        let name = (!self.name.is_empty() && Some(self.name) != n.as_deref()).then(|| self.name.to_owned());
        let step = self.step.map(|step| format!("step {step}"));
        name.into_iter().chain(n).chain(step).collect::<Vec<_>>().join(", ")
    }

    /// The base row of speed-ups.
    pub fn base(&self) -> Option<&MatrixRow<'run>> {
        self.rows.iter().find(|row| row.record.cell.role == Role::Base)
    }

    /// The fastest right row, and those that nothing separates from it; none where no row is ranked.
    pub fn leaders(&self) -> Vec<&MatrixRow<'run>> {
        let Some(first) = self.rows.first().filter(|row| row.is_ranked()) else { return Vec::new() };
        let shares = |row: &&MatrixRow<'run>| groups(&row.letters).any(|own| groups(&first.letters).any(|l| l == own));
        let rest = self.rows[1..].iter().filter(|row| row.is_ranked());
        std::iter::once(first).chain(rest.filter(shares)).collect()
    }

    /// Whether there were enough rounds to separate the fastest from the others.
    pub fn is_told(&self) -> bool {
        self.rounds >= self.needed
    }

    /// Rows whose answer is wrong.
    pub fn wrong(&self) -> impl Iterator<Item = &MatrixRow<'run>> {
        self.rows.iter().filter(|row| row.standing == RowStatus::Wrong)
    }

    /// Why there are no speed-ups; `None` if there are some, or nothing is timed.
    pub fn problem(&self) -> Option<String> {
        let is_timed = self.rows.iter().any(|row| row.timing.is_some());
        if !is_timed || self.rows.iter().any(|row| row.speedup.is_some()) {
            return None;
        }
        let why = match self.base() {
            None => return None,
            Some(base) if base.standing == RowStatus::Wrong => "its own answer is wrong",
            Some(base) if base.standing == RowStatus::Right => "no other answer has a time",
            Some(_) => "it has no time",
        };
        let base = self.base().map_or(String::new(), MatrixRow::name);
        Some(format!("Nothing is held against the reference {base} at {}: {why}.", self.label()))
    }
}

/// The single letters of a row: `ab` is in two groups, `a2` in one.
pub(crate) fn groups(letters: &str) -> impl Iterator<Item = &str> {
    let starts = letters.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).map(|(i, _)| i);
    let ends = starts.clone().skip(1).chain(std::iter::once(letters.len()));
    starts.zip(ends).map(|(start, end)| &letters[start..end])
}

/// The levels of `run` in the kernel's order, then those it does not name. Each step of a search is a level of its own, because its
/// base is the best build of the step before.
pub(super) fn panels<'run>(run: &'run Run, kernel: &'run Kernel) -> Vec<Panel<'run>> {
    let mut panels: Vec<Panel<'run>> = Vec::new();
    let mut steps: Vec<u32> = Vec::new();
    for record in super::records(run) {
        let name = record.cell.point.text(kernel::LEVEL).unwrap_or_default();
        let n = record.cell.point.int(kernel::SIZE);
        let step = (kernel.question == Question::Search).then(|| number(&mut steps, record.cell.group));
        let place = panels.iter().position(|p| (p.name, p.n, p.step) == (name, n, step)).unwrap_or_else(|| {
            let is_own = |l: &&Level| l.name == name && n.is_none_or(|n| u64::try_from(n) == Ok(l.n));
            let level = kernel.levels.iter().find(is_own);
            panels.push(Panel {
                name,
                n,
                step,
                level,
                rows: Vec::new(),
                residency: Vec::new(),
                rounds: 0,
                needed: 0,
                by: RankedBy::Time,
            });
            panels.len() - 1
        });
        let row = MatrixRow::of(run, record);
        let panel = &mut panels[place];
        if super::is_residency(record, kernel) { &mut panel.residency } else { &mut panel.rows }.push(row);
    }
    let order = |p: &Panel<'_>| kernel.levels.iter().position(|l| p.level.is_some_and(|own| std::ptr::eq(own, l)));
    panels.order_by_key(|panel| order(panel).unwrap_or(usize::MAX));
    panels.iter_mut().for_each(finish);
    panels
}

/// The number of `group` in order of appearance, from 1.
fn number(met: &mut Vec<u32>, group: u32) -> usize {
    let place = met.iter().position(|known| *known == group).unwrap_or_else(|| {
        met.push(group);
        met.len() - 1
    });
    place + 1
}

/// Computes the quantity of ranking, speed-ups, letters and order.
fn finish(panel: &mut Panel<'_>) {
    let timed = panel.rows.iter().chain(&panel.residency).filter(|row| row.timing.is_some());
    let by = RankedBy::of(timed.map(|row| &row.record.samples));
    panel.by = by;
    if let Some(base) = panel.base().cloned() {
        panel.rows.iter_mut().for_each(|row| row.speedup = row.speedup_over(&base, by));
    }
    rank(panel);
    panel.rows.order_by(|a, b| order(a, b, by));
    panel.residency.order_by(|a, b| order(a, b, by));
}

fn order(a: &MatrixRow<'_>, b: &MatrixRow<'_>, by: RankedBy) -> std::cmp::Ordering {
    let untimed = |row: &MatrixRow<'_>| row.timing.is_none();
    let by_time = || match (&a.timing, &b.timing) {
        (Some(a), Some(b)) => by.order(a, b),
        _ => std::cmp::Ordering::Equal,
    };
    a.standing.cmp(&b.standing).then(untimed(a).cmp(&untimed(b))).then_with(by_time)
}

/// Letters of the right rows that were measured in the same rounds as most of them.
fn rank(panel: &mut Panel<'_>) {
    let ranked: Vec<usize> = (0..panel.rows.len()).filter(|i| panel.rows[*i].is_ranked()).collect();
    let group = |i: &usize| panel.rows[*i].record.cell.group;
    let members = |g: u32| ranked.iter().filter(|i| group(i) == g).count();
    let Some(most) = ranked.iter().map(group).max_by_key(|g| (members(*g), u32::MAX - g)) else { return };
    let chosen: Vec<usize> = ranked.iter().copied().filter(|i| group(i) == most).collect();
    let samples: Vec<_> = chosen.iter().map(|i| panel.by.samples(&panel.rows[*i].record.samples)).collect();
    let complete = rounds::complete(&samples.iter().map(Cow::as_ref).collect::<Vec<_>>());
    panel.rounds = complete.first().map_or(0, Vec::len);
    panel.needed = if ranked.len() > 1 { ties::rounds_needed(chosen.len().max(2), CONFIDENCE) } else { 0 };
    let slices: Vec<&[f64]> = complete.iter().map(Vec::as_slice).collect();
    let Some(ranking) = ties::ranking(&slices, CONFIDENCE, MARGIN) else { return };
    for (i, letters) in chosen.into_iter().zip(ranking.letters) {
        panel.rows[i].letters = letters;
    }
}
