//! Alternatives that did the same work in the same rounds, each paired with the first: providers, or the two directions of a message.

use paw_data::cell::Cell;
use paw_data::comparison::{Comparison, MARGIN, Origin};
use paw_data::summary::CONFIDENCE;
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

/// The one thing in which alternatives differ.
#[derive(Debug, Clone, Copy)]
enum Distinction {
    Provider,
    Axis(&'static str),
}

/// The axis of message direction, from the first half of the ranks to the second or back: both values do the same work.
const DIRECTION: &str = "direction";

impl Distinction {
    fn name<'r>(self, reading: &Reading<'r>) -> &'r str {
        match self {
            Distinction::Provider => &reading.record.cell.provider,
            Distinction::Axis(axis) => reading.record.cell.point.text(axis).unwrap_or_default(),
        }
    }

    /// Whether two cells differ in nothing else.
    fn alone(self, a: &Cell, b: &Cell) -> bool {
        let rest = |cell: &Cell| -> Vec<_> {
            let axes = cell.point.iter().map(|(axis, value)| (axis.to_owned(), value.to_string()));
            axes.filter(|(axis, _)| !matches!(self, Distinction::Axis(own) if own == axis)).collect()
        };
        rest(a) == rest(b) && (matches!(self, Distinction::Provider) || a.provider == b.provider)
    }
}

/// The alternatives of `section` against the first of them; `None` where there is one, or nothing to compare.
pub fn alternatives<'r>(section: &Section<'r>) -> Option<Alternatives<'r>> {
    let apart = match section.providers {
        Variation::Differs => Distinction::Provider,
        Variation::Same if section.axes.contains(&DIRECTION) => Distinction::Axis(DIRECTION),
        Variation::Same => return None,
    };
    // Rounds are shuffled, so ids do not order directions: `forward` is the base.
    let first = |r: &&Reading<'r>| (apart.name(r) != "forward", r.record.cell.id);
    let base = apart.name(section.rows.iter().min_by_key(first)?);
    let pairs: Vec<Pair<'r>> = section.rows.iter().filter_map(|other| against(section, apart, base, other)).collect();
    (!pairs.is_empty()).then_some(Alternatives { base, pairs })
}

fn against<'r>(section: &Section<'r>, apart: Distinction, base: &str, other: &Reading<'r>) -> Option<Pair<'r>> {
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
