//! Stored values with bounds, which later runs are judged by: their file, the judgement, and the bounds that runs give.

pub mod bounds;
pub mod file;
pub mod judgement;
pub mod pattern;
pub mod peaks;
pub mod reading;
pub mod subject;
pub mod unit;
pub mod verdict;

use std::fmt;
use std::ops::{Range, RangeInclusive};

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use crate::application::COMMAND;
use crate::document::non_negative;
use crate::point::Point;
use pattern::Pattern;
use unit::Unit;

/// The percentiles that bounds can have: beyond them a bound would be none, or the middle.
pub const PERCENTILES: RangeInclusive<f64> = 0.01..=40.0;

/// The most runs or days that a reference can be from: more is a mistake of typing.
const COUNT_MAX: u64 = 1_000_000_000;

/// A stored value with its bounds: an entry `[[reference]]` of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// Name of the benchmark, kernel or program; empty where the command says enough.
    pub benchmark: String,
    /// Pattern of the program's command line, of programs alone.
    pub command: Option<Pattern>,
    /// The provider; `None`: the only one at the point.
    pub provider: Option<String>,
    /// The axes that the cell must have, and their values.
    pub point: Point,
    /// The number that the program prints; `None`: what paw measures.
    pub metric: Option<String>,
    /// Which statistic of a run is judged.
    pub statistic: Statistic,
    /// The value, in plain units.
    pub value: f64,
    /// The unit that the file has it in.
    pub unit: Unit,
    /// The smallest value allowed, in plain units.
    pub lower: Option<f64>,
    /// The largest value allowed, in plain units.
    pub upper: Option<f64>,
    /// Pattern of the machines that it is for; `None`: every machine.
    pub machine: Option<Pattern>,
    /// Where the value is from.
    pub provenance: Provenance,
    /// Its first line in the file, from 1.
    pub line: usize,
    /// The bytes of its header in the file.
    pub span: Range<usize>,
}

impl Baseline {
    /// The bound beyond which a value is a regression.
    pub fn worse(&self) -> Option<f64> {
        if self.unit.counted.more_is_better() { self.lower } else { self.upper }
    }

    /// The bound beyond which a value is too good to be believed.
    pub fn better(&self) -> Option<f64> {
        if self.unit.counted.more_is_better() { self.upper } else { self.lower }
    }

    /// `dgemm embedded n=8 threads=1` or `./fit input.dat threads=2 fit_ms`: what it is the value of, on one line.
    pub fn title(&self) -> String {
        let command = self.command.as_ref().map(ToString::to_string);
        let provider = self.provider.clone().filter(|provider| *provider != self.benchmark);
        let [name, provider] = match command {
            // The command names its program, and a provider that only says that it is one.
            Some(command) => [Some(command), provider.filter(|provider| provider != COMMAND)],
            None => [Some(self.benchmark.clone()), provider],
        };
        let parts = [name, provider, Some(self.point.to_string()), self.metric.clone()];
        parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// A statistic of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Statistic {
    /// The median of its samples, with its 95 % interval.
    #[default]
    Median,
    /// The best of its samples, with the way to the last sample that must agree with it.
    Min,
    /// The mean, which has no interval: of results that other programs wrote.
    Mean,
}

impl Statistic {
    /// Its word in files.
    pub fn word(self) -> &'static str {
        match self {
            Statistic::Median => "median",
            Statistic::Min => "min",
            Statistic::Mean => "mean",
        }
    }
}

/// Where a value is from.
#[derive(Debug, Clone, PartialEq)]
pub enum Provenance {
    /// Words of the person who wrote it; empty where there are none.
    Stated(String),
    /// Runs of paw.
    Measured(Measured),
}

/// The runs that a value is from.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measured {
    /// How many.
    #[serde(deserialize_with = "count")]
    pub runs: usize,
    /// On how many days (UTC).
    #[serde(deserialize_with = "count")]
    pub days: usize,
    /// Relative standard deviation from run to run; `None` for one run.
    #[serde(deserialize_with = "share")]
    pub spread: Option<f64>,
    /// The percentile of the bounds.
    #[serde(deserialize_with = "percentile")]
    pub percentile: Option<f64>,
    /// Half the relative 95 % interval that the samples of one such run show; `None`: they showed none.
    #[serde(deserialize_with = "share")]
    pub half_width: Option<f64>,
    /// Name of the latest run.
    pub run: String,
    /// Its date.
    pub date: String,
    /// The program that measured it.
    pub tool: String,
    /// A reason to doubt the value, in one sentence; empty: none.
    pub doubt: String,
}

impl Provenance {
    /// The runs, where it is from runs.
    pub fn measured(&self) -> Option<&Measured> {
        match self {
            Provenance::Measured(measured) => Some(measured),
            Provenance::Stated(_) => None,
        }
    }
}

/// A number of runs or days.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    struct Count;
    impl Visitor<'_> for Count {
        type Value = usize;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number from 0 to 10^9")
        }
        fn visit_u64<E: Error>(self, number: u64) -> Result<usize, E> {
            let fits = usize::try_from(number).ok().filter(|_| number <= COUNT_MAX);
            fits.ok_or_else(|| E::custom("must be a whole number from 0 to 10^9"))
        }
        fn visit_i64<E: Error>(self, number: i64) -> Result<usize, E> {
            self.visit_u64(u64::try_from(number).unwrap_or(u64::MAX))
        }
        fn visit_f64<E: Error>(self, _: f64) -> Result<usize, E> {
            self.visit_u64(u64::MAX)
        }
    }
    deserializer.deserialize_any(Count)
}

/// A deviation or half a width relative to the value.
fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    non_negative(deserializer).map(Some)
}

fn percentile<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let number = f64::deserialize(deserializer)?;
    let fits = PERCENTILES.contains(&number);
    if fits { Ok(Some(number)) } else { Err(D::Error::custom("must be a number from 0.01 to 40")) }
}
