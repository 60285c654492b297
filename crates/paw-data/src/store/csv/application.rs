//! Derived rows of an application's cells: speed-up, efficiency, CPU time and memory, printed metrics.

use paw_stats::interval::Bounds;

use super::derived::{Derived, tie_groups};
use crate::axis::THREADS;
use crate::run::{Record, Run};
use crate::scaling::{
    BaseKind, Growth, RankedRow, Ranking, RunTiming, Scaling, ScalingRow, Sweep, TimeShare, Yardstick,
};
use crate::secondary::SecondaryMetric;

/// Hands `add` the derived numbers of each record: those by wall time, and by each metric with its name behind that of the quantity.
pub(super) fn derive(run: &Run, add: &mut impl FnMut(&Record, Vec<Derived>)) {
    let Some(scaling) = Scaling::of(run) else { return };
    let others = Scaling::others(run);
    for scaling in std::iter::once(&scaling).chain(&others) {
        let by = scaling.yardstick.metric().map_or(String::new(), |fact| format!(".{}", fact.name));
        let add = &mut |record: &Record, found: Vec<Derived>| {
            let named = |own: Derived| Derived { quantity: own.quantity + &by, ..own };
            add(record, found.into_iter().map(named).collect());
        };
        by_one(scaling, add);
    }
    for scaling in std::iter::once(&scaling).chain(&others) {
        of_runs(run, scaling, add);
    }
    for own in TimeShare::all(run).iter().filter(|own| own.excess().is_none()) {
        let quantity = match own.whole.metric() {
            None => format!("share.{}", own.part.name()),
            Some(whole) => format!("share.{}.in.{}", own.part.name(), whole.name),
        };
        for row in &own.rows {
            let ends = row.interval;
            let share = Derived { ends, ..fitted(&quantity, "median", row.share, None, row.n) };
            add(row.record, vec![share]);
        }
    }
}

/// The numbers by one yardstick.
fn by_one(scaling: &Scaling<'_>, add: &mut impl FnMut(&Record, Vec<Derived>)) {
    let throughput_unit = scaling.throughput_unit().unwrap_or_default();
    let copies_unit = scaling.copies_unit();
    for row in scaling.sweeps.iter().flat_map(|sweep| &sweep.rows) {
        add(row.record, of_row(row, &throughput_unit));
    }
    for one in scaling.copy_sweeps.iter().flat_map(|farm| &farm.rows) {
        let Some(timing) = &one.row.timing else { continue };
        let derived = |quantity, unit, value: Option<f64>| value.map(|value| best(quantity, unit, value, None, timing));
        let throughput = derived("throughput_of_copies", &copies_unit, one.throughput);
        let slowdown = derived("slowdown_of_a_copy", "", one.slowdown);
        add(one.record(), throughput.into_iter().chain(slowdown).collect());
    }
    for (record, law) in scaling.sweeps.iter().filter_map(|sweep| Some((sweep.rows.first()?.record, laws(sweep)))) {
        add(record, law);
    }
    for (record, model) in scaling.growths.iter().filter_map(|growth| grown(growth, scaling)) {
        add(record, model);
    }
    for ranking in &scaling.rankings {
        ranking.rows.iter().for_each(|row| add(row.record, ranked(ranking, row)));
    }
}

/// What the runs of each cell used, or printed.
fn of_runs(run: &Run, scaling: &Scaling<'_>, add: &mut impl FnMut(&Record, Vec<Derived>)) {
    let is_wall = scaling.yardstick == Yardstick::WallTime;
    let of_timing = |timing: &RunTiming<'_>| if is_wall { used(timing) } else { printed(timing) };
    let rows = scaling.sweeps.iter().flat_map(|sweep| &sweep.rows);
    // What several copies used is not told.
    let farms = scaling.copy_sweeps.iter().flat_map(|farm| &farm.rows).filter(|one| one.copies > 1 && !is_wall);
    for row in rows.chain(farms.map(|one| &one.row)) {
        add(row.record, row.timing.iter().flat_map(of_timing).collect());
    }
    let is_program = |_: &&&Record| matches!(scaling.base.kind, BaseKind::Program(_));
    for record in scaling.base.records.iter().filter(is_program) {
        let timing = RunTiming::of(record, &run.header.plan.method.ending, scaling.yardstick);
        add(record, timing.iter().flat_map(of_timing).collect());
    }
}

/// The best and the median of a metric as the program prints it; nothing of wall time, of which cells have statistics.
fn printed(timing: &RunTiming<'_>) -> Vec<Derived> {
    let Some(fact) = timing.yardstick.metric() else { return Vec::new() };
    let value = |cost| timing.yardstick.printed(cost);
    let ends = timing.cost.interval.filter(|_| !timing.cost.is_constant);
    let ends = ends.map(|(low, high)| (value(low), value(high)));
    let ends = ends.map(|(a, b)| (a.min(b), a.max(b)));
    let one = |statistic, cost, ends| Derived {
        quantity: format!("metric.{}", fact.name),
        unit: fact.unit.clone(),
        statistic,
        value: value(cost),
        ends,
        samples: timing.cost.n,
    };
    vec![one("best", timing.cost.best, None), one("median", timing.cost.median, ends)]
}

fn best(quantity: &str, unit: &str, value: f64, ends: Option<(f64, f64)>, timing: &RunTiming<'_>) -> Derived {
    let (quantity, unit) = (quantity.to_owned(), unit.to_owned());
    Derived { quantity, unit, statistic: "best", value, ends, samples: timing.cost.n }
}

fn of_row(row: &ScalingRow<'_>, throughput_unit: &str) -> Vec<Derived> {
    let Some(timing) = &row.timing else { return Vec::new() };
    let speedup = row.speedup.map(|s| best("speedup", "", s.value, s.interval.map(|i| (i.low, i.high)), timing));
    let others = [
        ("efficiency", "", row.efficiency),
        ("karp_flatt", "", row.karp_flatt),
        ("throughput", throughput_unit, row.throughput()),
    ];
    let others = others.into_iter().filter_map(|(name, unit, value)| Some(best(name, unit, value?, None, timing)));
    speedup.into_iter().chain(others).collect()
}

fn fitted(quantity: &str, statistic: &'static str, value: f64, ends: Option<Bounds>, samples: usize) -> Derived {
    let ends = ends.map(|ends| (ends.low, ends.high));
    Derived { quantity: quantity.to_owned(), unit: String::new(), statistic, value, ends, samples }
}

/// The laws fitted to a curve over threads, at its fewest threads; `samples` are thread counts.
fn laws(sweep: &Sweep<'_>) -> Vec<Derived> {
    let n = sweep.rows.iter().filter(|row| row.timing.is_some() && !row.oversubscribed()).count();
    let amdahl = sweep.amdahl.map(|law| fitted("serial_part", "amdahl", law.serial, law.interval, n));
    let usl = sweep.usl.map(|law| {
        let sigma = fitted("contention", "usl", law.sigma, law.sigma_interval, n);
        [sigma, fitted("coherency", "usl", law.kappa, law.kappa_interval, n)]
    });
    amdahl.into_iter().chain(usl.into_iter().flatten()).collect()
}

/// The model of a growth, at its largest size; `samples` are sizes.
fn grown<'run>(growth: &Growth<'run>, scaling: &Scaling<'run>) -> Option<(&'run Record, Vec<Derived>)> {
    let model = growth.model?;
    let (largest, _) = growth.points.last()?;
    let is_rest = |sweep: &&Sweep<'_>| {
        let own = sweep.size.iter().filter(|(axis, _)| *axis != growth.axis);
        own.eq(growth.rest.iter()) && sweep.size.float(growth.axis) == Some(*largest)
    };
    let own = scaling.sweeps.iter().filter(|sweep| sweep.provider == growth.provider).find(is_rest)?;
    let row = own.rows.iter().find(|row| row.threads == growth.threads)?;
    let one = |quantity: &str, value| fitted(quantity, "model", value, None, growth.points.len());
    let parts = [("c0", model.c0), ("c1", model.c1), ("power", model.term.i), ("log_power", model.term.j.into())];
    Some((row.record, parts.map(|(part, value)| one(&format!("growth_{part}"), value)).into()))
}

/// The time over that of what an alternative is held against, with the verdict as the name of the statistic, and its groups.
fn ranked(ranking: &Ranking<'_>, row: &RankedRow<'_>) -> Vec<Derived> {
    let n = row.timing.cost.n;
    // What was told no number of threads is in the rankings of all.
    let elsewhere = ranking.place.int(THREADS).filter(|_| row.record.cell.point.int(THREADS).is_none());
    let at = elsewhere.map_or(String::new(), |threads| format!(".threads={threads}"));
    let held = row.against.as_ref().zip(row.comparison).map(|(against, found)| Derived {
        quantity: format!("time_over.{against}{at}"),
        unit: String::new(),
        statistic: found.verdict.word(),
        value: found.ratio,
        ends: found.interval.map(|ends| (ends.low, ends.high)),
        samples: n,
    });
    let letters = if elsewhere.is_none() { row.letters.as_str() } else { "" };
    held.into_iter().chain(tie_groups(letters, n)).collect()
}

/// CPU times of the fastest run, and memory of the largest.
fn used(timing: &RunTiming<'_>) -> Vec<Derived> {
    let all = [
        (SecondaryMetric::UserTime, "best", timing.user_s),
        (SecondaryMetric::SystemTime, "best", timing.sys_s),
        (SecondaryMetric::ResidentMemory, if timing.is_rss_at_most() { "at_most" } else { "max" }, timing.rss_bytes),
    ];
    let derived = |(metric, statistic, value): (SecondaryMetric, &'static str, Option<f64>)| {
        Some(Derived { statistic, ..best(metric.name(), metric.unit(), value?, None, timing) })
    };
    all.into_iter().filter_map(derived).collect()
}
