//! A request to measure an application, made of flags that are already parsed.

use std::fmt;
use std::path::PathBuf;

use paw_data::application::ThreadPoint;
use paw_data::method::Plan;
use paw_data::point::AxisValue;
use paw_formula::Formula;
use paw_measure::prepared_cell::Drive;

use crate::expectation::Expectation;
use crate::ignored_codes::IgnoredCodes;
use crate::launch::{Aslr, Sink};
use crate::metric::Metric;
use crate::output_pipe::KEPT_BYTES;
use crate::template::Template;

/// A request to measure an application.
#[derive(Debug)]
pub struct AppRequest {
    /// The programs, at least one, that are measured in the same rounds.
    pub commands: Vec<NamedTemplate>,
    /// The program that speed-ups are relative to, if it is another one.
    pub base: Option<Template>,
    /// Parameters and their values, without threads and copies: the ladders first.
    pub axes: Vec<(String, Vec<AxisValue>)>,
    /// The parameters whose values are alternatives, measured in the same rounds; the values of the others go in order.
    pub alternatives: Vec<String>,
    /// Formulas; points at which one of them holds are left out.
    pub exclude: Vec<Formula>,
    /// Thread counts with their processors; empty: the program chooses.
    pub threads: Vec<ThreadPoint>,
    /// Numbers of instances that run at once; empty: one.
    pub copies: Vec<u32>,
    /// Processors in the order in which threads and copies take them; empty: the operating system places them.
    pub processors: Vec<u32>,
    /// Floating-point operations of one run, where the user states them.
    pub flops: Option<Formula>,
    /// Bytes that one run moves, where the user states them.
    pub bytes: Option<Formula>,
    /// The parameter that grows with the threads.
    pub weak: Option<String>,
    /// Options of each launch.
    pub options: LaunchOptions,
    /// Numbers read from the program's outputs.
    pub metrics: Vec<Metric>,
    /// The figure that decides when a series ends.
    pub drive: Drive,
    /// Conditions that every run must meet.
    pub expectations: Vec<Expectation>,
    /// Method, seed, budget.
    pub plan: Plan,
}

/// A program with the name of its cells' provider.
#[derive(Debug, Clone)]
pub struct NamedTemplate {
    /// Its name.
    pub name: String,
    /// Its command.
    pub template: Template,
}

/// Options of each launch.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// Working directory; absent: that of paw.
    pub directory: Option<PathBuf>,
    /// Directory for what is kept of the outputs of each cell's last run.
    pub logs: PathBuf,
    /// What becomes of the outputs.
    pub outputs: OutputMode,
    /// File that is its standard input; absent: `/dev/null`.
    pub stdin: Option<PathBuf>,
    /// Time limit of a run in seconds.
    pub timeout_s: Option<f64>,
    /// Command that runs before each run, untimed.
    pub prepare: Option<Template>,
    /// Command that runs after each run, untimed.
    pub conclude: Option<Template>,
    /// Command that runs once before the runs of a cell, or of all cells of a group where it is the same for them.
    pub setup: Option<Template>,
    /// Command that runs once after them.
    pub cleanup: Option<Template>,
    /// Exit codes of runs that count although they failed.
    pub ignored: IgnoredCodes,
    /// Address space layout randomisation.
    pub aslr: Aslr,
}

/// What becomes of the outputs of the programs that are measured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OutputMode {
    /// Standard output is discarded. Of standard error the first and last bytes are kept, for the words of a failure.
    #[default]
    Discarded,
    /// Of both, the first and last bytes are kept.
    Ends,
    /// Both are kept whole, in files that the programs write themselves.
    Whole,
    /// Both go where those of paw go.
    Shown,
    /// Standard output overwrites this file; standard error is kept as with `Discarded`.
    File(PathBuf),
}

impl OutputMode {
    /// Standard output and error of a program whose kept outputs are `out` and `err`.
    pub fn sinks(&self, out: PathBuf, err: PathBuf) -> (Sink, Sink) {
        match self {
            Self::Discarded => (Sink::Null, Sink::Ends(err)),
            Self::Ends => (Sink::Ends(out), Sink::Ends(err)),
            Self::Whole => (Sink::File(out), Sink::File(err)),
            Self::Shown => (Sink::Inherit, Sink::Inherit),
            Self::File(file) => (Sink::File(file.clone()), Sink::Ends(err)),
        }
    }
}

impl fmt::Display for OutputMode {
    /// In words: `discarded`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Discarded => f.write_str("discarded"),
            Self::Ends => write!(f, "read beside the program; the first and last {} KiB kept", KEPT_BYTES >> 10),
            Self::Whole => f.write_str("written to files, whole"),
            Self::Shown => f.write_str("shown"),
            Self::File(file) => write!(f, "written to {}", file.display()),
        }
    }
}
