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

/// The sections.
pub const SECTIONS: &[Section] = &[
    Section {
        name: "blas",
        question: "is one BLAS library called faster than its copy?",
        start: blas::start,
        weights: [6.0, 6.0],
    },
    Section {
        name: "kernels",
        question: "is one build called faster than an equal one?",
        start: kernels::start,
        weights: [2.0, 1.5],
    },
    Section {
        name: "coverage",
        question: "do intervals hold what fresh runs agree on, and do the words of trust separate?",
        start: coverage::start,
        weights: [3.5, 2.0],
    },
    Section {
        name: "apps",
        question: "is a program called faster than itself?",
        start: apps::start,
        weights: [1.0, 1.0],
    },
    Section {
        name: "memory",
        question: "do intervals of bandwidths and latencies hold what fresh runs agree on?",
        start: memory::start,
        weights: [1.5, 0.0],
    },
    Section {
        name: "power",
        question: "are differences of 2 and 5 % found?",
        start: power::start,
        weights: [1.5, 1.0],
    },
    Section {
        name: "mpi",
        question: "do intervals of messages hold what fresh jobs agree on?",
        start: mpi::start,
        weights: [1.5, 0.0],
    },
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
