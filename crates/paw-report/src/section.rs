//! Groups of cells that one table shows: which axes vary, which are constant, and the common unit.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use paw_data::cell::{Combine, Role};
use paw_data::headline::Family;
use paw_data::parts;
use paw_data::point::AxisValue;
use paw_data::quantity::Quantity;
use paw_data::run::Run;
use paw_data::train;
use paw_sort::OrderBy;

use crate::latency::{Level, levels};
use crate::number::{self, Scale};
use crate::participants::{Participants, counts_participants};
use crate::reading::{Reading, readings};
use crate::secondary::{MetricColumn, secondary_metrics};
use crate::step;

/// Ratio of largest to smallest value beyond which one prefix would show the small ones as zeros.
const ONE_SCALE_SPANS: f64 = 1e5;

/// The cells of one table: one benchmark's ladder, or the single points of benchmarks of one kind.
#[derive(Debug, Clone)]
pub struct Section<'r> {
    pub benchmarks: Vec<&'r str>,
    pub suite: &'r str,
    /// Family of its benchmarks; `None` for programs and kernels.
    pub family: Option<Family>,
    /// Role of the cells: subject or reference.
    pub role: Role,
    /// The formula of the headline's work, as text.
    pub formula: &'r str,
    /// How ranks are combined; `None` where cells differ.
    pub combine: Option<Combine>,
    /// What the headline counts.
    pub quantity: Quantity,
    /// The common scale of all values; `None` where they spread too far and each has its own.
    pub scale: Option<Scale>,
    /// The axis that is walked in order.
    pub ladder: Option<&'r str>,
    /// The other axes that vary, without `threads` and `ranks`.
    pub axes: Vec<&'r str>,
    /// Axes that do not vary, with their value; `threads` or `ranks` and the provider among them.
    pub fixed: Vec<(&'r str, String)>,
    /// Whether providers differ.
    pub providers: Variation,
    /// The kind of participants: threads, ranks or devices.
    pub participants: Participants,
    /// Whether the number of participants differs.
    pub participant_counts: Variation,
    pub secondary: Vec<MetricColumn>,
    /// Latency by level of the memory hierarchy, where the section is a ladder of working sets.
    pub levels: Vec<Level>,
    /// The cells: by ladder, then other axes, threads, provider.
    pub rows: Vec<Reading<'r>>,
}

/// Whether a property is the same in all cells of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variation {
    Same,
    /// Cells differ, so that it needs a column.
    Differs,
}

impl Variation {
    fn of(distinct: usize) -> Self {
        if distinct > 1 { Variation::Differs } else { Variation::Same }
    }
}

impl Section<'_> {
    /// Whether its rows are trains of messages.
    pub fn is_of_trains(&self) -> bool {
        self.rows.iter().any(|reading| train::is_train(&reading.record.cell.point))
    }

    /// The benchmarks as a title: `dgemm`, `copy, scale, add, triad`.
    pub fn title(&self) -> String {
        self.benchmarks.join(", ")
    }

    /// Whether the rows need a column that names their benchmark.
    pub fn benchmark(&self) -> Variation {
        Variation::of(self.benchmarks.len())
    }

    /// The unit over the column of values; empty where each value has its own.
    pub fn unit(&self) -> &str {
        self.scale.as_ref().map_or("", |s| &s.unit)
    }

    /// The headline of `reading` in the section's scale; with its own unit if there is none.
    pub fn value(&self, reading: &Reading<'_>) -> String {
        let Some(value) = reading.value else { return String::new() };
        match &self.scale {
            Some(scale) => scale.digits(value.middle, value.half_width()),
            None => number::quantity(value.middle, self.quantity, value.half_width()),
        }
    }

    /// The value of `reading` on `axis`, as text.
    pub fn at(&self, reading: &Reading<'_>, axis: &str) -> String {
        step::text(&reading.record.cell, axis)
    }

    /// The title of a column of [`Self::at`]: `size` if the axis counts elements of known size, else the axis' name.
    pub fn axis_name<'a>(&self, axis: &'a str) -> &'a str {
        self.rows.first().map_or(axis, |reading| step::name(&reading.record.cell, axis))
    }

    /// The ladder's name; empty where there is none.
    pub fn ladder_name(&self) -> &str {
        self.ladder.map_or("", |ladder| self.axis_name(ladder))
    }

    /// Formula, fixed axes and provider in one line: `2mnk · embedded · threads=1`.
    pub fn note(&self) -> String {
        let fixed = self.fixed.iter().map(|(axis, value)| match *axis {
            "provider" => value.clone(),
            axis => format!("{axis}={value}"),
        });
        let formula = (!self.formula.is_empty()).then(|| self.formula.to_owned());
        let combine = self.combine.filter(|c| *c != Combine::Single).map(|c| c.words().to_owned());
        formula.into_iter().chain(combine).chain(fixed).collect::<Vec<_>>().join(" · ")
    }
}

/// The sections of `run` in the order the benchmarks were begun; references after subjects.
pub fn sections(run: &Run) -> Vec<Section<'_>> {
    sections_of(run, readings(run))
}

/// The sections of the `readings` of a run, ordered as by [`sections`].
pub fn sections_of<'r>(run: &'r Run, readings: Vec<Reading<'r>>) -> Vec<Section<'r>> {
    let mut groups: Vec<((&str, bool), Vec<Reading<'_>>)> = Vec::new();
    let mut places = HashMap::new();
    for reading in readings {
        let cell = &reading.record.cell;
        let key = (cell.benchmark.as_str(), cell.role == Role::Subject);
        let place = *places.entry(key).or_insert(groups.len());
        if place == groups.len() {
            groups.push((key, Vec::new()));
        }
        groups[place].1.push(reading);
    }
    groups.order_by_key(|((_, subject), _)| !subject);
    let groups = groups.into_iter().map(|(_, rows)| rows).collect();
    parts::lists(merged(groups), |rows| section(rows, run))
}

/// Groups without a ladder that have suite, family, quantity, role and axes in common become one: STREAM's four kernels are read
/// side by side.
fn merged(groups: Vec<Vec<Reading<'_>>>) -> Vec<Vec<Reading<'_>>> {
    let mut out: Vec<Vec<Reading<'_>>> = Vec::new();
    let mut places = HashMap::new();
    for rows in groups {
        let axes = axes(&rows);
        let varying: Vec<&str> = axes.iter().filter(|a| distinct(&rows, a) > 1).copied().collect();
        let cell = &rows[0].record.cell;
        if cell.role != Role::Subject || ladder(&rows, &varying).is_some() {
            out.push(rows);
            continue;
        }
        let key = (cell.suite.clone(), cell.family(), cell.headline, axes);
        let place = *places.entry(key).or_insert(out.len());
        if place == out.len() {
            out.push(Vec::new());
        }
        out[place].extend(rows);
    }
    out
}

fn section<'r>(mut rows: Vec<Reading<'r>>, run: &'r Run) -> Section<'r> {
    let first = &rows[0].record.cell;
    let benchmarks = appearance(rows.iter().map(|r| r.record.cell.benchmark.as_str()));
    let axes = axes(&rows);
    let varying: Vec<&str> = axes.iter().filter(|a| distinct(&rows, a) > 1).copied().collect();
    let ladder = if benchmarks.len() == 1 { ladder(&rows, &varying) } else { None };
    let follows = |axis: &str| {
        ladder.is_some_and(|l| rows.iter().all(|r| r.record.cell.point.value(axis) == r.record.cell.point.value(l)))
    };
    let others: Vec<&str> =
        varying.into_iter().filter(|a| !counts_participants(a) && Some(*a) != ladder && !follows(a)).collect();
    let providers = Variation::of(count_distinct(rows.iter().map(|r| r.record.cell.provider.as_str())));
    let participant_counts = Variation::of(count_distinct(rows.iter().map(Reading::participants)));
    let formulas = count_distinct(rows.iter().map(|r| r.record.cell.formula.as_str()));
    let section = Section {
        benchmarks,
        suite: &first.suite,
        family: first.family(),
        role: first.role,
        formula: if formulas == 1 { &first.formula } else { "" },
        combine: (count_distinct(rows.iter().map(|r| r.record.cell.combine)) == 1).then_some(first.combine),
        quantity: first.headline,
        scale: scale(&rows),
        levels: levels(&rows, ladder, &run.header.machine.identity),
        ladder,
        axes: others,
        fixed: fixed(&rows, &axes, providers, participant_counts),
        providers,
        participants: Participants::of(first),
        participant_counts,
        secondary: secondary_metrics(&rows),
        rows: Vec::new(),
    };
    order(&mut rows, &section);
    Section { rows, ..section }
}

/// The distinct items, in order of appearance.
fn appearance<'r>(items: impl Iterator<Item = &'r str>) -> Vec<&'r str> {
    let mut seen = HashSet::new();
    items.filter(|item| seen.insert(*item)).collect()
}

/// Every axis that some row has, in order of appearance.
fn axes<'r>(rows: &[Reading<'r>]) -> Vec<&'r str> {
    appearance(rows.iter().flat_map(|row| row.record.cell.point.iter().map(|(axis, _)| axis)))
}

fn count_distinct<T: Eq + Hash>(items: impl Iterator<Item = T>) -> usize {
    items.collect::<HashSet<_>>().len()
}

fn distinct(rows: &[Reading<'_>], axis: &str) -> usize {
    let exact = |value: &AxisValue| match value {
        AxisValue::Int(v) => (Some(*v), None, None),
        AxisValue::Float(v) => (None, Some(v.to_bits()), None),
        AxisValue::Text(word) => (None, None, Some(word.clone())),
    };
    let mut seen = HashSet::new();
    // Values that are written alike are alike; each is written once.
    let values = rows.iter().map(|row| row.record.cell.point.value(axis));
    let first_of_each = values.filter(|value| seen.insert(value.map(exact)));
    count_distinct(first_of_each.map(|value| value.map(ToString::to_string)))
}

/// The axis that PAW's files call the size, else the numeric axis with the most values.
fn ladder<'r>(rows: &[Reading<'r>], varying: &[&'r str]) -> Option<&'r str> {
    let numeric =
        |axis: &&&str| !counts_participants(axis) && rows.iter().all(|r| r.record.cell.point.float(axis).is_some());
    let named = rows[0].record.cell.dat.as_ref().map(|d| d.size.as_str());
    let candidates: Vec<&str> = varying.iter().filter(numeric).copied().collect();
    let named = candidates.iter().copied().find(|a| Some(*a) == named);
    named.or_else(|| candidates.into_iter().rev().max_by_key(|a| distinct(rows, a)))
}

fn fixed<'r>(
    rows: &[Reading<'r>],
    axes: &[&'r str],
    providers: Variation,
    participant_counts: Variation,
) -> Vec<(&'r str, String)> {
    let cell = &rows[0].record.cell;
    let provider = (providers == Variation::Same).then(|| ("provider", cell.provider.to_string()));
    let count = rows[0]
        .participants()
        .filter(|_| participant_counts == Variation::Same)
        .map(|n| (Participants::of(cell).word(), n.to_string()));
    let rest = axes.iter().filter(|a| !counts_participants(a) && distinct(rows, a) == 1);
    let rest = rest.filter(|a| cell.point.value(a).is_some()).map(|a| (step::name(cell, a), step::text(cell, a)));
    provider.into_iter().chain(count).chain(rest).collect()
}

fn scale(rows: &[Reading<'_>]) -> Option<Scale> {
    let family = rows[0].record.cell.family();
    if family.is_some_and(|family| family.is_of_ranks() || family == Family::Devices) {
        return Scale::between(rows.iter().filter_map(|r| r.value).map(|v| v.middle), rows[0].quantity());
    }
    let values = rows.iter().filter_map(|r| r.value).map(|v| v.middle.abs()).filter(|v| v.is_finite() && *v > 0.0);
    let (low, high) = values.fold((f64::INFINITY, 0.0), |(low, high), v| (v.min(low), v.max(high)));
    (high > 0.0 && high / low < ONE_SCALE_SPANS).then(|| Scale::of(high, rows[0].quantity()))
}

fn order(rows: &mut [Reading<'_>], section: &Section<'_>) {
    let providers: Vec<String> =
        appearance(rows.iter().map(|r| r.record.cell.provider.as_str())).into_iter().map(str::to_owned).collect();
    rows.order_by_key(|row| {
        let cell = &row.record.cell;
        let benchmark = section.benchmarks.iter().position(|b| *b == cell.benchmark);
        let step = section.ladder.and_then(|l| cell.point.float(l)).unwrap_or(0.0);
        let rest: Vec<String> = section.axes.iter().map(|a| section.at(row, a)).collect();
        let provider = providers.iter().position(|p| *p == cell.provider);
        // The bits of non-negative floats are ordered as the floats are.
        (benchmark, step.max(0.0).to_bits(), rest, row.participants(), provider)
    });
}
