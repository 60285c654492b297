//! Providers that did the same work in the same rounds, each against the first of them.

use paw_data::comparison::{Comparison, MARGIN, Origin};
use paw_data::summary::CONFIDENCE;
use paw_stats::comparison::bonferroni;

use crate::pairs::Pair;
use crate::reading::Reading;
use crate::section::{Section, Spread};

/// The providers of a section against the first of them.
#[derive(Debug, Clone)]
pub struct Alternatives<'r> {
    /// The provider all others are held against: the one that was named first.
    pub base: &'r str,
    /// A cell of the base, and the cell of another provider at the same point.
    pub pairs: Vec<Pair<'r>>,
}

/// The providers of `section` against the first of them; `None` where there is one provider, or nothing to compare.
pub fn alternatives<'r>(section: &Section<'r>) -> Option<Alternatives<'r>> {
    if section.providers == Spread::Same {
        return None;
    }
    let base = section.rows.iter().min_by_key(|r| r.record.cell.id)?.record.cell.provider.as_str();
    let pairs: Vec<Pair<'r>> = section.rows.iter().filter_map(|other| against(section, base, other)).collect();
    (!pairs.is_empty()).then_some(Alternatives { base, pairs })
}

fn against<'r>(section: &Section<'r>, base: &str, other: &Reading<'r>) -> Option<Pair<'r>> {
    let beside = |r: &&Reading<'r>| {
        let (a, b) = (&r.record.cell, &other.record.cell);
        a.benchmark == b.benchmark && a.group == b.group && a.point == b.point && r.value.is_some()
    };
    let here: Vec<&Reading<'r>> = section.rows.iter().filter(beside).collect();
    if other.record.cell.provider == base || other.value.is_none() {
        return None;
    }
    let first = here.iter().find(|r| r.record.cell.provider == base)?;
    let confidence = bonferroni(CONFIDENCE, here.len());
    let comparison = Comparison::within(first.record, other.record, Origin::SameRun, confidence, MARGIN)?;
    Some(Pair { a: (*first).clone(), b: other.clone(), comparison: Some(comparison) })
}
