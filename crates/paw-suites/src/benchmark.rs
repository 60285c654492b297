//! What a benchmark states about itself. Listing, filters, variables, file names, reports and tests follow from it.

use std::rc::Rc;

use paw_data::cell::{Combine, Role};
use paw_data::point::{AxisValue, Point};
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use crate::engine::Engine;
use crate::host::Host;
use crate::request::Threads;

/// A catalogue entry.
#[derive(Debug)]
pub struct Benchmark {
    /// Name on the command line and in the run: `dgemm`.
    pub name: &'static str,
    /// Suite: `blas`, `memory`, `peak`.
    pub suite: &'static str,
    /// Names of PAW's executables that mean this benchmark.
    pub aliases: &'static [&'static str],
    /// One sentence: the question it answers.
    pub purpose: &'static str,
    /// What stands between the two clock readings.
    pub timed: &'static str,
    /// The work of one iteration that the rate counts (of a time: its bytes, or its operations where it moves none), as `paw-formula`
    /// reads it, over the numbers of the point; behind `;` stands what a reader should know. A test holds it against `work`.
    pub formula: &'static str,
    /// What the headline number counts.
    pub headline: Quantity,
    /// Who can do the work.
    pub providers: Providers,
    /// The axes, the ladder first.
    pub axes: &'static [Axis],
    /// Benchmarks measured in the same rounds, to set this one in proportion.
    pub references: &'static [Reference],
    /// First part of PAW's `.dat` file names and the title inside, where PAW has the test.
    pub dat: Option<(&'static str, &'static str)>,
    /// Environment variables honoured beside those every benchmark honours.
    pub variables: &'static [&'static str],
    /// Thread counts measured where none is asked for.
    pub threads: &'static [Threads],
    /// What the bare `paw run` measures of it: values of axes that differ from the defaults; `None` leaves it out.
    pub quick: Option<&'static [(&'static str, Values)]>,
    /// Whether its suite's name leaves it out: it is measured where it is named itself.
    pub by_name: bool,
    /// The work of one iteration.
    pub work: fn(&Point) -> Work,
    /// Bytes of memory the operands need.
    pub memory_bytes: fn(&Point) -> f64,
    /// Allocates and fills the operands of one point.
    pub start: fn(&Start<'_>) -> Result<Box<dyn Timed>, Fault>,
}

impl Benchmark {
    /// Whether a job gives but one sample.
    pub fn is_once(&self) -> bool {
        matches!(self.providers, Providers::Mpi(Teamwork { series: Series::Once, .. }))
    }

    /// The axis of that name.
    pub fn axis(&self, name: &str) -> Option<&'static Axis> {
        self.axes.iter().find(|axis| axis.name == name)
    }
}

/// What a benchmark needs to start: the point, and who does the work.
pub struct Start<'a> {
    /// Where on the axes; an axis that is absent has its default.
    pub point: &'a Point,
    /// Who does the work.
    pub engine: &'a Rc<Engine>,
    /// Bytes of the largest outermost cache.
    pub last_cache_bytes: f64,
}

/// A benchmark measured in the same rounds as another, to set it in proportion.
#[derive(Debug)]
pub struct Reference {
    /// What it is a reference for.
    pub role: Role,
    /// Name of the benchmark.
    pub benchmark: &'static str,
    /// Who does its work.
    pub by: ReferenceProvider,
    /// Its point, from the subject's; `None` where the subject is held against something else there.
    pub point: fn(&Point, &Host) -> Option<Point>,
}

/// Who does the work of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceProvider {
    /// Our own code, on the subject's processors.
    Own,
    /// The first BLAS library found, else the embedded one, on all cores.
    BestBlas,
}

/// Who can do the work of a benchmark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Providers {
    /// Code of our own only, under the name `native`.
    Native,
    /// The embedded BLAS (`embedded`) and every BLAS found on the machine.
    Blas,
    /// The MPI library the ranks were started with.
    Mpi(Teamwork),
    /// Devices that CUDA or OpenCL drives.
    Device(DeviceGrouping),
}

/// Whether devices are measured at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceGrouping {
    /// Each by itself.
    Alone,
    /// Each by itself; where there are several, in pairs and all at once, too.
    Several,
}

/// How the ranks of an MPI benchmark work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Teamwork {
    /// How many ranks it needs.
    pub ranks: Ranks,
    /// How their readings become one.
    pub combine: Combine,
    /// How the guide of PAW combines them.
    pub guide: Combine,
    /// Whether it can be repeated.
    pub series: Series,
}

/// Whether a benchmark can be repeated within a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// As often as the method wants.
    ByMethod,
    /// Once a job.
    Once,
}

/// How many ranks a benchmark needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranks {
    /// Two, and no more.
    Two,
    /// An even number: rank i works with rank i + P/2.
    Pairs,
    /// Two or more.
    Several,
}

impl Ranks {
    /// How many it needs, in words.
    pub fn words(self) -> &'static str {
        match self {
            Ranks::Two => "exactly 2 ranks",
            Ranks::Pairs => "an even number of ranks, since rank i works with rank i + P/2",
            Ranks::Several => "2 ranks or more",
        }
    }

    /// Whether `ranks` of them will do; else what is needed, in words.
    pub fn suit(self, ranks: usize) -> Result<(), &'static str> {
        match self {
            Ranks::Two if ranks != 2 => Err(self.words()),
            Ranks::Pairs if ranks < 2 || ranks % 2 == 1 => Err(self.words()),
            Ranks::Several if ranks < 2 => Err(self.words()),
            Ranks::Two | Ranks::Pairs | Ranks::Several => Ok(()),
        }
    }
}

/// One axis of a benchmark.
#[derive(Debug)]
pub struct Axis {
    /// Name: `n`, `transa`.
    pub name: &'static str,
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// What it takes where nothing is set.
    pub values: Values,
}

/// The values an axis takes where nothing is set.
#[derive(Debug)]
pub enum Values {
    /// From the first to the last by doubling, the last included.
    Doubling(i64, i64),
    /// Whole numbers.
    Ints(&'static [i64]),
    /// Real numbers.
    Floats(&'static [f64]),
    /// One of these words; the first is the default.
    Words(&'static [&'static str]),
    /// One of these words; every one is measured.
    Each(&'static [&'static str]),
    /// Follows another axis (`m` follows `n`) unless set.
    Follows(&'static str),
    /// Depends on the machine: array sizes and working sets from its caches, instruction sets from its processor.
    Machine(fn(&Host) -> Vec<AxisValue>),
}
