//! Alternatives that did the same work in the same rounds, each paired with the first: providers, or the values of an axis.

use paw_data::cell::Cell;
use paw_data::comparison::{CONFIDENCE, Comparison, MARGIN, Origin};
use paw_data::headline::AlternativesAxis;
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
    let pairs: Vec<Pair<'r>> = section.rows.iter().filter_map(|other| against(section, apart, base, other)).collect();
    (!pairs.is_empty()).then_some(Alternatives { base, pairs })
}

/// The varying axis whose values do the same work, as the section's benchmark states it.
fn stated(section: &Section<'_>) -> Option<AlternativesAxis> {
    let own = section.rows.first()?.record.cell.report_place()?.alternatives?;
    section.axes.contains(&own.axis.as_str()).then_some(own)
}

fn against<'r>(section: &Section<'r>, apart: Distinction<'_>, base: &str, other: &Reading<'r>) -> Option<Pair<'r>> {
    let beside = |r: &&Reading<'r>| {
        let (a, b) = (&r.record.cell, &other.record.cell);
        a.benchmark == b.benchmark && a.group == b.group && apart.alone(a, b) && r.value.is_some()
    };
    let here: Vec<&Reading<'r>> = section.rows.iter().filter(beside).collect();
    if apart.name(other) == base || other.value.is_none() {
        return None;
    }
    let first = here.iter().find(|r| apart.name(r) == base)?;
    let confidence = bonferroni(CONFIDENCE, here.len());
    let comparison = Comparison::within(first.record, other.record, Origin::SameRun, confidence, MARGIN)?;
    Some(Pair { a: (*first).clone(), b: other.clone(), comparison: Some(comparison) })
}
