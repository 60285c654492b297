//! Timed regions in the order they were taken, never sorted, dropped or rounded.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use paw_stats::quantile;
use serde::{Deserialize, Serialize};

use crate::secondary::MetricName;

/// Whether a sample warmed the machine up or counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Before measuring: kept, never summarised.
    Warmup,
    /// Part of the measurement.
    Measure,
}

/// One timed region.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sample {
    /// Round in which the sample was taken, from 0.
    pub round: u32,
    /// Place of the cell within its round, from 0.
    pub position: u32,
    /// Fresh process (or job of ranks) that the sample was taken in, from 0.
    pub invocation: u32,
    /// Seconds since the run began at which the sample ended.
    pub at_s: f64,
    /// Iterations in the timed region.
    pub loops: u64,
    /// Length of the whole timed region by the headline clock, in seconds.
    pub elapsed_s: f64,
    /// Time that the region's threads were runnable but not running, summed over threads, in seconds.
    pub run_delay_s: f64,
    /// Involuntary context switches of the region's threads.
    pub switches: u32,
    /// Moves of a region's thread to another processor.
    pub migrations: u32,
    /// Whether the disturbance passes the limits, so that the estimate leaves this sample out.
    pub disturbed: bool,
    /// Seconds of each single operation, where each was stamped; else empty.
    pub ops_s: Vec<f64>,
    /// Secondary metrics by name.
    pub extra: BTreeMap<MetricName, f64>,
}

impl Sample {
    /// Seconds of one iteration: their mean, or the median of operations that were stamped one by one.
    pub fn per_loop_s(&self) -> f64 {
        iteration_s(self.elapsed_s, self.loops, Some(&self.ops_s))
    }
}

/// Seconds of one of `loops` iterations that took `elapsed_s`. One stamped operation in a hundred that waits for a time slice of milliseconds
/// would make up most of a mean.
fn iteration_s(elapsed_s: f64, loops: u64, ops_s: Option<&[f64]>) -> f64 {
    ops_s.and_then(quantile::median).unwrap_or(elapsed_s / loops as f64)
}

/// Samples as columns of equal length, as on disk; a column that was not read is empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Samples {
    /// See [`Sample::round`].
    pub round: Vec<u32>,
    /// See [`Sample::position`].
    pub position: Vec<u32>,
    /// See [`Sample::invocation`].
    pub invocation: Vec<u32>,
    /// See [`Sample::at_s`].
    pub at_s: Vec<f64>,
    /// See [`Sample::loops`].
    pub loops: Vec<u64>,
    /// See [`Sample::elapsed_s`].
    pub elapsed_s: Vec<f64>,
    /// See [`Sample::run_delay_s`].
    pub run_delay_s: Vec<f64>,
    /// See [`Sample::switches`].
    pub switches: Vec<u32>,
    /// See [`Sample::migrations`].
    pub migrations: Vec<u32>,
    /// See [`Sample::disturbed`].
    pub disturbed: Vec<bool>,
    /// See [`Sample::ops_s`]; absent where no operation was stamped.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ops_s: Vec<Vec<f64>>,
    /// See [`Sample::extra`]: one column a name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<MetricName, Vec<f64>>,
}

/// The samples of a warm-up. Of the many cells that have none they take the room of a pointer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WarmupSamples(Option<Box<Samples>>);

impl From<Samples> for WarmupSamples {
    fn from(samples: Samples) -> Self {
        Self(Some(Box::new(samples)))
    }
}

impl Deref for WarmupSamples {
    type Target = Samples;

    fn deref(&self) -> &Samples {
        static NONE: LazyLock<Samples> = LazyLock::new(Samples::default);
        self.0.as_deref().unwrap_or(&NONE)
    }
}

impl DerefMut for WarmupSamples {
    fn deref_mut(&mut self) -> &mut Samples {
        self.0.get_or_insert_default()
    }
}

impl Samples {
    /// Number of samples.
    pub fn len(&self) -> usize {
        self.elapsed_s.len()
    }

    /// Whether there is no sample.
    pub fn is_empty(&self) -> bool {
        self.elapsed_s.is_empty()
    }

    /// Appends one sample. A name missing from an earlier or this sample reads as NaN there.
    pub fn push(&mut self, sample: Sample) {
        let before = self.len();
        self.round.push(sample.round);
        self.position.push(sample.position);
        self.invocation.push(sample.invocation);
        self.at_s.push(sample.at_s);
        self.loops.push(sample.loops);
        self.elapsed_s.push(sample.elapsed_s);
        self.run_delay_s.push(sample.run_delay_s);
        self.switches.push(sample.switches);
        self.migrations.push(sample.migrations);
        self.disturbed.push(sample.disturbed);
        if !sample.ops_s.is_empty() || !self.ops_s.is_empty() {
            self.ops_s.resize(before, Vec::new());
            self.ops_s.push(sample.ops_s);
        }
        for (name, value) in sample.extra {
            let column = self.extra.entry(name).or_default();
            column.resize(before, f64::NAN);
            column.push(value);
        }
        for column in self.extra.values_mut() {
            column.resize(before + 1, f64::NAN);
        }
    }

    /// Appends all samples of `later`. A name missing on one side reads as NaN there.
    pub fn append(&mut self, later: Samples) {
        if self.is_empty() {
            *self = later;
            return;
        }
        let (before, after) = (self.len(), self.len() + later.len());
        self.round.extend_from_slice(&later.round);
        self.position.extend_from_slice(&later.position);
        self.invocation.extend_from_slice(&later.invocation);
        self.at_s.extend_from_slice(&later.at_s);
        self.loops.extend_from_slice(&later.loops);
        self.elapsed_s.extend_from_slice(&later.elapsed_s);
        self.run_delay_s.extend_from_slice(&later.run_delay_s);
        self.switches.extend_from_slice(&later.switches);
        self.migrations.extend_from_slice(&later.migrations);
        self.disturbed.extend_from_slice(&later.disturbed);
        if !self.ops_s.is_empty() || !later.ops_s.is_empty() {
            self.ops_s.resize(before, Vec::new());
            self.ops_s.extend_from_slice(&later.ops_s);
            self.ops_s.resize(after, Vec::new());
        }
        for (name, values) in later.extra {
            let column = self.extra.entry(name).or_default();
            column.resize(before, f64::NAN);
            column.extend(values);
        }
        for column in self.extra.values_mut() {
            column.resize(after, f64::NAN);
        }
    }

    /// The column of a secondary metric; `None` where no sample has it.
    pub fn secondary(&self, name: impl Into<MetricName>) -> Option<&[f64]> {
        self.extra.get(&name.into()).map(Vec::as_slice)
    }

    /// Seconds of one iteration in every sample, in order; of operations that were stamped one by one the median of each sample's.
    pub fn per_loop_s(&self) -> Vec<f64> {
        (0..self.len()).map(|at| self.iteration_s(at)).collect()
    }

    /// Seconds of one iteration in the sample at this place.
    pub fn iteration_s(&self, at: usize) -> f64 {
        iteration_s(self.elapsed_s[at], self.loops[at], self.ops_s.get(at).map(Vec::as_slice))
    }

    /// Seconds of every operation that was stamped, of the samples that nothing disturbed.
    pub fn clean_ops_s(&self) -> Vec<f64> {
        let clean = self.ops_s.iter().zip(&self.disturbed).filter(|(_, disturbed)| !**disturbed);
        clean.flat_map(|(ops_s, _)| ops_s).copied().collect()
    }

    /// Seconds of one iteration in the samples that nothing disturbed, in order.
    pub fn clean_per_loop_s(&self) -> Vec<f64> {
        self.per_loop_s().into_iter().zip(&self.disturbed).filter(|(_, d)| !**d).map(|(t, _)| t).collect()
    }
}
