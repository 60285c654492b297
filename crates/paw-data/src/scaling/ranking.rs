//! Alternatives that ran in the same rounds at one size, in order: commands, and the values of axes that do not change the work.

use paw_sort::OrderBy;
use paw_stats::comparison::bonferroni;
use paw_stats::ties;

use crate::application::{Application, Reference};
use crate::axis::{COPIES, THREADS};
use crate::cell::Cell;
use crate::comparison::{CONFIDENCE, Comparison, MARGIN, Origin};
use crate::point::Point;
use crate::run::{Record, Run};
use crate::scaling::axes;
use crate::scaling::timing::RunTiming;
use crate::scaling::yardstick::Yardstick;

/// Most alternatives that get letters: each is compared with each for them.
const LETTERED: usize = 64;

/// The alternatives at one size and width.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking<'run> {
    /// The values of the ladders, threads and copies.
    pub place: Point,
    /// Those that have a number, the best first: by the median, unless a comparison says that another is faster than it.
    pub rows: Vec<RankedRow<'run>>,
    /// The confidence of each comparison, so that all of the run hold together at that of a verdict.
    pub confidence: f64,
    yardstick: Yardstick<'run>,
}

/// One alternative.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedRow<'run> {
    /// What it differs from the others in: the name of its command, the values of its axes, or both.
    pub name: String,
    /// Its cell.
    pub record: &'run Record,
    /// Its runs.
    pub timing: RunTiming<'run>,
    /// Letters: those that share one are not shown to differ. Empty where nothing is known of it.
    pub letters: String,
    /// The alternative that it is held against, by its name; `None` for that itself, and where it has no time.
    pub against: Option<String>,
    /// Its time, or cost by another yardstick, ÷ that of the alternative it is held against.
    pub comparison: Option<Comparison>,
}

impl<'run> Ranking<'run> {
    /// Instances that run at once.
    pub fn copies(&self) -> u32 {
        self.rows.first().map_or(1, |row| axes::copies(&row.record.cell))
    }

    /// The median cost of the best.
    pub(super) fn lowest(&self) -> f64 {
        self.rows.first().map_or(f64::INFINITY, |row| row.timing.cost.median)
    }

    /// Each but the fastest, with its time ÷ that of the fastest.
    pub fn behind(&self) -> impl Iterator<Item = (&RankedRow<'run>, Option<Comparison>)> {
        let first = self.rows.first().map(|row| row.record);
        self.rows.iter().skip(1).map(move |row| (row, self.compared(first, row.record)))
    }

    fn compared(&self, a: Option<&Record>, b: &Record) -> Option<Comparison> {
        Comparison::within(&self.yardstick.seen(a?), &self.yardstick.seen(b), Origin::SameRun, self.confidence, MARGIN)
    }

    /// Puts the fastest first, names what each is held against, and gives letters.
    fn finish(&mut self, app: &Application) {
        self.rows.order_by(|a, b| a.timing.cost.median.total_cmp(&b.timing.cost.median));
        for _ in 1..self.rows.len() {
            let faster = |found: Option<Comparison>| found.is_some_and(|c| c.verdict.is_claim() && c.ratio < 1.0);
            let Some(at) = self.behind().position(|(_, found)| faster(found)) else { break };
            let better = self.rows.remove(at + 1);
            self.rows.insert(0, better);
        }
        let held: Vec<_> = self.rows.iter().map(|row| self.reference(app, row)).collect();
        for (row, held) in self.rows.iter_mut().zip(held) {
            (row.against, row.comparison) = held.unzip();
        }
        self.letter();
    }

    /// What a row is held against, and the comparison; `None` for a reference itself, and where it has no time.
    fn reference(&self, app: &Application, row: &RankedRow<'run>) -> Option<(String, Comparison)> {
        let is_wanted = |cell: &Cell| match &app.against {
            None => true,
            Some(Reference::Command(name)) => cell.provider == *name,
            Some(Reference::Value { axis, value }) => {
                cell.provider == row.record.cell.provider && cell.point.value(axis) == Some(value)
            }
        };
        let own = match &app.against {
            Some(Reference::Value { axis, .. }) => Some(axis),
            _ => None,
        };
        // A command without an axis is the reference for all its values.
        let differs = |other: &Cell| {
            let of = |axis| (other.point.value(axis), row.record.cell.point.value(axis));
            let common = app.alternatives.iter().filter(|axis| Some(*axis) != own);
            common.map(|axis| of(axis)).any(|values| matches!(values, (Some(a), Some(b)) if a != b))
        };
        let found = match app.against {
            None => self.rows.first(),
            Some(_) => self.rows.iter().find(|other| is_wanted(&other.record.cell) && !differs(&other.record.cell)),
        }?;
        if is_wanted(&row.record.cell) && app.against.is_some() || std::ptr::eq(found.record, row.record) {
            return None;
        }
        Some((found.name.clone(), self.compared(Some(found.record), row.record)?))
    }

    /// Gives a common letter to those that no comparison separates; none where some pair has no interval yet.
    fn letter(&mut self) {
        let count = self.rows.len();
        if count > LETTERED {
            return;
        }
        let mut apart = Vec::new();
        for fast in 0..count {
            for slow in fast + 1..count {
                let found = self.compared(Some(self.rows[fast].record), self.rows[slow].record);
                let Some(found) = found.filter(|found| found.interval.is_some()) else { return };
                if found.verdict.is_claim() {
                    apart.push((fast, slow));
                }
            }
        }
        let order: Vec<usize> = (0..count).collect();
        for (row, letters) in self.rows.iter_mut().zip(ties::letters(&order, &apart)) {
            row.letters = letters;
        }
    }
}

/// The alternatives of `run` at each size and width that has several, in order.
pub(super) fn rankings<'run>(run: &'run Run, app: &'run Application, yardstick: Yardstick<'run>) -> Vec<Ranking<'run>> {
    let rule = &run.header.plan.method.ending;
    let mut found: Vec<(Point, Vec<&'run Record>)> = Vec::new();
    for record in axes::subjects(run) {
        let place = place(&record.cell, app);
        match found.iter_mut().find(|(known, _)| *known == place) {
            Some((_, records)) => records.push(record),
            None => found.push((place, vec![record])),
        }
    }
    join(&mut found);
    found.retain(|(_, records)| records.len() > 1);
    found.order_by(|(a, _), (b, _)| axes::order(a, b, &app.axes).then_with(|| width(a).cmp(&width(b))));
    // All of them are compared at once.
    let comparisons: usize = found.iter().map(|(_, records)| records.len() - 1).sum();
    let confidence = bonferroni(CONFIDENCE, comparisons + 1);
    let ranking = |(place, records): (Point, Vec<&'run Record>)| {
        let names = names(&records, app);
        let row = |(record, name): (&'run Record, String)| {
            let timing = RunTiming::of(record, rule, yardstick)?;
            Some(RankedRow { name, record, timing, letters: String::new(), against: None, comparison: None })
        };
        let rows = records.into_iter().zip(names).filter_map(row).collect();
        let mut found = Ranking { place, rows, confidence, yardstick };
        found.finish(app);
        found
    };
    found.into_iter().map(ranking).collect()
}

/// Adds what was told no number of threads to the alternatives at every number of its size.
fn join(found: &mut Vec<(Point, Vec<&Record>)>) {
    let told: Vec<Point> =
        found.iter().map(|(place, _)| place).filter(|place| place.int(THREADS).is_some()).cloned().collect();
    let (mut own, rest): (Vec<_>, Vec<_>) =
        std::mem::take(found).into_iter().partition(|(place, _)| place.int(THREADS).is_some());
    for (place, records) in rest {
        let is_wider = |wide: &Point| {
            place.iter().all(|(axis, value)| wide.value(axis) == Some(value))
                && wide.iter().count() == place.iter().count() + 1
        };
        if !told.iter().any(is_wider) {
            own.push((place, records));
            continue;
        }
        own.iter_mut().filter(|(wide, _)| is_wider(wide)).for_each(|(_, there)| there.extend(&records));
    }
    *found = own;
}

/// The point of a cell without the axes of alternatives.
fn place(cell: &Cell, app: &Application) -> Point {
    let mut place = Point::new();
    let kept = cell.point.iter().filter(|(axis, _)| !app.alternatives.iter().any(|own| own == axis));
    kept.for_each(|(axis, value)| place.set(axis, value.clone()));
    place
}

fn width(place: &Point) -> (Option<i64>, Option<i64>) {
    (place.int(THREADS), place.int(COPIES))
}

/// What each record differs from the others in.
fn names(records: &[&Record], app: &Application) -> Vec<String> {
    let several = records.iter().any(|record| record.cell.provider != records[0].cell.provider);
    let varies = |axis: &&String| {
        let of = |record: &&Record| record.cell.point.value(axis).map(ToString::to_string);
        records.iter().any(|record| of(record) != of(&records[0]))
    };
    let axes: Vec<&String> = app.alternatives.iter().filter(varies).collect();
    let name = |record: &&Record| {
        let values = axes.iter().filter_map(|axis| Some(format!("{axis}={}", record.cell.point.value(axis)?)));
        let command = several.then(|| record.cell.provider.to_string());
        command.into_iter().chain(values).collect::<Vec<_>>().join(" ")
    };
    records.iter().map(name).collect()
}
