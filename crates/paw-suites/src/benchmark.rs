//! The constant facts of a benchmark. Listing, filters, variables, file names, reports and tests follow from them.

use std::ops::Deref;
use std::rc::Rc;

use paw_data::cell::Role;
use paw_data::headline::{AlternativesAxis, Family, HeadlineFigure, Pick, ReportPlace};
use paw_data::point::{AxisValue, Point};
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::blas::family::Family as BlasFamily;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use crate::choice::Threads;
use crate::device_set::DeviceGrouping;
use crate::engine::Engine;
use crate::host::Host;
use crate::teamwork::{Series, Teamwork};

/// A catalogue entry: facts that every benchmark writes out, and facts that benchmarks of one kind share.
///
/// `own` is private so that `..OTHER` does not compile: no benchmark inherits another's name, work, alias, file name or headline.
#[derive(Debug)]
pub struct Benchmark {
    own: Own,
    /// Facts shared with benchmarks of the same kind.
    pub common: Common,
    /// Names of PAW's executables that mean this benchmark.
    pub aliases: &'static [&'static str],
    /// First part of PAW's `.dat` file names and the title inside, where PAW has the test.
    pub dat: Option<(&'static str, &'static str)>,
    /// Values of axes in the quick assessment (a bare `paw run`) where they differ from the defaults; `None` leaves the benchmark out.
    pub quick: Option<&'static [(&'static str, Values)]>,
    /// Thread counts in the quick assessment; empty: those of `threads`.
    pub quick_threads: &'static [Threads],
    /// Lines of a run's headline that this benchmark can give.
    pub figures: &'static [Figure],
    /// The axis whose values do the same work, and the value that the others are compared with.
    pub alternatives: Option<(&'static str, &'static str)>,
    /// The precision of the operations it counts, where it counts them in one.
    pub precision: Option<Precision>,
    /// The question of its suite that it answers, where a suite answers its questions in turn.
    pub question: Option<Question>,
}

/// Facts of one benchmark alone.
#[derive(Debug, Clone, Copy)]
pub struct Own {
    /// Name on the command line and in the run: `dgemm`.
    pub name: &'static str,
    /// One sentence: the question it answers.
    pub purpose: &'static str,
    /// The calls between the two clock readings.
    pub timed: &'static str,
    /// The work of one iteration that the rate counts (of a time: its bytes, or its operations where it moves none), as `paw-formula`
    /// reads it, over the numbers of the point; a note for the reader follows `;`. A test holds it against `work`.
    pub formula: &'static str,
    /// The work of one iteration.
    pub work: fn(&Point) -> Work,
    /// Allocates and fills the operands of one point.
    pub start: fn(&Start<'_>) -> Result<Box<dyn Timed>, Fault>,
}

/// Facts that benchmarks of one kind share.
#[derive(Debug, Clone, Copy)]
pub struct Common {
    /// Suite: `blas`, `memory`, `peak`.
    pub suite: &'static str,
    /// The part of a report that shows it.
    pub family: Family,
    /// The quantity that the headline counts.
    pub headline: Quantity,
    /// Who can do the work.
    pub providers: Providers,
    /// The axes, the ladder first.
    pub axes: &'static [Axis],
    /// Benchmarks measured in the same rounds, to set this one in proportion.
    pub references: &'static [Reference],
    /// Environment variables honoured beside those every benchmark honours.
    pub variables: &'static [&'static str],
    /// Thread counts measured where none is asked for.
    pub threads: &'static [Threads],
    /// Whether only its own name selects it, and its suite's name does not.
    pub by_name: bool,
    /// Whether its threads wait for a processor by design, or such waits are what it measures: every sample counts.
    pub counts_waits: bool,
    /// Bytes of memory the operands need.
    pub memory_bytes: fn(&Point) -> f64,
}

/// Makes the fields of `own` readable as fields of the benchmark.
impl Deref for Benchmark {
    type Target = Own;

    fn deref(&self) -> &Own {
        &self.own
    }
}

impl Own {
    /// A benchmark of the kind `common`, without PAW's names, outside the quick assessment and the headline.
    pub const fn of(self, common: Common) -> Benchmark {
        Benchmark {
            own: self,
            common,
            aliases: &[],
            dat: None,
            quick: None,
            quick_threads: &[],
            figures: &[],
            alternatives: None,
            precision: None,
            question: None,
        }
    }
}

impl Benchmark {
    /// The same benchmark with names of PAW's executables that select it.
    #[must_use]
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// The same benchmark with the first part of PAW's `.dat` file names, and the title inside the files.
    #[must_use]
    pub const fn dat(self, stem: &'static str, title: &'static str) -> Self {
        Self { dat: Some((stem, title)), ..self }
    }

    /// The same benchmark in the quick assessment, with these values in place of its axes' defaults.
    #[must_use]
    pub const fn quick(self, axes: &'static [(&'static str, Values)]) -> Self {
        Self { quick: Some(axes), ..self }
    }

    /// The same benchmark with these thread counts in the quick assessment.
    #[must_use]
    pub const fn quick_threads(self, quick_threads: &'static [Threads]) -> Self {
        Self { quick_threads, ..self }
    }

    /// The same benchmark with lines for a run's headline.
    #[must_use]
    pub const fn figures(self, figures: &'static [Figure]) -> Self {
        Self { figures, ..self }
    }

    /// The same benchmark with an axis whose values do the same work as its value `base`.
    #[must_use]
    pub const fn alternatives(self, axis: &'static str, base: &'static str) -> Self {
        Self { alternatives: Some((axis, base)), ..self }
    }

    /// The same benchmark with the precision of the operations it counts.
    #[must_use]
    pub const fn precision(self, precision: Precision) -> Self {
        Self { precision: Some(precision), ..self }
    }

    /// The same benchmark with the question of its suite that it answers.
    #[must_use]
    pub const fn answering(self, name: &'static str, telling: Telling) -> Self {
        Self { question: Some(Question { name, telling }), ..self }
    }

    /// The family, headline figures and precision that its cells carry.
    pub fn report_place(&self) -> ReportPlace {
        let figures = self.figures.iter().map(|figure| HeadlineFigure {
            line: figure.line,
            preference: figure.preference,
            label: figure.label.to_owned(),
            pick: figure.pick,
        });
        let axis = |(axis, base): (&str, &str)| AlternativesAxis { axis: axis.to_owned(), base: base.to_owned() };
        ReportPlace {
            family: self.common.family,
            figures: figures.collect(),
            alternatives: self.alternatives.map(axis),
            precision: self.precision,
        }
    }

    /// The axis of that name.
    pub fn axis(&self, name: &str) -> Option<&'static Axis> {
        self.common.axes.iter().find(|axis| axis.name == name)
    }

    /// Whether a job gives one sample only.
    pub fn is_once(&self) -> bool {
        matches!(self.common.providers, Providers::Mpi(Teamwork { series: Series::Once, .. }))
    }
}

/// A question of a suite, and the steps of a benchmark that answer it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// Its name: `copies in`.
    pub name: &'static str,
    /// The steps of the ladder that answer it.
    pub telling: Telling,
}

/// The steps of a ladder that answer a question by themselves; the other steps add detail to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// Every step.
    All,
    /// The steps at these values.
    At(&'static [i64]),
    /// None: another benchmark answers it.
    None,
}

impl Telling {
    /// Whether the step at `value` answers the question.
    pub fn is_at(self, value: Option<&AxisValue>) -> bool {
        match self {
            Telling::All => true,
            Telling::At(values) => matches!(value, Some(AxisValue::Int(value)) if values.contains(value)),
            Telling::None => false,
        }
    }
}

/// A figure of a run's headline.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// Number of the headline's line: lines are shown in ascending order, each from one benchmark.
    pub line: u32,
    /// Rank among the benchmarks that can give the line: the lowest one measured does.
    pub preference: u32,
    /// Label of the line; `{size}` is replaced by the size it was reached at.
    pub label: &'static str,
    /// Which cell gives the figure.
    pub pick: Pick,
}

/// The inputs to start a benchmark: the point, and the provider's engine.
pub struct Start<'a> {
    /// The point to start at; an absent axis has its default.
    pub point: &'a Point,
    /// Who does the work.
    pub engine: &'a Rc<Engine>,
    /// Bytes of the largest outermost cache.
    pub last_cache_bytes: f64,
}

/// A benchmark measured in the same rounds as another, to set it in proportion.
#[derive(Debug)]
pub struct Reference {
    /// Its role: peak, bandwidth or base.
    pub role: Role,
    /// Name of the benchmark.
    pub benchmark: &'static str,
    /// Who does its work.
    pub by: ReferenceProvider,
    /// The reference's point for a subject's point; `None` where the subject has another reference.
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
    /// The embedded BLAS (`embedded`) and every library found on the machine whose make has the routine.
    Blas(BlasRoutine),
    /// The MPI library with which the ranks were started.
    Mpi(Teamwork),
    /// Devices that CUDA, OpenCL or Level Zero drives.
    Device(DeviceGrouping),
}

/// What a benchmark calls in a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlasRoutine {
    /// A routine of BLAS.
    Standard,
    /// A product of bfloat16 numbers, which is none.
    Bf16Gemm,
    /// A product of bytes, which is none.
    Int8Gemm,
}

impl BlasRoutine {
    /// Whether libraries of this make may have it.
    pub fn is_of(self, family: BlasFamily) -> bool {
        match self {
            BlasRoutine::Standard => family != BlasFamily::OneDnn,
            BlasRoutine::Bf16Gemm => matches!(family, BlasFamily::Mkl | BlasFamily::OpenBlas | BlasFamily::OneDnn),
            BlasRoutine::Int8Gemm => matches!(family, BlasFamily::Mkl | BlasFamily::OneDnn),
        }
    }
}

/// One axis of a benchmark.
#[derive(Debug)]
pub struct Axis {
    /// Name: `n`, `transa`.
    pub name: &'static str,
    /// The axis' meaning, with its unit.
    pub meaning: &'static str,
    /// The values it takes if none are set.
    pub values: Values,
}

/// The values an axis takes if none are set.
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
    /// One of these words, each with its meaning; the first is the default. A word decides `axes`, which cannot be set beside it.
    Giving {
        /// The words and their meanings.
        words: &'static [(&'static str, &'static str)],
        /// The axes decided.
        axes: &'static [&'static str],
    },
    /// Follows another axis (`m` follows `n`) unless set.
    Follows(&'static str),
    /// Depends on the machine: array sizes and working sets from its caches, instruction sets from its processor.
    Machine(fn(&Host) -> Vec<AxisValue>),
    /// Depends on the machine, and stands in every point, on whatever axis: work is computed from it.
    Told(fn(&Host) -> Vec<AxisValue>),
    /// Words that depend on the machine, of which only `some` are measured unless the user names others or says `all`.
    Sampled {
        /// Those measured.
        some: fn(&Host) -> Vec<AxisValue>,
        /// Those there are.
        all: fn(&Host) -> Vec<AxisValue>,
    },
}
