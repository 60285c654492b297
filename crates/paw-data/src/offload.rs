//! From which size on a device is worth its transfers, computed when looked at: products on a device against the same products on the
//! host, measured in the same rounds.

use std::collections::BTreeMap;

use paw_sort::OrderBy;
use paw_stats::comparison::{self, Ratio};
use paw_stats::interval::Interval;
use paw_stats::verdict::{Doubt, Verdict};

use crate::axis;
use crate::cell::{Cell, Role};
use crate::headline::Family;
use crate::rounds::Rounds;
use crate::run::{Record, Run};
use crate::summary::{CONFIDENCE, typical_s};

/// One product, with its transfers, on one device.
#[derive(Debug, Clone, PartialEq)]
pub struct Offload {
    /// The product: `dgemm`.
    pub kernel: String,
    /// How operands are transferred: `once`, `always`.
    pub transfers: String,
    /// Products of the same operands, where that was set.
    pub iterations: Option<i64>,
    /// The device: `cuda0`.
    pub device: String,
    /// Who made the products on the host.
    pub host: String,
    /// The verdict at each size, in ascending order.
    pub steps: Vec<LadderStep>,
    /// The size from which the device wins, as the verdicts show it.
    pub threshold: Threshold,
}

/// The verdict at one size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LadderStep {
    /// The order of the matrices.
    pub n: i64,
    /// The device's rate ÷ the host's.
    pub speedup: f64,
    /// Whether the device is faster than the host: by the 95 % interval of the ratio of times in the same rounds.
    pub verdict: Verdict,
}

/// From which size on a device is faster: there and at every larger size that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threshold {
    /// From the smallest size on.
    Everywhere {
        /// The smallest size.
        from: i64,
    },
    /// The host is certainly faster at the one size, and the device at the other.
    Between {
        /// The largest size below `faster` at which the device is certainly slower.
        slower: i64,
        /// The smallest size from which it is faster.
        faster: i64,
    },
    /// From that size on; at smaller sizes the intervals overlap.
    AtMost {
        /// The smallest size from which it is certainly faster.
        faster: i64,
    },
    /// The device is no faster at the largest size.
    NotAtLargest {
        /// The largest size measured.
        up_to: i64,
    },
    /// The largest size is undecided: too few samples, or times too close.
    Undecided {
        /// The largest size measured.
        up_to: i64,
    },
}

impl Threshold {
    /// The threshold that verdicts at ascending sizes show; `None` without verdicts.
    pub fn of(steps: &[(i64, Verdict)]) -> Option<Self> {
        let (up_to, from) = (steps.last()?.0, steps.first()?.0);
        let below = steps.iter().rposition(|(_, verdict)| !matches!(verdict, Verdict::Faster(_)));
        let Some(below) = below else { return Some(Threshold::Everywhere { from }) };
        let Some((faster, _)) = steps.get(below + 1) else {
            let is_undecided = matches!(steps[below].1, Verdict::Inconclusive(_));
            return Some(if is_undecided { Threshold::Undecided { up_to } } else { Threshold::NotAtLargest { up_to } });
        };
        let slower = steps[..=below].iter().rev().find(|(_, verdict)| matches!(verdict, Verdict::Slower(_)));
        Some(match slower {
            Some((slower, _)) => Threshold::Between { slower: *slower, faster: *faster },
            None => Threshold::AtMost { faster: *faster },
        })
    }
}

/// Kernel, transfers, iterations and device.
type Product = (String, String, Option<i64>, String);

/// Every product of `run` that was compared with the host, by kernel, transfers, iterations and device.
pub fn offloads(run: &Run) -> Vec<Offload> {
    let mut found: BTreeMap<Product, (String, Vec<LadderStep>)> = BTreeMap::new();
    for record in run.records.iter().filter(|r| is_device_product(&r.cell)) {
        let Some((step, host)) = step(run, record) else { continue };
        let word = |axis| record.cell.point.text(axis).unwrap_or_default().to_owned();
        let iterations = record.cell.point.int(axis::ITERATIONS);
        let key = (word(axis::KERNEL), word(axis::TRANSFERS), iterations, record.cell.provider.to_string());
        let (by, steps) = found.entry(key).or_default();
        *by = host;
        steps.push(step);
    }
    let offload =
        |((kernel, transfers, iterations, device), (host, mut steps)): (Product, (String, Vec<LadderStep>))| {
            steps.order_by_key(|step| step.n);
            let verdicts: Vec<_> = steps.iter().map(|step| (step.n, step.verdict)).collect();
            let threshold = Threshold::of(&verdicts)?;
            Some(Offload { kernel, transfers, iterations, device, host, steps, threshold })
        };
    found.into_iter().filter_map(offload).collect()
}

/// Whether a device is asked for a product that a benchmark of the host is named for.
fn is_device_product(cell: &Cell) -> bool {
    cell.role == Role::Subject && cell.family() == Some(Family::Devices) && cell.point.text(axis::KERNEL).is_some()
}

/// The verdict on a cell against the same product on the host in its group, and the host's provider.
fn step(run: &Run, record: &Record) -> Option<(LadderStep, String)> {
    let (n, kernel) = (record.cell.point.int(axis::N)?, record.cell.point.text(axis::KERNEL)?);
    let mut beside = run.records.iter().filter(|r| r.cell.group == record.cell.group && r.cell.role == Role::Base);
    let host = beside.find(|r| r.cell.benchmark == kernel && r.cell.point.int(axis::N) == Some(n))?;
    let works = record.cell.work.flops / host.cell.work.flops;
    let ratio = ratio(record, host)?;
    // The host's time ÷ the device's, times what they do: a ratio of rates. A verdict wants the times of the device over the host's.
    let verdict = |i: Interval| Verdict::of(1.0 / (works * i.high), 1.0 / (works * i.low), 0.0);
    let verdict = ratio.interval.map_or(Verdict::Inconclusive(Doubt::NoInterval), verdict);
    let speedup = works * ratio.value;
    Some((LadderStep { n, speedup, verdict }, host.cell.provider.to_string()))
}

/// Time of the host ÷ time of the device, in the same undisturbed rounds; without one, the ratio of the medians, which decides nothing.
fn ratio(device: &Record, host: &Record) -> Option<Ratio> {
    let rounds = Rounds::of(&device.samples, &host.samples);
    let paired = comparison::paired(&rounds.a_s, &rounds.b_s, CONFIDENCE);
    paired.or_else(|| {
        let value = typical_s(&host.samples)? / typical_s(&device.samples)?;
        (value > 0.0 && value.is_finite()).then_some(Ratio { value, interval: None, n: 0 })
    })
}
