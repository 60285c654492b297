//! A request to measure an application, with flags already understood.

use std::path::PathBuf;

use paw_data::application::ThreadPoint;
use paw_data::method::Plan;
use paw_data::point::AxisValue;
use paw_formula::Formula;
use paw_measure::prepared_cell::Drive;

use crate::expectation::Expectation;
use crate::launch::Aslr;
use crate::metric::Metric;
use crate::template::Template;

/// A request to measure an application.
#[derive(Debug)]
pub struct AppRequest {
    /// The program.
    pub command: Template,
    /// What speed-ups are held against, where it is another program.
    pub base: Option<Template>,
    /// The other side of an A/B comparison.
    pub versus: Option<Template>,
    /// Parameters besides threads and copies with their values, in order; the first is the size.
    pub axes: Vec<(String, Vec<AxisValue>)>,
    /// Points for which one of these holds are left out.
    pub exclude: Vec<Formula>,
    /// Thread counts with their processors; empty: the program decides.
    pub threads: Vec<ThreadPoint>,
    /// Instances that run at once; empty: one.
    pub copies: Vec<u32>,
    /// All processors that may be used, in the order in which threads and copies take them; empty: the operating system decides.
    pub processors: Vec<u32>,
    /// The parameter that is multiplied by the number of threads.
    pub weak: Option<String>,
    /// How each run is launched.
    pub options: LaunchOptions,
    /// Numbers read from what the program prints.
    pub metrics: Vec<Metric>,
    /// What decides when a series ends.
    pub drive: Drive,
    /// What every run must leave behind.
    pub expectations: Vec<Expectation>,
    /// Method, seed, budget.
    pub plan: Plan,
}

/// How each run is launched.
#[derive(Debug, Clone, Default)]
pub struct LaunchOptions {
    /// Where the program runs.
    pub directory: Option<PathBuf>,
    /// Where what it prints is kept: of each cell the last run.
    pub logs: PathBuf,
    /// What it reads; nothing where absent.
    pub stdin: Option<PathBuf>,
    /// Seconds after which it is ended.
    pub timeout_s: Option<f64>,
    /// Run before each run, untimed.
    pub prepare: Option<Template>,
    /// Run after each run, untimed.
    pub conclude: Option<Template>,
    /// Whether its memory is laid out at random.
    pub aslr: Aslr,
}
