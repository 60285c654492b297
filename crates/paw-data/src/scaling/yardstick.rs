//! What the points of an application are held against each other by: wall time, or a number that the program prints.

use std::borrow::Cow;

use crate::application::{Application, Better, MetricFact};
use crate::run::Record;
use crate::sample::{Sample, Samples};
use crate::secondary::MetricName;
use crate::summary::Figure;
use crate::time_unit;

/// What the points of an application are held against each other by. Whatever it is, less of its *cost* is better: a time, a number of which
/// less is better, or the inverse of a number of which more is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yardstick<'run> {
    /// The wall time of a run.
    WallTime,
    /// A number that each run prints.
    Metric(&'run MetricFact),
}

/// What a yardstick measures, which decides what may be said about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum YardstickKind {
    /// A time, and the seconds of its unit.
    Time(f64),
    /// Work in a time, more being better.
    Rate,
    /// Another number: points have ratios, and threads no laws.
    Number,
}

impl<'run> Yardstick<'run> {
    /// That of the headline of `app`.
    pub fn headline(app: &'run Application) -> Self {
        let named = app.headline.as_ref().and_then(|name| app.metrics.iter().find(|metric| metric.name == *name));
        named.map_or(Self::WallTime, Self::Metric)
    }

    /// All of `app`, that of its headline first.
    pub fn all(app: &'run Application) -> Vec<Self> {
        let headline = Self::headline(app);
        let known = std::iter::once(Self::WallTime).chain(app.metrics.iter().map(Self::Metric));
        std::iter::once(headline).chain(known.filter(|own| *own != headline)).collect()
    }

    /// Its name: `wall time`, or that of the metric.
    pub fn name(&self) -> &'run str {
        match self {
            Self::WallTime => "wall time",
            Self::Metric(fact) => &fact.name,
        }
    }

    /// The metric that it is, if it is one.
    pub fn metric(&self) -> Option<&'run MetricFact> {
        match self {
            Self::WallTime => None,
            Self::Metric(fact) => Some(fact),
        }
    }

    /// What it measures.
    pub fn kind(&self) -> YardstickKind {
        let Self::Metric(fact) = self else { return YardstickKind::Time(1.0) };
        let is_rate = fact.unit.rsplit_once('/').is_some_and(|(_, per)| time_unit::seconds(per).is_some());
        match (time_unit::seconds(&fact.unit), fact.better) {
            (Some(seconds), Better::Lower) => YardstickKind::Time(seconds),
            (None, Better::Higher) if is_rate => YardstickKind::Rate,
            _ => YardstickKind::Number,
        }
    }

    /// Whether it tells how fast a program is, so that laws of parallel work hold for it.
    pub fn is_pace(&self) -> bool {
        self.kind() != YardstickKind::Number
    }

    /// Whether more of it is better.
    pub fn more_is_better(&self) -> bool {
        matches!(self, Self::Metric(fact) if fact.better == Better::Higher)
    }

    /// The unit of its values; empty for a bare number. Values of times are in seconds, whatever the program prints.
    pub fn unit(&self) -> &'run str {
        match (self.kind(), self.metric()) {
            (YardstickKind::Time(_), _) | (_, None) => "s",
            (_, Some(fact)) => &fact.unit,
        }
    }

    /// The value of a cost, in [`Yardstick::unit`].
    pub fn value(&self, cost: f64) -> f64 {
        match self.kind() {
            YardstickKind::Time(seconds) => cost * seconds,
            YardstickKind::Rate | YardstickKind::Number => self.printed(cost),
        }
    }

    /// The value of a cost as the program prints it.
    pub fn printed(&self, cost: f64) -> f64 {
        if self.more_is_better() { 1.0 / cost } else { cost }
    }

    /// The figure, as the program prints it, of a figure of costs.
    pub fn figure(&self, costs: Figure) -> Figure {
        let Figure { value, low, high } = costs;
        let (low, high) = if self.more_is_better() { (high, low) } else { (low, high) };
        let printed = |cost: f64| self.printed(cost);
        Figure { value: printed(value), low: low.map(printed), high: high.map(printed) }
    }

    /// The seconds of a cost; `None` where it is no time.
    pub fn seconds(&self, cost: f64) -> Option<f64> {
        matches!(self.kind(), YardstickKind::Time(_)).then(|| self.value(cost))
    }

    /// `record` as this yardstick sees it: the time of each sample is its cost. Samples that did not print a metric are not seen; a number
    /// that has no ratio, such as a rate of 0, is seen as none.
    pub fn seen<'a>(&self, record: &'a Record) -> Cow<'a, Record> {
        let Some(fact) = self.metric() else { return Cow::Borrowed(record) };
        let (cell, outcome) = (record.cell.clone(), record.outcome.clone());
        Cow::Owned(Record { samples: self.costs(&record.samples, fact), outcome, ..Record::new(cell) })
    }

    fn costs(&self, samples: &Samples, fact: &MetricFact) -> Samples {
        let mut seen = Samples::default();
        let Some(column) = samples.secondary(MetricName::of_program(&fact.name)) else { return seen };
        for (at, printed) in column.iter().enumerate().filter(|(_, value)| value.is_finite()) {
            let is_possible = *printed > 0.0 || *printed == 0.0 && !self.more_is_better();
            let extra = samples.extra.iter().filter_map(|(name, values)| Some((name.clone(), *values.get(at)?)));
            seen.push(Sample {
                round: samples.round[at],
                position: samples.position.get(at).copied().unwrap_or_default(),
                invocation: samples.invocation.get(at).copied().unwrap_or_default(),
                at_s: samples.at_s.get(at).copied().unwrap_or(f64::NAN),
                loops: 1,
                elapsed_s: if is_possible { self.printed(*printed) } else { f64::NAN },
                disturbed: samples.disturbed[at],
                extra: extra.collect(),
                ..Sample::default()
            });
        }
        seen
    }
}
