//! How much of a reference measured in the same rounds a cell reaches.

use std::collections::BTreeMap;

use paw_stats::comparison;
use paw_stats::quantile;

use crate::axis;
use crate::cell::Role;
use crate::point::{AxisValue, Point};
use crate::quantity::Quantity;
use crate::rounds::Rounds;
use crate::run::{Record, Run};
use crate::summary::{CONFIDENCE, times_s};

/// How much of a reference a cell reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// What the reference is: the peak or the bandwidth.
    pub role: Role,
    /// The cell's rate ÷ the reference's rate: 0.92 is 92 %.
    pub value: f64,
    /// The lower end of the 95 % interval over rounds; `None` for fewer than six complete rounds.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// The references of a run, by group.
#[derive(Debug, Clone)]
pub struct References<'run>(BTreeMap<u32, Vec<&'run Record>>);

impl<'run> References<'run> {
    /// Finds the references of `run`: once, for all its records.
    pub fn of(run: &'run Run) -> Self {
        let mut groups: BTreeMap<u32, Vec<&Record>> = BTreeMap::new();
        for record in run.records.iter().filter(|r| matches!(r.cell.role, Role::Peak | Role::Bandwidth)) {
            groups.entry(record.cell.group).or_default().push(record);
        }
        Self(groups)
    }

    /// The share of the reference that lies nearest above `record`: of those in its group with the same threads (and no word
    /// on an axis that contradicts), the one of which it reaches most. `None` for a reference itself, and where there is none.
    ///
    /// Operations are set against the peak and bytes against the bandwidth. The value is the median over complete rounds of
    /// the rounds' own shares; with no complete round it is the share of the medians.
    pub fn share(&self, record: &Record) -> Option<Share> {
        if record.cell.role != Role::Subject {
            return None;
        }
        let group = self.0.get(&record.cell.group)?;
        let best = [Role::Peak, Role::Bandwidth].map(|role| {
            let own: Vec<_> = group.iter().filter(|r| r.cell.role == role && belongs(record, r)).collect();
            let nearest = own.iter().map(|r| distance(record, r)).fold(f64::INFINITY, f64::min);
            let references = own.into_iter().filter(|r| distance(record, r) <= nearest);
            // The fastest reference is the roof: of several ways to reach it the others were just worse.
            references.filter_map(|reference| of(record, reference)).min_by(|a, b| a.value.total_cmp(&b.value))
        });
        best.into_iter().flatten().max_by(|a, b| nearness(a.value).total_cmp(&nearness(b.value)))
    }
}

/// How far the footprint of a bandwidth lies from the record's, as a logarithm: a matrix in memory is not held against a
/// cache. A peak has no footprint.
fn distance(record: &Record, reference: &Record) -> f64 {
    let (own, other) = (record.cell.work.bytes, reference.cell.work.bytes);
    if reference.cell.role == Role::Bandwidth && own > 0.0 && other > 0.0 { (other / own).ln().abs() } else { 0.0 }
}

/// Above this a reference is no roof: operands in a cache pass the memory's bandwidth by far. Up to it the excess is the
/// uncertainty of both measurements.
const NO_ROOF: f64 = 1.2;

/// Largest for the roof that a share comes closest to from below; of those it passes, for the one it passes least.
fn nearness(share: f64) -> f64 {
    if share > NO_ROOF { -share } else { share }
}

/// The share of one record; for all records of a run see [`References`].
pub fn share(run: &Run, record: &Record) -> Option<Share> {
    References::of(run).share(record)
}

/// The share of `reference`, by the quantity its role stands for; `None` where either does no such work.
fn of(record: &Record, reference: &Record) -> Option<Share> {
    let role = reference.cell.role;
    let quantity = match role {
        Role::Peak => Quantity::Flops,
        Role::Bandwidth => Quantity::Bytes,
        Role::Subject | Role::Base => return None,
    };
    let works = record.cell.work.amount(quantity) / reference.cell.work.amount(quantity);
    if !(works > 0.0 && works.is_finite()) {
        return None;
    }
    // Time of the reference ÷ time of the cell, times the ratio of what they do: a ratio of rates.
    let rounds = Rounds::of(&record.samples, &reference.samples);
    if let Some(ratio) = comparison::paired(&rounds.a_s, &rounds.b_s, CONFIDENCE) {
        let ends = ratio.interval.map(|i| (works * i.low, works * i.high));
        return Some(Share { role, value: works * ratio.value, low: ends.map(|e| e.0), high: ends.map(|e| e.1) });
    }
    let median = |record: &Record| quantile::median(&times_s(&record.samples).0).filter(|t| *t > 0.0);
    let value = works * median(reference)? / median(record)?;
    Some(Share { role, value, low: None, high: None })
}

fn belongs(record: &Record, reference: &Record) -> bool {
    let (subject, other) = (&record.cell.point, &reference.cell.point);
    subject.value(axis::THREADS) == other.value(axis::THREADS) && !contradict(subject, other)
}

/// Whether both points have a word on the same axis, and not the same one: an f32 peak is no reference for f64.
fn contradict(a: &Point, b: &Point) -> bool {
    let differs = |axis: &str, word: &AxisValue| b.value(axis).is_some_and(|other| other != word);
    a.iter().any(|(axis, value)| matches!(value, AxisValue::Text(_)) && differs(axis, value))
}
