//! The step at the end of a cache: the time of an iteration for data that fit it, and for data that do not.

use paw_sort::OrderBy;
use paw_stats::comparison;
use paw_stats::interval::Bounds;
use paw_stats::speedup::{self, Estimator, Sampling};

use crate::kernel::{Kernel, Level};
use crate::quantity::Quantity;
use crate::rounds::Rounds;
use crate::run::Record;
use crate::sensitivity::curve::{Curve, CurvePoint};
use crate::sensitivity::footprint::Footprint;
use crate::summary::{CONFIDENCE, times_s};

/// The multiple of a cache's bytes from which on a walk evicts all of its own data, because the oldest lines go first.
const PAST: f64 = 1.2;

/// The end of a cache, as a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boundary<'run> {
    /// The cache: `L1`.
    pub name: &'run str,
    /// The largest size whose arrays fit the cache; if its bytes are unknown, the largest size of the level's rule.
    pub n: u64,
    /// The cache's bytes.
    pub capacity_bytes: u64,
}

impl<'run> Boundary<'run> {
    /// The caches of `kernel`, smallest first, without main memory.
    pub(super) fn of(kernel: &'run Kernel, footprint: &Footprint) -> Vec<Self> {
        let is_cache = |name: &str| !name.eq_ignore_ascii_case("ram") && !name.contains('=');
        let end = |level: &'run Level| {
            let by_bytes = (level.capacity_bytes > 0).then(|| footprint.largest(level.capacity_bytes as f64)).flatten();
            let n = by_bytes.unwrap_or(level.n_max);
            (n > 0).then_some(Self { name: &level.name, n, capacity_bytes: level.capacity_bytes })
        };
        let mut found: Vec<Self> = kernel.levels.iter().filter(|l| is_cache(&l.name)).filter_map(end).collect();
        found.order_by_key(|boundary| boundary.n);
        found
    }
}

/// The step of one build at the end of one cache.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheStep<'run> {
    /// The end of the cache.
    pub boundary: Boundary<'run>,
    /// The build with its variant.
    pub build: String,
    /// The largest size whose arrays fit.
    pub below: CurvePoint<'run>,
    /// A size whose arrays do not fit.
    pub above: CurvePoint<'run>,
    /// Time of an iteration above ÷ below, with its interval; `None` where one has no number.
    pub ratio: Option<StepRatio>,
}

/// The time of an iteration on one side of an end ÷ that on the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepRatio {
    /// The ratio of the medians.
    pub value: f64,
    /// Its 95 % interval, widened to hold the value; `None` with too few rounds, invocations or samples.
    pub interval: Option<Bounds>,
    /// Whether the interval pairs samples of the same rounds.
    pub taken: Sampling,
}

/// The steps of a curve over sizes: at each end, to the next size and to the first of which nothing stays in the cache.
pub(super) fn steps<'run>(
    curve: &Curve<'run>,
    boundaries: &[Boundary<'run>],
    footprint: &Footprint,
) -> Vec<CacheStep<'run>> {
    let at = |boundary: &Boundary<'run>| {
        let fits = |spot: &&CurvePoint<'run>| spot.x <= boundary.n as f64;
        let is_past = |spot: &&CurvePoint<'run>| {
            footprint.bytes(spot.x).is_some_and(|bytes| bytes >= PAST * boundary.capacity_bytes as f64)
        };
        let below = curve.spots.iter().rfind(fits);
        let next = curve.spots.iter().find(|spot| !fits(spot));
        let past = curve
            .spots
            .iter()
            .find(|spot| !fits(spot) && is_past(spot))
            .filter(|past| next.is_none_or(|next| !std::ptr::eq(next, *past)));
        let step = |(below, above): (&CurvePoint<'run>, &CurvePoint<'run>)| CacheStep {
            boundary: *boundary,
            build: curve.name(),
            below: below.clone(),
            above: above.clone(),
            ratio: ratio(below, above),
        };
        below
            .into_iter()
            .flat_map(|below| next.into_iter().chain(past).map(move |above| (below, above)))
            .map(step)
            .collect::<Vec<_>>()
    };
    boundaries.iter().flat_map(at).collect()
}

/// The ratio of times of one iteration, above ÷ below: calls of different sizes have different numbers of iterations. Sizes of one group
/// are paired by round, over their invocations; those of two groups have both medians' intervals divided crosswise.
fn ratio(below: &CurvePoint<'_>, above: &CurvePoint<'_>) -> Option<StepRatio> {
    let (a, b) = (below.record, above.record);
    let one = |record: &Record, times: &[f64]| -> Vec<f64> {
        times.iter().map(|seconds| record.cell.work.value(Quantity::Time, *seconds)).collect()
    };
    let value = above.timing?.median_s.value / below.timing?.median_s.value;
    let (taken, interval) = if a.cell.group == b.cell.group {
        let rounds = Rounds::of_any_loops(&a.samples, &b.samples).invocations;
        let below: Vec<Vec<f64>> = rounds.iter().map(|own| one(a, &own.a_s)).collect();
        let above: Vec<Vec<f64>> = rounds.iter().map(|own| one(b, &own.b_s)).collect();
        let below: Vec<&[f64]> = below.iter().map(Vec::as_slice).collect();
        let above: Vec<&[f64]> = above.iter().map(Vec::as_slice).collect();
        let found = comparison::paired_invocations(&below, &above, CONFIDENCE);
        (Sampling::Interleaved, found.and_then(|found| found.interval))
    } else {
        let (below, above) = (one(a, &times_s(&a.samples).0), one(b, &times_s(&b.samples).0));
        (Sampling::Apart, speedup::interval(&above, &below, Estimator::Median, Sampling::Apart, CONFIDENCE))
    };
    Some(StepRatio { value, interval: interval.map(|ends| ends.and(Bounds { low: value, high: value })), taken })
}
