//! The sections of a calibration, the most important first.

use crate::experiment::Experiment;
use crate::load::LoadState;
use crate::tool::Tool;
use crate::{apps, blas, coverage, kernels, memory, mpi, power};

/// One section.
#[derive(Debug)]
pub struct Section {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it asks.
    pub question: &'static str,
    /// Makes its experiment; the error says what is missing here.
    pub start: fn(&Tool) -> Result<Box<dyn Experiment>, String>,
    /// Shares of the time, idle and loaded; 0 leaves it out.
    pub weights: [f64; 2],
}

const fn section(
    name: &'static str,
    question: &'static str,
    start: fn(&Tool) -> Result<Box<dyn Experiment>, String>,
    weights: [f64; 2],
) -> Section {
    Section { name, question, start, weights }
}

/// The sections.
pub const SECTIONS: &[Section] = &[
    section("blas", "is one BLAS library called faster than its copy?", blas::start, [6.0, 6.0]),
    section("kernels", "is one build called faster than an equal one?", kernels::start, [2.0, 1.5]),
    section(
        "coverage",
        "do intervals hold what fresh runs agree on, and do the words of trust separate?",
        coverage::start,
        [3.5, 2.0],
    ),
    section("apps", "is a program called faster than itself?", apps::start, [1.0, 1.0]),
    section(
        "memory",
        "do intervals of bandwidths and latencies hold what fresh runs agree on?",
        memory::start,
        [1.5, 0.0],
    ),
    section("power", "are differences of 2 and 5 % found?", power::start, [1.5, 1.0]),
    section("mpi", "do intervals of messages hold what fresh jobs agree on?", mpi::start, [1.5, 0.0]),
];

impl Section {
    /// Its share of the time under `load`.
    pub fn weight(&self, load: LoadState) -> f64 {
        match load {
            LoadState::Idle => self.weights[0],
            LoadState::Loaded => self.weights[1],
        }
    }
}
