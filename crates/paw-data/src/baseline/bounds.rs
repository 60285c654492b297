//! Baselines that runs give: a value, and bounds that later runs are beyond as seldom as the percentile says.

use std::collections::{BTreeMap, BTreeSet};

use paw_stats::{normal, prediction, quantile, sigma};

use crate::application::{Application, MetricFact};
use crate::baseline::judgement::{DAYS_MIN, RUNS_MIN};
use crate::baseline::reading::{Obstacle, Reading, assumed, metric_reading, reading};
use crate::baseline::subject::{command, is_subject};
use crate::baseline::unit::Unit;
use crate::baseline::{Measured, Statistic};
use crate::between_runs::BetweenRuns;
use crate::point::Point;
use crate::quantity::Quantity;
use crate::run::{Record, Run};

/// A baseline that runs give.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// See [`crate::baseline::Baseline`].
    pub benchmark: String,
    /// The command line of a program.
    pub command: Option<String>,
    /// The provider.
    pub provider: String,
    /// The point.
    pub point: Point,
    /// The number that the program prints; `None`: what paw measures.
    pub metric: Option<String>,
    /// The statistic.
    pub statistic: Statistic,
    /// The unit.
    pub unit: Unit,
    /// The value in plain units.
    pub value: f64,
    /// The largest relative deviation downwards, from -1 to 0.
    pub lower: f64,
    /// The largest relative deviation upwards.
    pub upper: f64,
    /// The processor of the machine.
    pub cpu: String,
    /// Where it is from.
    pub measured: Measured,
}

impl Candidate {
    /// What it is the value of, on one line.
    pub fn title(&self) -> String {
        let provider = if self.provider == self.benchmark { "" } else { &self.provider };
        let metric = self.metric.as_deref().unwrap_or_default();
        let parts = [&self.benchmark, provider, &self.point.to_string(), metric].map(str::to_owned);
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// What runs give.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidates {
    /// The baselines, in the order of the runs' cells.
    pub all: Vec<Candidate>,
    /// What was left out or widened, and why: sentences without a full stop.
    pub notes: Vec<String>,
}

/// How bounds are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The statistic of a run.
    pub statistic: Statistic,
    /// The share of later runs of equal machines and programs that may lie beyond a bound: 0.05.
    pub share: f64,
}

/// The number of one cell in every run.
struct Series<'r> {
    run: &'r Run,
    record: &'r Record,
    metric: Option<&'r MetricFact>,
    statistic: Statistic,
    readings: Vec<(Reading, &'r Run)>,
    obstacles: Vec<Obstacle>,
    is_ambiguous: bool,
}

impl Candidates {
    /// The baselines of all subjects of `runs`.
    pub fn of(runs: &[Run], rule: Rule) -> Self {
        let mut found = Self::default();
        for series in series(runs, rule.statistic) {
            match series.candidate(rule) {
                Ok(candidate) => found.all.push(candidate),
                Err(why) => found.notes.push(why),
            }
        }
        let doubtful = found.all.iter().filter(|candidate| !candidate.measured.doubt.is_empty());
        let doubts: Vec<String> = doubtful.map(|own| format!("{}: {}", own.title(), own.measured.doubt)).collect();
        found.notes.extend(doubts);
        found.notes.extend(found.widened(rule.share));
        found
    }

    /// What is said where there were fewer runs than the percentile needs.
    fn widened(&self, share: f64) -> Option<String> {
        let needed = prediction::fewest(share);
        let fewest = self.all.iter().map(|candidate| candidate.measured.runs).min()?;
        (fewest < needed).then(|| {
            let percent = 100.0 * share;
            let runs = if fewest == 1 { "1 run is here".to_owned() } else { format!("{fewest} runs are here") };
            let by =
                if fewest < RUNS_MIN { "what such machines differ by from run to run" } else { "what they differ by" };
            format!(
                "a percentile of {percent} takes {needed} runs and {runs}: bounds are {by}, widened for their number"
            )
        })
    }
}

/// The cells of all runs with their numbers; cells of different processors are different.
fn series(runs: &[Run], statistic: Statistic) -> Vec<Series<'_>> {
    let mut order: Vec<Series<'_>> = Vec::new();
    let mut places = BTreeMap::new();
    for run in runs {
        let mut seen = BTreeSet::new();
        for (record, metric) in numbers(run) {
            let key = key(run, record, metric);
            let at = *places.entry(key.clone()).or_insert_with(|| {
                let statistic = if record.samples.is_empty() && has_row(record) { Statistic::Mean } else { statistic };
                let (readings, obstacles) = (Vec::new(), Vec::new());
                order.push(Series { run, record, metric, statistic, readings, obstacles, is_ambiguous: false });
                order.len() - 1
            });
            let own = &mut order[at];
            own.is_ambiguous |= !seen.insert(key);
            let found = match metric {
                Some(metric) => metric_reading(run, record, own.statistic, metric),
                None => reading(run, record, own.statistic, record.cell.headline),
            };
            match found {
                Ok(found) => own.readings.push((found, run)),
                Err(obstacle) => own.obstacles.push(obstacle),
            }
        }
    }
    order
}

/// The subjects of a run, each by what paw measures and by every number that its program prints.
fn numbers(run: &Run) -> impl Iterator<Item = (&Record, Option<&MetricFact>)> {
    let subjects = run.records.iter().filter(|record| is_subject(&record.cell));
    let printed = |record: &Record| -> &[MetricFact] {
        let app = run.header.app.as_ref().filter(|_| command(run, &record.cell).is_some());
        app.map_or(&[], |app: &Application| &app.metrics)
    };
    subjects.flat_map(move |record| {
        std::iter::once((record, None)).chain(printed(record).iter().map(move |metric| (record, Some(metric))))
    })
}

fn has_row(record: &Record) -> bool {
    record.imported_time.is_some() || record.imported_rate.is_some()
}

fn key(run: &Run, record: &Record, metric: Option<&MetricFact>) -> String {
    let cell = &record.cell;
    let mut point: Vec<String> = cell.point.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
    point.sort();
    let cpu = &run.header.machine.identity.cpu;
    let metric = metric.map(|metric| (&metric.name, &metric.unit, metric.better));
    format!("{}\0{}\0{:?}\0{}\0{cpu}\0{metric:?}", cell.benchmark, cell.provider, command(run, cell), point.join(" "))
}

impl Series<'_> {
    fn candidate(&self, rule: Rule) -> Result<Candidate, String> {
        let cell = &self.record.cell;
        let metric = self.metric.map(|metric| metric.name.clone());
        let title = format!("{} {} {}", cell.benchmark, cell.provider, cell.point);
        let title = metric.iter().fold(title.trim().to_owned(), |title, metric| format!("{title} {metric}"));
        let left_out = |why: &str| Err(format!("{title}: left out: {why}"));
        if self.is_ambiguous {
            return left_out("a run has several cells of this name, provider and point");
        }
        if let Some(Obstacle::Wrong(why) | Obstacle::Failed(why)) =
            self.obstacles.iter().find(|own| matches!(own, Obstacle::Wrong(_) | Obstacle::Failed(_)))
        {
            return left_out(why);
        }
        let sound: Vec<_> = self.readings.iter().filter(|(reading, _)| reading.doubt.is_none()).collect();
        let counted = if sound.is_empty() { self.readings.iter().collect() } else { sound };
        let latest = counted.iter().max_by(|(_, a), (_, b)| a.header.utc.cmp(&b.header.utc));
        let Some((last, run)) = latest.map(|(reading, run)| (reading, *run)) else {
            return left_out(self.obstacles.first().map_or("it has no number", Obstacle::sentence));
        };
        let values: Vec<f64> = counted.iter().map(|(reading, _)| reading.figure.value).collect();
        let days: BTreeSet<&str> = counted.iter().filter_map(|(_, run)| run.header.utc.get(..10)).collect();
        let halves: Vec<f64> = counted.iter().filter_map(|(reading, _)| half_width(reading)).collect();
        let half_width = quantile::median(&halves);
        let known = Known { days: days.len(), assumed: assumed(self.run), own: half_width.unwrap_or(0.0) };
        let Some((value, lower, upper)) = bounds(&values, rule.share, &known) else {
            let needed = prediction::fewest(rule.share);
            return left_out(&format!(
                "nothing is known of the machine, and {} of {RUNS_MIN} runs at least are here ({needed} for the percentile itself)",
                values.len()
            ));
        };
        let quantity: Quantity = cell.headline;
        Ok(Candidate {
            benchmark: cell.benchmark.to_string(),
            command: command(self.run, cell),
            provider: cell.provider.to_string(),
            point: cell.point.clone(),
            statistic: self.statistic,
            unit: self.metric.map_or_else(|| Unit::fitting(value, quantity), Unit::printed),
            metric,
            value,
            lower,
            upper,
            cpu: self.run.header.machine.identity.cpu.clone(),
            measured: Measured {
                runs: values.len(),
                days: days.len(),
                spread: spread(&values),
                percentile: Some(100.0 * rule.share),
                half_width,
                run: last.run.clone(),
                date: run.header.utc.get(..10).unwrap_or_default().to_owned(),
                tool: run.header.tool.clone(),
                doubt: counted.iter().find_map(|(own, _)| own.doubt.as_ref()).map_or("", |d| d.sentence()).to_owned(),
            },
        })
    }
}

fn half_width(reading: &Reading) -> Option<f64> {
    let (low, high) = reading.figure.low.zip(reading.figure.high)?;
    Some((high / low).ln() / 2.0)
}

/// The relative standard deviation from run to run; `None` for one run.
fn spread(values: &[f64]) -> Option<f64> {
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    sigma::sample(&logs)
}

/// What is known beside the values.
struct Known {
    days: usize,
    assumed: BetweenRuns,
    /// Half the 95 % interval of one run's own samples, on logarithms.
    own: f64,
}

/// The median of `values`, and the fractions below and above it that the next run lies beyond with probability `share` at most.
/// `None` where there are fewer than three values and nothing is known of the machine.
fn bounds(values: &[f64], share: f64, known: &Known) -> Option<(f64, f64, f64)> {
    let value = quantile::median(values)?;
    let n = values.len();
    let z = -normal::quantile(share);
    // Half a 95 % interval is 1.96 deviations.
    let own = if n < RUNS_MIN { z * known.own / 1.96 } else { 0.0 };
    let few = (z * known.assumed.deviation).hypot(own) * (1.0 + 1.0 / n as f64).sqrt();
    let (below, above) = match (prediction::below(values, share), prediction::above(values, share)) {
        (Some(below), Some(above)) => ((value / below).ln(), (above / value).ln()),
        _ if n >= RUNS_MIN => {
            let reach = prediction::reach(n, share)? * spread(values)?;
            (reach, reach)
        }
        _ if known.assumed.deviation == 0.0 => return None,
        _ => (few, few),
    };
    let least = if known.days >= DAYS_MIN && n >= RUNS_MIN { 0.0 } else { few };
    // Rounded outwards, to a hundredth of a percent.
    let outwards = |fraction: f64| (fraction * 1e4 - 1e-6).ceil() / 1e4;
    let (below, above) = (below.max(least), above.max(least));
    Some((value, -outwards(-(-below).exp_m1()), outwards(above.exp_m1())))
}
