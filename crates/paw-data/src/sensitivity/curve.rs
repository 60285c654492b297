//! The time of an iteration over one factor, and its plateau.

use paw_sort::OrderBy;
use paw_stats::interval::Bounds;
use paw_stats::plateau::{self, Plateau, PlateauRule, Point, Unsettled};

use crate::kernel;
use crate::matrix::{self, BuildTiming, RankedBy, RowStatus};
use crate::outcome::Status;
use crate::run::{Record, Run};

/// A factor that is varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Factor {
    /// Calls that warm up after each allocation.
    Warmup,
    /// Calls of a sample.
    Reps,
    /// The size.
    Size,
}

impl Factor {
    /// All factors, in the order of reports.
    pub const ALL: [Factor; 3] = [Factor::Warmup, Factor::Reps, Factor::Size];

    /// The axis of a point.
    pub fn axis(self) -> &'static str {
        match self {
            Factor::Warmup => kernel::WARMUP,
            Factor::Reps => kernel::REPS,
            Factor::Size => kernel::SIZE,
        }
    }

    /// The factor in words.
    pub fn words(self) -> &'static str {
        match self {
            Factor::Warmup => "warm-up calls",
            Factor::Reps => "calls of a sample",
            Factor::Size => "size n",
        }
    }
}

/// One value of the factor.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePoint<'run> {
    /// The value.
    pub x: f64,
    /// The cell and its samples.
    pub record: &'run Record,
    /// The time of an iteration; `None` if it has no sample.
    pub timing: Option<BuildTiming>,
    /// Its status: whether its answer is right.
    pub standing: RowStatus,
}

impl<'run> CurvePoint<'run> {
    /// Why it has no number: status and reason. `None` if it has one.
    pub fn absence(&self) -> Option<(Status, &'run str)> {
        self.timing.is_none().then(|| matrix::absence(self.record))
    }

    fn point(&self, by: RankedBy) -> Option<Point> {
        let timing = self.timing.filter(|_| self.standing == RowStatus::Right)?;
        let median = by.median(&timing)?;
        let ends = median.low.zip(median.high);
        Some(Point {
            x: self.x,
            value: median.value,
            interval: ends.map(|(low, high)| Bounds { low, high }),
            spread: by.stability(&timing).map_or(f64::NAN, |s| s.spread),
        })
    }
}

/// The time of an iteration over one factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve<'run> {
    /// The factor.
    pub factor: Factor,
    /// The build: compiler and flags.
    pub build: &'run str,
    /// Its variant; empty where it has none.
    pub variant: &'run str,
    /// The fixed axes: `level=L1 n=88 reps=1000`.
    pub rest: String,
    /// The quantity that the plateau is judged by.
    pub by: RankedBy,
    /// The values in order.
    pub spots: Vec<CurvePoint<'run>>,
    /// The plateau, from which on the factor does not matter, in seconds or cycles of an iteration, or why there is none; `None` for sizes, which have
    /// no plateau.
    pub plateau: Option<Result<Plateau, Unsettled>>,
}

impl Curve<'_> {
    /// The build with its variant.
    pub fn name(&self) -> String {
        if self.variant.is_empty() { self.build.to_owned() } else { format!("{} [{}]", self.build, self.variant) }
    }
}

/// The curves of `run`: one for each group of cells, over the factor that varies in it.
pub(super) fn curves(run: &Run) -> Vec<Curve<'_>> {
    gathered(run, |record| Some(record.cell.group))
}

/// The curves over sizes of all cells, whatever their group.
pub(super) fn whole(run: &Run) -> Vec<Curve<'_>> {
    gathered(run, |_| None)
}

fn gathered(run: &Run, group: impl Fn(&Record) -> Option<u32>) -> Vec<Curve<'_>> {
    let mut parts: Vec<Vec<&Record>> = Vec::new();
    for record in matrix::records(run) {
        let key = |r: &Record| (group(r), r.cell.provider.clone(), matrix::variant(r).to_owned());
        match parts.iter_mut().find(|part| key(part[0]) == key(record)) {
            Some(part) => part.push(record),
            None => parts.push(vec![record]),
        }
    }
    let mut curves: Vec<Curve<'_>> = parts.into_iter().filter_map(|part| curve(run, &part)).collect();
    curves.order_by_key(|curve| curve.factor);
    curves
}

fn curve<'run>(run: &'run Run, part: &[&'run Record]) -> Option<Curve<'run>> {
    let distinct = |axis: &str| {
        let mut values: Vec<i64> = part.iter().filter_map(|r| r.cell.point.int(axis)).collect();
        values.sort_unstable();
        values.dedup();
        values.len()
    };
    // The calls of a sample shrink as sizes grow: if several factors vary, the question is about the size.
    let factor = Factor::ALL.into_iter().rev().find(|f| distinct(f.axis()) > 1)?;
    let mut spots: Vec<CurvePoint<'run>> = part.iter().filter_map(|record| spot(run, record, factor)).collect();
    spots.order_by(|a, b| a.x.total_cmp(&b.x));
    let by = RankedBy::of(spots.iter().filter(|spot| spot.timing.is_some()).map(|spot| &spot.record.samples));
    let points: Vec<Point> = spots.iter().filter_map(|spot| spot.point(by)).collect();
    let first = part.first()?;
    let same = |axis: &str| axis != factor.axis() && distinct_values(part, axis) == 1;
    let axes = first.cell.point.iter().filter(|(axis, _)| *axis != kernel::VARIANT && same(axis));
    Some(Curve {
        factor,
        build: &first.cell.provider,
        variant: matrix::variant(first),
        rest: axes.map(|(axis, value)| format!("{axis}={value}")).collect::<Vec<_>>().join(" "),
        plateau: (factor != Factor::Size).then(|| plateau::plateau(&points, &PlateauRule::default())),
        by,
        spots,
    })
}

fn spot<'run>(run: &'run Run, record: &'run Record, factor: Factor) -> Option<CurvePoint<'run>> {
    let x = record.cell.point.float(factor.axis())?;
    Some(CurvePoint { x, record, timing: BuildTiming::of(run, record), standing: RowStatus::of(record) })
}

fn distinct_values(part: &[&Record], axis: &str) -> usize {
    let values: std::collections::BTreeSet<Option<String>> =
        part.iter().map(|r| r.cell.point.value(axis).map(ToString::to_string)).collect();
    values.len()
}
