//! One size of one program over its thread counts, with the laws fitted to them.

use std::collections::BTreeSet;

use paw_sort::OrderBy;
use paw_stats::amdahl::{self, Amdahl};
use paw_stats::speedup::{Estimator, weak_efficiency};
use paw_stats::usl::{self, Usl};

use crate::application::Application;
use crate::comparison::MARGIN;
use crate::point::Point;
use crate::run::{Record, Run};
use crate::scaling::agreement::RunAgreement;
use crate::scaling::axes;
use crate::scaling::base::{Base, BaseKind};
use crate::scaling::row::ScalingRow;
use crate::scaling::timing::RunTiming;
use crate::scaling::work::Operations;
use crate::scaling::yardstick::{Yardstick, YardstickKind};
use crate::summary::CONFIDENCE;

/// Relative growth of the Karp-Flatt part over a sweep from which it counts as rising.
const RISING: f64 = 1.1;
/// Relative error of a law, and spread of the best runs, above which neither carries a conclusion: the tolerance of k-best.
const OFF: f64 = 0.05;
/// Fewest points that have a trend.
const TREND_MIN: usize = 3;

/// The quantity that is constant over the threads.
#[derive(Debug, Clone, PartialEq)]
pub enum SweepKind {
    /// The work: strong scaling.
    Strong,
    /// The work per thread stays the same: the axis of this name grows with the threads.
    Weak(String),
}

/// Thread count at which the fitted law of scalability has its highest speed-up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FittedPeak {
    /// At this number of threads, within the measured counts.
    At(f64),
    /// At this number of threads, beyond the largest measured count, which is the second number.
    Beyond(f64, u32),
    /// The points do not determine it.
    NotDetermined,
    /// The law does not fit: its times are off by this relative error.
    Misfit(f64),
}

/// Whether and where more threads stop to gain more than noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScalingEnd {
    /// The times carry an answer.
    At(ThreadPlateau),
    /// The times do not carry one.
    NotDetermined(Indecision),
}

/// Why times do not tell where scaling stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Indecision {
    /// Their k best lie this far apart, or did not meet their rule.
    Spread(f64),
    /// A point that decides it has so few runs that they do not tell how far runs differ.
    FewRuns(usize),
    /// Other work ran beside this number of threads, and they may be faster without it.
    Contended(u32),
}

/// The thread count beyond which more threads gain no more than noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThreadPlateau {
    /// The smallest thread count whose best is within the margin of the overall best.
    pub threads: u32,
    /// The thread count of the overall best.
    pub fastest: u32,
    /// The largest thread count with a time.
    pub most: u32,
    /// The margin: 1 %, or the spread of the k best of the fastest row if that is wider.
    pub margin: f64,
}

/// One size of one program over its thread counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep<'run> {
    /// The point without threads and copies, and for weak scaling without the axis that grows.
    pub size: Point,
    /// The name of its command.
    pub provider: &'run str,
    /// Strong or weak scaling.
    pub kind: SweepKind,
    /// The base's cell and its timing; `None` if it has no time.
    pub base: Option<(&'run Record, RunTiming<'run>)>,
    /// The rows by threads.
    pub rows: Vec<ScalingRow<'run>>,
    /// Amdahl's law through three or more rows that are not oversubscribed: its serial part is that of the program's own curve.
    pub amdahl: Option<Amdahl>,
    /// The universal scalability law through the same rows.
    pub usl: Option<Usl>,
    /// Time with a thread on every core ÷ time with a thread on every hardware thread: above 1, SMT helps.
    pub smt_gain: Option<f64>,
    /// Whether the Karp-Flatt part rises with the threads (overhead rather than serial work); `None` for fewer than three.
    pub overhead_grows: Option<bool>,
}

impl<'run> Sweep<'run> {
    /// The row with the best number.
    pub fn fastest(&self) -> Option<&ScalingRow<'run>> {
        let timed = self.rows.iter().filter_map(|row| Some((row, row.best()?)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(row, _)| row)
    }

    /// The size in words: `v=512`; empty if only threads are swept.
    pub fn label(&self) -> String {
        self.size.to_string()
    }

    /// The peak of the fitted law of scalability; `None` if it was not fitted.
    pub fn peak(&self) -> Option<FittedPeak> {
        let usl = self.usl?;
        let largest = self.fitted().map(|(row, _)| row.threads).max()?;
        Some(match usl.peak {
            _ if self.misfit(usl.rms, 3).is_some() => FittedPeak::Misfit(usl.rms),
            None => FittedPeak::NotDetermined,
            Some(peak) if peak <= f64::from(largest) => FittedPeak::At(peak),
            Some(peak) => FittedPeak::Beyond(peak, largest),
        })
    }

    /// The relative error of Amdahl's law where it does not describe the curve; `None` where it does, or was not fitted.
    pub fn amdahl_misfit(&self) -> Option<f64> {
        self.misfit(self.amdahl?.rms, 2)
    }

    /// `rms`, the relative error of a law of `parameters` numbers, where it is more than the noise of the rows: more than the
    /// spread of their k best, and more than [`OFF`]. An error is that of a degree of freedom: a law of three numbers
    /// comes close to any four points.
    fn misfit(&self, rms: f64, parameters: usize) -> Option<f64> {
        let spreads: Vec<f64> = self.fitted().map(|(row, _)| spread(row).unwrap_or(0.0)).collect();
        let count = spreads.len() as f64;
        let noise = (spreads.iter().map(|spread| spread * spread).sum::<f64>() / count).sqrt();
        let error = rms * (count / (count - parameters as f64)).sqrt();
        (error > noise.max(OFF)).then_some(rms)
    }

    /// The thread count at which the sweep stops scaling; `None` with fewer than two thread counts, for weak scaling, and
    /// by what is no pace.
    pub fn end(&self) -> Option<ScalingEnd> {
        if self.kind != SweepKind::Strong {
            return None;
        }
        let timed: Vec<(&ScalingRow<'run>, f64)> =
            self.rows.iter().filter_map(|row| Some((row, row.best()?))).collect();
        let fastest = self.fastest()?;
        let best = fastest.best()?;
        if timed.len() < 2 || !fastest.timing?.yardstick.is_pace() {
            return None;
        }
        let margin = MARGIN.max(spread(fastest).unwrap_or(0.0));
        let limit = best * (1.0 + margin);
        let within = timed.iter().position(|(_, time)| *time <= limit)?;
        let at_least = |row: &ScalingRow<'_>, time: f64| time / (1.0 + spread(row).unwrap_or(0.0));
        // A count with fewer threads may be as fast as the fastest if its own best is uncertain, and one with more threads faster.
        let fewer = timed[..within].iter().filter(|(row, time)| at_least(row, *time) <= limit);
        let more = timed[within + 1..].iter().filter(|(row, time)| {
            !std::ptr::eq(*row, fastest) && at_least(row, *time) * (1.0 + margin) < timed[within].1
        });
        let doubtful = [fastest, timed[within].0].into_iter().filter(|row| !is_certain(row));
        let open: Vec<&ScalingRow<'run>> = fewer.chain(more).map(|(row, _)| *row).chain(doubtful).collect();
        let few = open.iter().filter(|row| spread(row).is_none()).filter_map(|row| Some(row.timing?.cost.n)).min();
        if let Some(runs) = few {
            return Some(ScalingEnd::NotDetermined(Indecision::FewRuns(runs)));
        }
        if let Some(widest) = open.into_iter().filter_map(spread).reduce(f64::max) {
            return Some(ScalingEnd::NotDetermined(Indecision::Spread(widest)));
        }
        let slowed = timed[within + 1..].iter().find(|(row, _)| is_contended(row));
        if let Some((row, _)) = slowed {
            return Some(ScalingEnd::NotDetermined(Indecision::Contended(row.threads)));
        }
        let (threads, most) = (timed[within].0.threads, timed.last()?.0.threads);
        Some(ScalingEnd::At(ThreadPlateau { threads, fastest: fastest.threads, most, margin }))
    }

    /// Rows that a fit may use: timed, and not oversubscribed.
    fn fitted(&self) -> impl Iterator<Item = (&ScalingRow<'run>, f64)> {
        self.rows.iter().filter(|r| !r.oversubscribed()).filter_map(|r| Some((r, r.best().filter(|t| *t > 0.0)?)))
    }
}

/// Relative distance of the k-th best run from the best.
fn spread(row: &ScalingRow<'_>) -> Option<f64> {
    row.timing?.cost.spread_k
}

/// Whether the runs of a row met their rule, or were a fixed number, and agree within [`OFF`].
fn is_certain(row: &ScalingRow<'_>) -> bool {
    let is_marked = row.timing.is_none_or(|timing| !timing.agreed().mark().is_empty());
    !is_marked && spread(row).is_some_and(|spread| spread <= OFF)
}

fn is_contended(row: &ScalingRow<'_>) -> bool {
    row.timing.is_some_and(|timing| timing.agreed() == RunAgreement::Contended)
}

/// All sweeps of `run`, by size, and within a size by command.
pub(super) fn sweeps<'run>(
    run: &'run Run,
    app: &'run Application,
    base: &Base<'run>,
    operations: &Operations,
    yardstick: Yardstick<'run>,
) -> Vec<Sweep<'run>> {
    let weak = app.weak.as_deref();
    let mut groups: Vec<(Point, &str, Option<f64>, Vec<&Record>)> = Vec::new();
    for record in axes::subjects(run).filter(|r| axes::copies(&r.cell) == 1) {
        let size = axes::size(&record.cell, weak);
        let share = weak.and_then(|axis| share(record, axis));
        let key = (size, record.cell.provider.as_str(), share);
        match groups.iter_mut().find(|g| (&g.0, g.1, g.2) == (&key.0, key.1, key.2)) {
            Some(group) => group.3.push(record),
            None => groups.push((key.0, key.1, key.2, vec![record])),
        }
    }
    groups.order_by(|a, b| {
        let share = |g: &(Point, &str, Option<f64>, Vec<&Record>)| g.2.unwrap_or(0.0);
        let commands = axes::place(a.1, app).cmp(&axes::place(b.1, app));
        axes::order(&a.0, &b.0, &app.axes).then(share(a).total_cmp(&share(b))).then(commands)
    });
    let rule = &run.header.plan.method.ending;
    let sweep = |(size, provider, share, records): (Point, &'run str, Option<f64>, Vec<&'run Record>)| {
        let mut rows: Vec<ScalingRow<'run>> =
            records.iter().map(|r| ScalingRow::new(r, app, RunTiming::of(r, rule, yardstick))).collect();
        rows.order_by_key(|row| row.threads);
        rows.iter_mut().for_each(|row| row.operations = operations.at(&row.record.cell.point));
        let size = weak.zip(share).map_or(size.clone(), |(axis, share)| size.with(&format!("{axis}/threads"), share));
        let kind = weak.map_or(SweepKind::Strong, |axis| SweepKind::Weak(axis.to_owned()));
        finished(
            Sweep {
                size,
                provider,
                kind,
                base: None,
                rows,
                amdahl: None,
                usl: None,
                smt_gain: None,
                overhead_grows: None,
            },
            base,
            run.header.plan.seed,
        )
    };
    groups.into_iter().map(sweep).collect()
}

/// The growing axis per thread, which separates the diagonals of a full grid.
fn share(record: &Record, axis: &str) -> Option<f64> {
    record.cell.point.float(axis).map(|n| n / f64::from(axes::threads(&record.cell)))
}

/// `sweep` with base, speed-ups and fits.
fn finished<'run>(mut sweep: Sweep<'run>, base: &Base<'run>, seed: u64) -> Sweep<'run> {
    let one = sweep.rows.iter().find(|row| row.threads == 1 && row.is_told());
    let one_timing = one.and_then(|row| Some((row.record, row.timing?)));
    if sweep.kind != SweepKind::Strong {
        sweep.base = one_timing;
        let first = one_timing.map(|(_, timing)| timing);
        for row in &mut sweep.rows {
            row.efficiency = first.zip(row.timing).and_then(|(first, own)| weak(&first, &own, row.threads));
        }
        return sweep;
    }
    sweep.base = base.at(&sweep.size, one.map(|row| row.record));
    let other = base.is_common();
    // How well a program uses its threads is told by its own one thread, where others have another.
    let parallel = matches!(base.kind, BaseKind::Command(_)).then(|| one_timing.map(|(_, timing)| timing.best()));
    if let Some((record, timing)) = sweep.base {
        let parallel = parallel.unwrap_or(Some(timing.best()));
        sweep.rows.iter_mut().for_each(|row| row.hold_against((record, &timing), parallel, other));
    }
    fit(&mut sweep, seed);
    sweep
}

/// The efficiency of `threads` threads with as much work each as one had; `None` by what is no pace.
fn weak(one: &RunTiming<'_>, many: &RunTiming<'_>, threads: u32) -> Option<f64> {
    let ratio = weak_efficiency(one.best(), many.best());
    match many.yardstick.kind() {
        YardstickKind::Time(_) => Some(ratio),
        // A rate is of all threads together.
        YardstickKind::Rate => Some(ratio / f64::from(threads)),
        YardstickKind::Number => None,
    }
}

fn fit(sweep: &mut Sweep<'_>, seed: u64) {
    if !sweep.fastest().and_then(|row| row.timing).is_some_and(|timing| timing.yardstick.is_pace()) {
        return;
    }
    let points: Vec<(f64, f64)> = sweep.fitted().map(|(row, time)| (f64::from(row.threads), time)).collect();
    let samples: Vec<(f64, Vec<f64>)> =
        sweep.fitted().filter_map(|(row, _)| Some((f64::from(row.threads), costs(row)?))).collect();
    let samples: Vec<(f64, &[f64])> = samples.iter().map(|(p, times)| (*p, times.as_slice())).collect();
    // The law fits any two points.
    let lawful = samples.len() >= TREND_MIN;
    let amdahl = lawful.then(|| amdahl::fit_samples(&samples, Estimator::Best, CONFIDENCE, seed)).flatten();
    let usl = usl::fit(&points, CONFIDENCE);
    let (smt_gain, overhead_grows) = (smt_gain(sweep), rising(sweep));
    (sweep.amdahl, sweep.usl, sweep.smt_gain, sweep.overhead_grows) = (amdahl, usl, smt_gain, overhead_grows);
}

/// The costs of the runs of a row.
fn costs(row: &ScalingRow<'_>) -> Option<Vec<f64>> {
    Some(row.timing?.yardstick.seen(row.record).samples.per_loop_s())
}

/// Time with one thread per core ÷ time with one per hardware thread, on the largest number of cores.
fn smt_gain(sweep: &Sweep<'_>) -> Option<f64> {
    let points: BTreeSet<(u32, u32)> =
        sweep.rows.iter().filter_map(|r| r.thread_point).map(|p| (p.cores, p.hardware_threads)).collect();
    let cores = points.iter().map(|p| p.0).max().filter(|n| *n > 0)?;
    let hardware_threads = points.iter().map(|p| p.1).max()?;
    let at = |threads: u32| {
        let whole = |r: &&ScalingRow<'_>| r.threads == threads && r.thread_point.is_some_and(|p| p.cores == cores);
        sweep.rows.iter().find(whole).filter(|row| row.best().is_some_and(|t| t > 0.0))
    };
    let (few, many) = (at(cores)?, at(hardware_threads)?);
    let gain = few.best()? / many.best()?;
    let noise = [few, many].into_iter().filter_map(spread).fold(MARGIN, f64::max);
    (hardware_threads > cores && (gain - 1.0).abs() > noise).then_some(gain)
}

/// Whether the Karp-Flatt part never falls by more than the margin between neighbouring counts, and rises overall.
fn rising(sweep: &Sweep<'_>) -> Option<bool> {
    let rows: Vec<(&ScalingRow<'_>, f64)> = sweep.rows.iter().filter_map(|row| Some((row, row.karp_flatt?))).collect();
    let parts: Vec<f64> = rows.iter().map(|(_, part)| *part).collect();
    let (first, last) = (*parts.first()?, *parts.last()?);
    // The part moves with the time by (T(p) / T(1)) / (1 - 1/p).
    let noise = |(row, _): &(&ScalingRow<'_>, f64)| {
        let speedup = row.efficiency? * f64::from(row.effective_threads());
        Some(spread(row)? / speedup / (1.0 - 1.0 / f64::from(row.threads)))
    };
    if last - first <= noise(rows.first()?)? + noise(rows.last()?)? {
        return (parts.len() >= TREND_MIN).then_some(false);
    }
    let steady = parts.windows(2).all(|pair| pair[1] >= pair[0] - MARGIN * pair[0].abs());
    (parts.len() >= TREND_MIN).then_some(steady && last > 0.0 && last > first * RISING)
}

/// A sentence for sizes that have no speed-up over `base`.
pub(super) fn base_problem(base: &Base<'_>, sweeps: &[Sweep<'_>], yardstick: Yardstick<'_>) -> Option<String> {
    let without = sweeps.iter().filter(|s| s.base.is_none() && s.fastest().is_some_and(ScalingRow::is_told)).count();
    let what = match (base.kind, yardstick) {
        (BaseKind::OneThread, _) => "one thread was not measured there, and no other base was given".to_owned(),
        (_, Yardstick::WallTime) => format!("{} has no time there", base.words()),
        (_, Yardstick::Metric(fact)) => format!("{} has no {} there", base.words(), fact.name),
    };
    (without > 0).then(|| format!("No speed-up at {without} of {} sizes: {what}.", sweeps.len()))
}
