//! One benchmark at one point with one provider.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::build::Build;
use crate::headline::{Family, ReportPlace, known};
use crate::point::Point;
use crate::precision::Precision;
use crate::quantity::Quantity;
use crate::work::Work;

/// The purpose of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A cell that the user asked for.
    Subject,
    /// Reference: the floating-point peak.
    Peak,
    /// Reference: the memory bandwidth.
    Bandwidth,
    /// Reference: the base of ratios.
    Base,
}

impl Role {
    /// Whether the cell is there to set others in proportion.
    pub fn is_reference(self) -> bool {
        self != Role::Subject
    }
}

/// How the readings of several ranks are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Combine {
    /// There is one process.
    Single,
    /// The slowest rank: completion.
    Slowest,
    /// The fastest rank.
    Fastest,
    /// The mean over ranks.
    Mean,
    /// The common window of all ranks: from the first start to the last end, on one clock.
    Window,
    /// The slowest rank, with every rank's own time beside it: each is that of its pair.
    Pairs,
}

impl Combine {
    /// The rule in words: which of several ranks' times counts.
    pub fn words(self) -> &'static str {
        match self {
            Combine::Single => "one process",
            Combine::Slowest => "completion = slowest rank",
            Combine::Fastest => "minimum over ranks (PAW's guide)",
            Combine::Mean => "mean over ranks",
            Combine::Window => "common window = last end - first start of all ranks",
            Combine::Pairs => "each pair's own time, in a row that of the slowest pair",
        }
    }
}

/// Where one rank of a cell runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Rank {
    /// Rank number, from 0.
    pub rank: u32,
    /// Host name.
    pub host: SmolStr,
    /// Processors its threads are bound to.
    pub cpus: Vec<u32>,
    /// Rank it is paired with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<u32>,
    /// Socket its processors lie in, where they lie in one: the number the system gives the package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<u32>,
    /// Core its processors belong to, where they belong to one: the number the system gives the core within its package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<u32>,
}

/// The library a cell was measured with, as it was found at run time.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Library {
    /// Real path of the file; empty for built-in code.
    pub path: String,
    /// Version or configuration string, as the library reports it.
    pub version: String,
    /// Kernel family it chose for this processor, as it reports it or as the files it mapped show.
    pub core: String,
    /// Threads really used, counted after the first call.
    pub threads: u32,
}

/// One benchmark at one point with one provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cell {
    /// Number within the run.
    pub id: u32,
    /// Name of the benchmark.
    pub benchmark: SmolStr,
    /// Name of its suite.
    #[serde(default)]
    pub suite: SmolStr,
    /// The provider that does the work: `embedded`, `openblas`, `native` …
    pub provider: SmolStr,
    /// The purpose of the cell.
    pub role: Role,
    /// Cells with the same group number were interleaved in rounds and may be compared sample by sample.
    pub group: u32,
    /// The point on the axes.
    pub point: Point,
    /// Name of the method.
    pub method: SmolStr,
    /// Work of one iteration.
    pub work: Work,
    /// The formula of the headline's work: `2*m*n*k`, with words for readers behind a `;`.
    #[serde(default)]
    pub formula: SmolStr,
    /// What the headline counts.
    pub headline: Quantity,
    /// Where its benchmark appears in a report. Read it through [`Cell::report_place`], which knows older runs too.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub report: Option<ReportPlace>,
    /// How ranks are combined.
    #[serde(default = "single")]
    pub combine: Combine,
    /// Number of the instrument in the run.
    pub instrument: u32,
    /// The process and its processors, of a cell without a team.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranks: Vec<Rank>,
    /// Number of the team in the run, where processes measured together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<u32>,
    /// The library, where one is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<Arc<Library>>,
    /// How the code was built, where it is built for the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Box<Build>>,
    /// PAW's name of the test in `.dat` file names and headers (`dgemm`, `DGEMM`), where PAW has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dat: Option<Box<Dat>>,
}

impl Cell {
    /// A subject that one process measures. All numbers are 0, the work, the formula and the method's name are empty, and what may be
    /// absent is.
    pub fn new(
        suite: impl Into<SmolStr>,
        benchmark: impl Into<SmolStr>,
        provider: impl Into<SmolStr>,
        headline: Quantity,
        point: Point,
    ) -> Self {
        Self {
            id: 0,
            benchmark: benchmark.into(),
            suite: suite.into(),
            provider: provider.into(),
            role: Role::Subject,
            group: 0,
            point,
            method: SmolStr::default(),
            work: Work::default(),
            formula: SmolStr::default(),
            headline,
            report: None,
            combine: Combine::Single,
            instrument: 0,
            ranks: Vec::new(),
            team: None,
            library: None,
            build: None,
            dat: None,
        }
    }

    /// Where its benchmark appears in a report: as stated, else by name. `None` for programs and kernels.
    pub fn report_place(&self) -> Option<ReportPlace> {
        self.report.clone().or_else(|| ReportPlace::named(&self.suite, &self.benchmark))
    }

    /// The family of its benchmark: as stated, else by name. `None` for programs and kernels.
    pub fn family(&self) -> Option<Family> {
        let stated = self.report.as_ref().map(|place| place.family);
        stated.or_else(|| Family::named(&self.suite, &self.benchmark))
    }

    /// The part of an iteration whose time PAW gives: one operation of several, and of message rates a window.
    pub fn share_of_iteration(&self) -> f64 {
        self.dat.as_deref().and_then(Dat::time_factor).unwrap_or(1.0 / self.work.operations())
    }

    /// The precision of the operations that its benchmark counts: as stated, else by name. `None` where there is not one.
    pub fn precision(&self) -> Option<Precision> {
        let stated = self.report.as_ref().and_then(|place| place.precision);
        stated.or_else(|| Precision::named(&self.suite, &self.benchmark))
    }
}

fn single() -> Combine {
    Combine::Single
}

/// How PAW's files name a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Dat {
    /// First part of the file name: `dgemm`. `{}` in it is replaced by `time`, `flops` or `bw`, and the name has
    /// no process count (`gpu_transfer_{}_in_pinned`); one that ends in `.dat` is the complete name.
    pub stem: String,
    /// Name in the header and footer: `DGEMM`.
    pub title: String,
    /// The axis that is the SIZE column; a benchmark without it has SIZE 1.
    pub size: String,
    /// Bytes of one step of that axis, where the column is in bytes: 8 for counts of doubles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element_bytes: Option<u32>,
}

impl Dat {
    /// The factor of PAW's times, where an iteration is not one operation: its message rates time a whole window, and half a window
    /// where both directions are timed.
    pub(crate) fn time_factor(&self) -> Option<f64> {
        match self.stem.as_str() {
            "mrate" => Some(1.0),
            "mrate_bidir" => Some(0.5),
            _ => None,
        }
    }

    /// A test whose SIZE column is the axis `size`, unchanged.
    pub fn new(stem: impl Into<String>, title: impl Into<String>, size: impl Into<String>) -> Self {
        Self { stem: stem.into(), title: title.into(), size: size.into(), element_bytes: None }
    }
}
