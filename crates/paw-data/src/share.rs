//! How much of a reference measured in the same rounds a cell reaches.

use std::collections::BTreeMap;

use paw_sort::OrderBy;
use paw_stats::comparison;
use paw_stats::quantile;

use crate::axis;
use crate::cell::Role;
use crate::point::{AxisValue, Point};
use crate::quantity::Quantity;
use crate::rounds::Rounds;
use crate::run::{Record, Run};
use crate::summary::{Basis, CONFIDENCE, basis, times_s};

/// How much of a reference a cell reaches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The kind of reference: peak or bandwidth.
    pub role: Role,
    /// The cell of the reference.
    pub reference: u32,
    /// The cell's rate ÷ the reference's rate: 0.92 is 92 %.
    pub value: f64,
    /// The lower end of the 95 % interval over rounds; `None` for fewer than six complete rounds.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// The references of a run and the cells compared with them.
#[derive(Debug, Clone)]
pub struct References<'run> {
    groups: BTreeMap<u32, ReferenceGroup<'run>>,
    /// Of each loop that measures a peak, by its threads, the middle one of its records that can be believed.
    peaks: Peaks<'run>,
}

/// The benchmark of a peak, and its point without the threads.
type PeakLoop = (String, String);
/// Peaks by their loop and their threads.
type Peaks<'run> = BTreeMap<PeakLoop, BTreeMap<i64, Peak<'run>>>;

/// A floating-point peak and what each of its threads reaches.
#[derive(Debug, Clone, Copy)]
struct Peak<'run> {
    record: &'run Record,
    threads: i64,
    /// Operations a second.
    rate_of_a_thread: f64,
}

impl<'run> Peak<'run> {
    fn of(record: &'run Record) -> Option<Self> {
        let threads = record.cell.point.int(axis::THREADS).filter(|threads| *threads > 0)?;
        let rate = record.cell.work.amount(Quantity::Flops) / median_s(record)?;
        Some(Self { record, threads, rate_of_a_thread: rate / threads as f64 })
    }

    fn peak_loop(&self) -> PeakLoop {
        let cell = &self.record.cell;
        let words = cell.point.iter().filter(|(axis, _)| *axis != axis::THREADS);
        (cell.benchmark.to_string(), words.map(|(axis, value)| format!("{axis}={value} ")).collect())
    }

    /// The middle one by its rate.
    fn middle(mut peaks: Vec<Self>) -> Option<Self> {
        peaks.order_by(|a, b| a.rate_of_a_thread.total_cmp(&b.rate_of_a_thread));
        peaks.get(peaks.len().saturating_sub(1) / 2).copied()
    }
}

#[derive(Debug, Clone, Default)]
struct ReferenceGroup<'run> {
    /// Those that can be upper bounds.
    references: Vec<&'run Record>,
    /// With the least seconds of an iteration.
    subjects: Vec<(&'run Record, f64)>,
}

impl<'run> References<'run> {
    /// Finds the references of `run`: once, for all its records.
    pub fn of(run: &'run Run) -> Self {
        let mut groups: BTreeMap<u32, ReferenceGroup<'_>> = BTreeMap::new();
        for record in &run.records {
            let group = groups.entry(record.cell.group).or_default();
            match record.cell.role {
                Role::Peak | Role::Bandwidth => group.references.push(record),
                Role::Subject => group.subjects.push((record, least_s(record))),
                Role::Base => {}
            }
        }
        groups.values_mut().for_each(|group| group.references.retain(|reference| is_clean(reference)));
        let mut alike: BTreeMap<PeakLoop, BTreeMap<i64, Vec<Peak<'_>>>> = BTreeMap::new();
        let references = groups.values().flat_map(|group| &group.references).copied();
        for peak in references.filter(|r| r.cell.role == Role::Peak).filter_map(Peak::of) {
            alike.entry(peak.peak_loop()).or_default().entry(peak.threads).or_default().push(peak);
        }
        let middle = |by_threads: BTreeMap<i64, Vec<Peak<'run>>>| {
            by_threads.into_iter().filter_map(|(threads, peaks)| Some((threads, Peak::middle(peaks)?))).collect()
        };
        let peaks = alike.into_iter().map(|(peak_loop, by_threads)| (peak_loop, middle(by_threads))).collect();
        groups.values_mut().for_each(|group| group.references.retain(|r| outgrown(&peaks, r).is_none()));
        Self { groups, peaks }
    }

    /// The share of the reference that lies nearest above `record`: of those in its group with the same threads (and no word
    /// on an axis that contradicts), the one of which it reaches most. `None` for a reference itself, and where there is none that
    /// was clean and can be an upper bound: see [`References::passed`] and [`References::outgrown`].
    ///
    /// Operations are set against the peak and bytes against the bandwidth. The value is the median over complete rounds of
    /// the rounds' own shares; with no complete round it is the share of the medians.
    pub fn share(&self, record: &Record) -> Option<Share> {
        if record.cell.role != Role::Subject {
            return None;
        }
        let group = self.groups.get(&record.cell.group)?;
        let best = [Role::Peak, Role::Bandwidth].map(|role| {
            let own: Vec<_> = group.references.iter().filter(|r| r.cell.role == role && belongs(record, r)).collect();
            let nearest = own.iter().map(|r| distance(record, r)).fold(f64::INFINITY, f64::min);
            let references = own.into_iter().filter(|r| distance(record, r) <= nearest);
            // The fastest reference is the roof: of several ways to reach it the others were just worse.
            references.filter_map(|reference| of(record, reference)).min_by(|a, b| a.value.total_cmp(&b.value))
        });
        best.into_iter().flatten().filter(|s| s.value <= UPPER_BOUND).max_by(|a, b| a.value.total_cmp(&b.value))
    }

    /// The cell of the group with the largest share of `reference`, and the share, if the share exceeds 1 by more than measuring
    /// errors: `reference` is then no upper bound for such cells.
    pub fn passed(&self, reference: &Record) -> Option<(f64, &'run Record)> {
        if !matches!(reference.cell.role, Role::Peak | Role::Bandwidth) {
            return None;
        }
        let group = self.groups.get(&reference.cell.group)?;
        let greatest_s = reference.samples.per_loop_s().into_iter().fold(0.0, f64::max);
        // No median of ratios is above the largest of them: most subjects need no closer look.
        let may_pass = |subject: &Record, least_s: f64| {
            works(subject, reference).is_some_and(|works| works * greatest_s / least_s > UPPER_BOUND)
        };
        let own = group.subjects.iter().filter(|(subject, least_s)| may_pass(subject, *least_s));
        let own = own.map(|(subject, _)| *subject).filter(|subject| belongs(subject, reference));
        let shares = own.filter_map(|subject| Some((of(subject, reference)?.value, subject)));
        shares.filter(|(share, _)| *share > UPPER_BOUND).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// The same peak on more threads of which each reaches more than a thread of `reference` by more than measuring errors, and how
    /// many times as much (the middle one of those peaks): a thread gains nothing from others, so something held `reference` back.
    pub fn outgrown(&self, reference: &Record) -> Option<(f64, &'run Record)> {
        outgrown(&self.peaks, reference)
    }
}

/// See [`References::outgrown`].
fn outgrown<'run>(peaks: &Peaks<'run>, reference: &Record) -> Option<(f64, &'run Record)> {
    let own = Peak::of(reference).filter(|_| reference.cell.role == Role::Peak)?;
    let wider = peaks.get(&own.peak_loop())?.range(own.threads + 1..).map(|(_, peak)| peak);
    let fastest = wider.max_by(|a, b| a.rate_of_a_thread.total_cmp(&b.rate_of_a_thread))?;
    let times = fastest.rate_of_a_thread / own.rate_of_a_thread;
    (times > UPPER_BOUND).then_some((times, fastest.record))
}

/// Up to this share the excess over 1 is the uncertainty of both measurements; a reference that is passed by more is no upper
/// bound: operands in a cache pass the memory's bandwidth, and a disturbed peak is none.
const UPPER_BOUND: f64 = 1.05;
/// Seconds of an iteration on several threads below which starting and joining them is over 5 % of it.
const BARRIER_S: f64 = 20e-6;

/// Whether a reference can be believed: enough undisturbed samples, and of a bandwidth not the time its threads take to meet.
fn is_clean(reference: &Record) -> bool {
    let per_loop_s = median_s(reference).unwrap_or(0.0);
    let threads = reference.cell.point.int(axis::THREADS).unwrap_or(1);
    let is_barrier = reference.cell.role == Role::Bandwidth && threads > 1 && per_loop_s < BARRIER_S;
    basis(&reference.samples) == Basis::Clean && !is_barrier
}

/// The median seconds of an iteration.
fn median_s(record: &Record) -> Option<f64> {
    quantile::median(&times_s(&record.samples).0).filter(|t| *t > 0.0)
}

/// How far the footprint of a bandwidth lies from the record's, as a logarithm: a matrix in memory is not compared with a cache. A
/// peak has no footprint.
fn distance(record: &Record, reference: &Record) -> f64 {
    let (own, other) = (record.cell.work.bytes, reference.cell.work.bytes);
    if reference.cell.role == Role::Bandwidth && own > 0.0 && other > 0.0 { (other / own).ln().abs() } else { 0.0 }
}

/// The share of one record; for all records of a run see [`References`].
pub fn share(run: &Run, record: &Record) -> Option<Share> {
    References::of(run).share(record)
}

/// The work of a record ÷ that of `reference`, in the quantity its role stands for; `None` where either does no such work.
fn works(record: &Record, reference: &Record) -> Option<f64> {
    let quantity = match reference.cell.role {
        Role::Peak => Quantity::Flops,
        Role::Bandwidth => Quantity::Bytes,
        Role::Subject | Role::Base => return None,
    };
    let works = record.cell.work.amount(quantity) / reference.cell.work.amount(quantity);
    (works > 0.0 && works.is_finite()).then_some(works)
}

/// The least seconds of an iteration.
fn least_s(record: &Record) -> f64 {
    record.samples.per_loop_s().into_iter().fold(f64::INFINITY, f64::min)
}

/// The share of `reference`, by the quantity its role stands for; `None` where either does no such work.
fn of(record: &Record, reference: &Record) -> Option<Share> {
    let role = reference.cell.role;
    let works = works(record, reference)?;
    // Time of the reference ÷ time of the cell, times the ratio of what they do: a ratio of rates.
    let rounds = Rounds::of(&record.samples, &reference.samples);
    if let Some(ratio) = comparison::paired(&rounds.a_s, &rounds.b_s, CONFIDENCE) {
        let ends = ratio.interval.map(|i| (works * i.low, works * i.high));
        return Some(Share {
            role,
            reference: reference.cell.id,
            value: works * ratio.value,
            low: ends.map(|e| e.0),
            high: ends.map(|e| e.1),
        });
    }
    let value = works * median_s(reference)? / median_s(record)?;
    Some(Share { role, reference: reference.cell.id, value, low: None, high: None })
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
