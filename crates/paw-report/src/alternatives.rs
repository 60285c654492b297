//! Alternatives that did the same work in the same rounds, each paired with the first: providers, or the values of an axis.

use std::collections::HashMap;

use paw_data::cell::Cell;
use paw_data::comparison::{CONFIDENCE, Comparison, MARGIN, Origin};
use paw_data::headline::AlternativesAxis;
use paw_data::parts::{self, ITEMS_A_THREAD};
use paw_stats::comparison::bonferroni;

use crate::pairs::Pair;
use crate::reading::Reading;
use crate::section::{Section, Variation};

/// The alternatives of a section, each paired with the first.
#[derive(Debug, Clone)]
pub struct Alternatives<'r> {
    /// The base of all comparisons: the alternative that was named first.
    pub base: &'r str,
    /// A cell of the base, and the cell of another one at the same point.
    pub pairs: Vec<Pair<'r>>,
}

/// The property in which alternatives differ.
#[derive(Debug, Clone, Copy)]
enum Distinction<'r> {
    Provider,
    /// An axis that the benchmark states.
    Axis(&'r AlternativesAxis),
}

impl Distinction<'_> {
    fn name<'r>(self, reading: &Reading<'r>) -> &'r str {
        match self {
            Distinction::Provider => &reading.record.cell.provider,
            Distinction::Axis(own) => reading.record.cell.point.text(&own.axis).unwrap_or_default(),
        }
    }

    /// Whether two cells agree in everything but this property.
    fn alone(self, a: &Cell, b: &Cell) -> bool {
        let rest = |cell: &Cell| -> Vec<_> {
            let axes = cell.point.iter().map(|(axis, value)| (axis.to_owned(), value.to_string()));
            axes.filter(|(axis, _)| !matches!(self, Distinction::Axis(own) if own.axis == *axis)).collect()
        };
        rest(a) == rest(b) && (matches!(self, Distinction::Provider) || a.provider == b.provider)
    }
}

/// The alternatives of `section` against the first of them; `None` with fewer than two.
pub fn alternatives<'r>(section: &Section<'r>) -> Option<Alternatives<'r>> {
    let stated = stated(section);
    let apart = match section.providers {
        Variation::Differs => Distinction::Provider,
        Variation::Same => Distinction::Axis(stated.as_ref()?),
    };
    // Rounds are shuffled, so that ids do not order the values of an axis.
    let is_base = |r: &Reading<'r>| matches!(apart, Distinction::Axis(own) if apart.name(r) == own.base);
    let base = apart.name(section.rows.iter().min_by_key(|r| (!is_base(r), r.record.cell.id))?);
    let groups = groups(section);
    let pairs = parts::each(&section.rows, ITEMS_A_THREAD, |other| against(&groups, apart, base, other));
    let pairs: Vec<Pair<'r>> = pairs.into_iter().flatten().collect();
    (!pairs.is_empty()).then_some(Alternatives { base, pairs })
}

/// The rows of each benchmark and group that have a value, in order: to look through all rows for each of them would take a minute where
/// they are a hundred thousand.
type Groups<'s, 'r> = HashMap<(&'r str, u32), Vec<&'s Reading<'r>>>;

fn groups<'s, 'r>(section: &'s Section<'r>) -> Groups<'s, 'r> {
    let mut groups = Groups::new();
    for reading in section.rows.iter().filter(|reading| reading.value.is_some()) {
        let cell = &reading.record.cell;
        groups.entry((&cell.benchmark, cell.group)).or_default().push(reading);
    }
    groups
}

/// The varying axis whose values do the same work, as the section's benchmark states it.
fn stated(section: &Section<'_>) -> Option<AlternativesAxis> {
    let own = section.rows.first()?.record.cell.report_place()?.alternatives?;
    section.axes.contains(&own.axis.as_str()).then_some(own)
}

fn against<'r>(groups: &Groups<'_, 'r>, apart: Distinction<'_>, base: &str, other: &Reading<'r>) -> Option<Pair<'r>> {
    let own = &other.record.cell;
    if apart.name(other) == base || other.value.is_none() {
        return None;
    }
    let beside = groups.get(&(own.benchmark.as_str(), own.group))?;
    let here: Vec<&Reading<'r>> = beside.iter().filter(|r| apart.alone(&r.record.cell, own)).copied().collect();
    let first = here.iter().find(|r| apart.name(r) == base)?;
    let confidence = bonferroni(CONFIDENCE, here.len());
    let comparison = Comparison::within(first.record, other.record, Origin::SameRun, confidence, MARGIN)?;
    Some(Pair { a: (*first).clone(), b: other.clone(), comparison: Some(comparison) })
}

#[cfg(test)]
mod tests {
    use paw_data::method::{Estimator, Method, Plan};
    use paw_data::point::Point;
    use paw_data::quantity::Quantity;
    use paw_data::run::{Header, Record, Run};
    use paw_data::sample::Sample;

    use super::*;
    use crate::section::sections;

    /// Two providers in each of `count` groups.
    fn run(count: u32) -> Run {
        let plan = Plan::new(Method::without_series("adaptive", Estimator::Median), 1, None);
        let mut run = Run::new(Header::bare("r".to_owned(), "paw".to_owned(), plan));
        for id in 0..2 * count {
            let point = Point::new().with("n", i64::from(id / 2));
            let provider = if id % 2 == 0 { "embedded" } else { "openblas" };
            let cell = Cell { id, group: id / 2, ..Cell::new("blas", "dgemm", provider, Quantity::Time, point) };
            let mut record = Record::new(cell);
            for round in 0..8 {
                record.samples.push(Sample { round, loops: 1, elapsed_s: 1.0 + f64::from(round), ..Sample::default() });
            }
            run.records.push(record);
        }
        run
    }

    #[test]
    fn a_cell_is_set_beside_the_cells_of_its_group_alone() {
        for count in [50, 100] {
            let run = run(count);
            let section = &sections(&run)[0];
            let groups = groups(section);
            let beside = |r: &Reading<'_>| groups[&(r.record.cell.benchmark.as_str(), r.record.cell.group)].len();
            assert_eq!(section.rows.iter().map(beside).sum::<usize>(), 4 * count as usize);
            assert_eq!(alternatives(section).map(|found| found.pairs.len()), Some(count as usize));
        }
    }
}
