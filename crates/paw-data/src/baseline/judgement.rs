//! What runs say about baselines.

use paw_stats::{hierarchical, mean, sigma, student};

use crate::application::MetricFact;
use crate::baseline::Baseline;
use crate::baseline::reading::{Doubt, Obstacle, Reading, assumed, metric_reading, reading};
use crate::baseline::subject::{command, is_subject, subjects};
use crate::baseline::unit::{Counted, Unit};
pub use crate::baseline::verdict::Verdict;
use crate::run::Run;
use crate::summary::{CONFIDENCE, Figure};

/// The fewest runs that show what differs from run to run.
pub const RUNS_MIN: usize = 3;

/// The fewest days that show what differs from day to day: runs of one afternoon do not see it.
pub const DAYS_MIN: usize = 3;

/// Half width of a 95 % interval in standard deviations of a normal distribution.
const NORMAL_95: f64 = 1.959_964;

/// The deviation of a median of many normal values as a multiple of their mean's: the root of π/2.
const MEDIAN: f64 = 1.253_314;

/// A run is as precise as those of its baseline up to this ratio of their intervals: the width of three processes' interval varies as much
/// by chance.
const AS_PRECISE: f64 = 2.0;

/// What the runs say about one baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement<'a> {
    /// The baseline.
    pub baseline: &'a Baseline,
    /// The verdict.
    pub verdict: Verdict,
    /// The value of the runs in plain units, with their own 95 % interval.
    pub figure: Option<Figure>,
    /// The interval with what differs from run to run.
    pub wide: Option<(f64, f64)>,
    /// Whether the number, taken at its word, is a regression: so is that of a contended or unstable one that may be slow for another reason.
    pub looks_worse: bool,
    /// How many runs it is of.
    pub runs: usize,
    /// The reason, in one sentence without a full stop; empty where the numbers say it.
    pub why: String,
}

impl Judgement<'_> {
    /// The value relative to the baseline's, less one.
    pub fn change(&self) -> Option<f64> {
        self.figure.map(|figure| figure.value / self.baseline.value - 1.0)
    }
}

/// What `runs` say about each of the baselines, in their order.
pub fn judge<'a>(baselines: &'a [Baseline], runs: &[Run]) -> Vec<Judgement<'a>> {
    baselines.iter().map(|baseline| judged(baseline, runs)).collect()
}

fn judged<'a>(baseline: &'a Baseline, runs: &[Run]) -> Judgement<'a> {
    let bare = |verdict, why: String| Judgement {
        baseline,
        verdict,
        figure: None,
        wide: None,
        looks_worse: false,
        runs: 0,
        why,
    };
    let is_for = |run: &&Run| baseline.machine.as_ref().is_none_or(|own| own.fits_machine(&run.header.machine));
    let here: Vec<&Run> = runs.iter().filter(is_for).collect();
    if here.is_empty() {
        let cpu = runs.first().map_or("", |run| run.header.machine.identity.cpu.as_str());
        let pattern = baseline.machine.as_ref().map_or("", |pattern| pattern.0.as_str());
        return bare(Verdict::OtherMachine, format!("it is for `{pattern}`, and this is `{cpu}`"));
    }
    let (mut readings, mut obstacles) = (Vec::new(), Vec::new());
    for run in &here {
        match of_run(baseline, run) {
            Ok(reading) => readings.push((reading, *run)),
            Err(obstacle) => obstacles.push((obstacle, run.header.id.as_str())),
        }
    }
    // One wrong answer among several runs is one too many.
    if let Some((gravest, id)) = obstacles.iter().min_by_key(|(own, _)| gravity(own))
        && (readings.is_empty() || gravity(gravest) < LACKING)
    {
        let of = if here.len() > 1 { format!("{id}: ") } else { String::new() };
        return bare(verdict(gravest), of + gravest.sentence());
    }
    if let Some(why) = mixed(&readings) {
        return bare(Verdict::Ambiguous, why);
    }
    let lacks = obstacles.iter().map(|(own, id)| format!("{id}: {}", own.sentence())).collect();
    of_readings(baseline, readings, lacks)
}

/// The place of what one run of several may lack.
const LACKING: u8 = 3;

/// The place of an obstacle among others, the gravest first.
fn gravity(obstacle: &Obstacle) -> u8 {
    match obstacle {
        Obstacle::Wrong(_) => 0,
        Obstacle::Failed(_) => 1,
        Obstacle::Ambiguous(_) => 2,
        Obstacle::Missing(_) | Obstacle::OtherUnit(_) => LACKING,
    }
}

fn verdict(obstacle: &Obstacle) -> Verdict {
    match obstacle {
        Obstacle::Wrong(_) => Verdict::Wrong,
        Obstacle::Failed(_) => Verdict::Failed,
        Obstacle::Ambiguous(_) => Verdict::Ambiguous,
        Obstacle::Missing(_) => Verdict::Missing,
        Obstacle::OtherUnit(_) => Verdict::OtherUnit,
    }
}

/// Why readings are not one number: they are of machines of two kinds. Host names differ also where a container gets a new one each time.
fn mixed(readings: &[(Reading, &Run)]) -> Option<String> {
    let machine = |run: &Run| run.header.machine.identity.hardware();
    let ((_, first), others) = readings.split_first()?;
    let (_, other) = others.iter().find(|(_, run)| machine(run) != machine(first))?;
    let named = |run: &Run| {
        let identity = &run.header.machine.identity;
        let cpu = if identity.cpu.is_empty() { "an unknown machine" } else { &identity.cpu };
        let host = if identity.host.is_empty() { String::new() } else { format!(" on host {}", identity.host) };
        format!("{} is of {cpu}{host}", run.header.id)
    };
    let [a, b] = [first, other].map(|run| named(run));
    Some(format!("runs of different machines make no number: {a}, and {b}: judge the runs of each machine alone"))
}

/// The number of one run.
fn of_run(baseline: &Baseline, run: &Run) -> Result<Reading, Obstacle> {
    match &subjects(baseline, run)[..] {
        [record] => match (baseline.unit.counted, &baseline.metric) {
            (Counted::Quantity(quantity), _) => reading(run, record, baseline.statistic, quantity),
            (Counted::Metric(_), name) => {
                metric_reading(run, record, baseline.statistic, metric(baseline, name.as_deref().unwrap_or(""), run)?)
            }
        },
        [] => Err(Obstacle::Missing(absent(baseline, run))),
        several => {
            let first = several.iter().take(2).map(|r| format!("{} {}", r.cell.provider, r.cell.point));
            let shown = first.collect::<Vec<_>>().join(", ");
            Err(Obstacle::Ambiguous(format!("{} cells fit ({shown} …): name provider and point", several.len())))
        }
    }
}

/// The metric of `run` that a baseline names.
fn metric<'r>(baseline: &Baseline, name: &str, run: &'r Run) -> Result<&'r MetricFact, Obstacle> {
    let known = run.header.app.as_ref().map_or(&[][..], |app| &app.metrics);
    let Some(fact) = known.iter().find(|fact| fact.name == name) else {
        let names: Vec<&str> = known.iter().map(|fact| fact.name.as_str()).collect();
        let others = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(Obstacle::Missing(format!("the run has no metric `{name}` (it has {others}): --metric reads one")));
    };
    let own = Unit::printed(fact);
    match (baseline.unit.is_related(&own), baseline.unit.counted == own.counted) {
        (true, _) => Ok(fact),
        (false, true) => {
            let [there, here] =
                [&baseline.unit.text, &own.text].map(|unit| if unit.is_empty() { "no unit" } else { unit });
            Err(Obstacle::OtherUnit(format!("`{name}` is in {here}, and the reference in {there}")))
        }
        (false, false) => Err(Obstacle::OtherUnit(format!(
            "of `{name}` the run and the reference disagree whether less or more is better"
        ))),
    }
}

/// Why a run has no cell for a baseline.
fn absent(baseline: &Baseline, run: &Run) -> String {
    let mut commands: Vec<String> =
        run.records.iter().filter(|r| is_subject(&r.cell)).filter_map(|r| command(run, &r.cell)).collect();
    commands.dedup();
    match (&baseline.command, commands.first()) {
        (Some(pattern), Some(own)) if !commands.iter().any(|own| pattern.0 == *own || pattern.fits(own)) => {
            format!("the run measured another command: `{own}`")
        }
        _ if run.damage.is_some() => "the run has no such cell: its file is cut off or damaged".to_owned(),
        _ => "the run has no such cell".to_owned(),
    }
}

/// The judgement of readings of one machine; `lacks` says of other runs why they have no number.
fn of_readings<'a>(
    baseline: &'a Baseline,
    mut readings: Vec<(Reading, &Run)>,
    mut lacks: Vec<String>,
) -> Judgement<'a> {
    let (given, run) = (readings.len() + lacks.len(), readings[0].1);
    // Disturbed runs give way to others: what disturbed them is seen apart from their values.
    if readings.iter().any(|(reading, _)| reading.doubt.is_none()) {
        let aside = readings.extract_if(.., |(reading, _)| reading.doubt.is_some());
        lacks.extend(aside.filter_map(|(own, _)| own.doubt.map(|doubt| format!("{}: {}", own.run, doubt.sentence()))));
    }
    let readings: Vec<Reading> = readings.into_iter().map(|(reading, _)| reading).collect();
    let doubt = readings.iter().find_map(|reading| reading.doubt.clone());
    let figure = level(&readings);
    let between = between(baseline, run);
    let own = alike(&readings, between);
    let wide = wide(&figure, readings.len(), own, between);
    let at_its_word = decided(baseline, &figure, wide, own, readings.len());
    let looks_worse = at_its_word.0 == Verdict::Regression;
    let (verdict, why) = match doubt {
        Some(Doubt::Contended(why)) => (Verdict::Contended, unjudged(&why, looks_worse)),
        Some(Doubt::Unstable(why)) => (Verdict::Unstable, unjudged(&why, looks_worse)),
        None => at_its_word,
    };
    let parts = [why, of_runs(readings.len(), given, &lacks)];
    let why = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    Judgement { baseline, verdict, figure: Some(figure), wide, looks_worse, runs: readings.len(), why }
}

/// `of 2 of 3 runs, without c: skipped`: how many runs a number is of, where several are given.
fn of_runs(counted: usize, given: usize, lacks: &[String]) -> String {
    match lacks {
        [] if given == 1 => String::new(),
        [] => format!("of {given} runs"),
        [one] => format!("of {counted} of {given} runs, without {one}"),
        [first, others @ ..] => format!("of {counted} of {given} runs, without {first}, and {} more", others.len()),
    }
}

/// Why a number is not judged, and what it would be.
fn unjudged(why: &str, looks_worse: bool) -> String {
    let would = if looks_worse { "; it looks like a regression, and may be one: measure again" } else { "" };
    format!("{why}{would}")
}

/// One number of several runs: of one run its own, of two their geometric mean and both intervals together, of three and more their
/// median with the interval over runs.
fn level(readings: &[Reading]) -> Figure {
    let values: Vec<f64> = readings.iter().map(|reading| reading.figure.value).collect();
    match readings {
        [one] => one.figure,
        [a, b] => {
            let (a, b) = (a.figure, b.figure);
            let low = a.low.zip(b.low).map(|(a, b)| a.min(b));
            let high = a.high.zip(b.high).map(|(a, b)| a.max(b));
            Figure { value: (a.value * b.value).sqrt(), low, high }
        }
        _ => {
            let groups: Vec<&[f64]> = values.iter().map(std::slice::from_ref).collect();
            let found = hierarchical::times(&groups, CONFIDENCE);
            let interval = found.and_then(|found| found.interval);
            let value = found.map_or(f64::NAN, |found| found.value);
            Figure { value, low: interval.map(|i| i.low), high: interval.map(|i| i.high) }
        }
    }
}

/// Half the interval that the samples of one of these runs show, on logarithms, where the runs differ no more than is known of such runs:
/// `between` is half the interval of one run by what differs from run to run.
fn alike(readings: &[Reading], between: f64) -> Option<f64> {
    let logs: Vec<f64> = readings.iter().map(|reading| reading.figure.value.ln()).collect();
    let differs = sigma::sample(&logs).unwrap_or(0.0);
    let own: Vec<f64> = readings.iter().map(|reading| half_width(&reading.figure)).collect::<Option<_>>()?;
    mean::arithmetic(&own).filter(|_| differs <= 2.0 * between / NORMAL_95)
}

/// The interval of a level with what differs from run to run, `between` of one run.
///
/// Of several runs that are alike, what is known of such runs makes the interval: three alone say little of their spread.
fn wide(figure: &Figure, runs: usize, own: Option<f64>, between: f64) -> Option<(f64, f64)> {
    let ends = figure.low.zip(figure.high)?;
    let n = runs as f64;
    match own.filter(|_| runs > 1) {
        Some(own) => {
            let half = MEDIAN * own.hypot(between) / n.sqrt();
            Some((figure.value * (-half).exp(), figure.value * half.exp()))
        }
        None => Some(widened(figure.value, ends, between / n.sqrt())),
    }
}

/// Half the interval of a figure, on logarithms.
fn half_width(figure: &Figure) -> Option<f64> {
    let (low, high) = figure.low.zip(figure.high)?;
    Some((high / low).ln() / 2.0)
}

/// Half the 95 % interval of one run's logarithm by what differs from run to run: as the baseline recorded it over several days, else
/// what is known of such machines, whichever is more.
pub fn between(baseline: &Baseline, run: &Run) -> f64 {
    let assumed = assumed(run).half_width();
    let measured = baseline.provenance.measured().filter(|measured| measured.runs >= RUNS_MIN);
    let Some(measured) = measured else { return assumed };
    let t = student::quantile(f64::midpoint(1.0, CONFIDENCE), measured.runs - 1).unwrap_or(0.0);
    let recorded = measured.spread.unwrap_or(0.0) * t;
    if measured.days >= DAYS_MIN { recorded } else { recorded.max(assumed) }
}

/// `ends` of `value` with the half width `between` of a logarithm, combined in quadrature.
fn widened(value: f64, (low, high): (f64, f64), between: f64) -> (f64, f64) {
    let half = |ratio: f64| ratio.ln().hypot(between);
    (value * (-half(value / low)).exp(), value * half(high / value).exp())
}

/// The verdict by both intervals: the wide one must lie beyond the bound for a regression. For a pass the runs' own must lie within it;
/// a bound that is a percentile of runs holds their scatter already, so that the value of a run as precise as they were decides.
fn decided(
    baseline: &Baseline,
    figure: &Figure,
    wide: Option<(f64, f64)>,
    own: Option<f64>,
    runs: usize,
) -> (Verdict, String) {
    let more_is_better = baseline.unit.counted.more_is_better();
    let no_bound = || {
        let key = if more_is_better { "lower" } else { "upper" };
        (Verdict::NoBound, format!("the reference has no `{key}`: nothing says what would be worse"))
    };
    let (Some((low, high)), Some(wide)) = (figure.low.zip(figure.high), wide) else {
        return if baseline.worse().is_none() { no_bound() } else { (Verdict::Inconclusive, no_interval(runs)) };
    };
    let [best, weakest] = if more_is_better { [wide.1, wide.0] } else { [wide.0, wide.1] };
    let is_worse = |value: f64, bound: f64| if more_is_better { value < bound } else { value > bound };
    let worse = baseline.worse();
    if worse.is_some_and(|bound| is_worse(best, bound)) {
        return (Verdict::Regression, String::new());
    }
    if baseline.better().is_some_and(|bound| weakest != bound && !is_worse(weakest, bound)) {
        let why = "it is better than the bound for what can be: has the work, the input or the check changed?";
        return (Verdict::Suspicious, why.to_owned());
    }
    let Some(worse) = worse else { return no_bound() };
    let half = own.or_else(|| half_width(figure)).unwrap_or(f64::INFINITY);
    let measured = baseline.provenance.measured().filter(|measured| measured.percentile.is_some());
    let is_precise = measured.and_then(|own| own.half_width).is_some_and(|typical| half <= AS_PRECISE * typical);
    let decisive = match (is_precise, more_is_better) {
        (true, _) => figure.value,
        (false, true) => low,
        (false, false) => high,
    };
    match is_worse(decisive, worse) {
        false => (Verdict::Pass, String::new()),
        true => {
            (Verdict::Inconclusive, "the interval holds the bound: more samples or more runs would tell".to_owned())
        }
    }
}

fn no_interval(runs: usize) -> String {
    match runs {
        1 => "the run has no interval: six samples, or three processes (--invocations 3), would give one".to_owned(),
        _ => "the runs have no interval: a third run would give one".to_owned(),
    }
}
