//! Facts of a kernel in a run's header: function, data, sizes, reference and measuring options.

use serde::{Deserialize, Serialize};

use crate::application::InputFact;
use crate::precision::Precision;

/// The kernel of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Kernel {
    /// Name of the kernel.
    pub name: String,
    /// The question of the run.
    pub question: Question,
    /// The device it ran on, `cuda0`; empty where a processor called it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub device: String,
    /// Name of the function that is called.
    pub function: String,
    /// Its C declaration.
    pub signature: String,
    /// The source files with their hashes.
    pub sources: Vec<InputFact>,
    /// The arrays it works on.
    pub arrays: Vec<ArrayFact>,
    /// Iterations of one call, or threads of a launch: arithmetic over the names of the sizes.
    pub iterations: String,
    /// Bytes of all arrays: arithmetic over the names of the sizes.
    pub footprint: String,
    /// The reference that answers are compared with: a build, as [`Build::name`](crate::build::Build::name) writes it, or the
    /// file or function they are.
    pub reference: String,
    /// The variant of the reference build; empty if the kernel has none.
    pub reference_variant: String,
    /// The variant that only moves the data, whose time shows the cache level they are in; it has no speed-up.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub residency: String,
    /// The tolerance of answers.
    pub tolerance: Tolerance,
    /// How calls follow each other.
    pub calls: Calls,
    /// The state of the caches when a call begins.
    pub cache: Cache,
    /// The floating-point environment asked for.
    pub float: Float,
    /// When arrays that the function changes get their initial contents back; absent if it changes none of its inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restore: Option<Restore>,
    /// Warm-up calls after each allocation, not timed.
    pub warmup: u64,
    /// Seconds after which the warm-up ends though calls are left; absent if all of them are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warmup_s: Option<f64>,
    /// The processor of all cells, if they were pinned to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<u32>,
    /// The processors of all cells, if they were pinned to several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<u32>,
    /// Number of threads set for OpenMP, if one was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// The sizes, smallest first; of a sensitivity analysis over sizes, the caches alone.
    pub levels: Vec<Level>,
}

impl Kernel {
    /// The precision of its numbers: single if all those with a point are.
    pub fn precision(&self) -> Precision {
        let mut floats =
            self.arrays.iter().map(|array| array.element.as_str()).filter(|e| e.starts_with('f')).peekable();
        let single = floats.peek().is_some() && floats.all(|element| element == "f32");
        if single { Precision::Single } else { Precision::Double }
    }
}

/// The question that a run of the kernel workbench answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Question {
    /// The fastest build at each level.
    #[default]
    Matrix,
    /// The time of one build.
    Measure,
    /// Whether the answers are right; nothing is timed.
    Check,
    /// How the result depends on warm-up, repetitions and size, one at a time.
    Sensitivity,
    /// The further flags that help.
    Search,
    /// The cost of moving data: the residency variant on both sides of each cache's end.
    Residency,
    /// Why one build takes its time.
    Explain,
    /// What the code of the builds is; nothing is timed.
    Analyze,
}

/// An array that a kernel works on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ArrayFact {
    /// Its name in the signature.
    pub name: String,
    /// Type of an element: `f32`, `f64`, `i32` …
    pub element: String,
    /// Elements: arithmetic over the names of the sizes.
    pub extent: String,
    /// How it is filled: `uniform(-1, 1)`.
    pub fill: String,
    /// Whether the array is an answer.
    pub output: bool,
}

/// The tolerance of an element of an answer, which passes within either bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Tolerance {
    /// The largest relative error.
    pub relative: f64,
    /// The largest distance in units in the last place.
    pub ulp: u64,
}

impl Default for Tolerance {
    /// The rounding error of reordering a sum of some thousand single-precision terms.
    fn default() -> Self {
        Self { relative: 1e-5, ulp: 16 }
    }
}

/// How calls follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Calls {
    /// Calls follow each other: the processor may begin a call before the last has ended.
    #[default]
    Throughput,
    /// Each call begins when the last has ended.
    Fenced,
}

/// The state of the caches when a call begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    /// The arrays stay as the last call left them.
    #[default]
    Warm,
    /// Empty of the arrays: every line is flushed before every call, and calls are timed one by one.
    Cold,
}

/// The floating-point environment of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Float {
    /// The state that the loaded code set: linking with fast mathematics may change it.
    #[default]
    AsLinked,
    /// Subnormal numbers are computed as IEEE 754 has it.
    Ieee,
    /// Subnormal numbers are read and written as zero.
    Ftz,
}

/// When arrays that a function changes get their initial contents back, outside the timed region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Restore {
    /// Before each sample: its calls work on what the calls before them left.
    Sample,
    /// Before each call, which is timed alone.
    Call,
}

/// A size and the level of the memory hierarchy it represents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Level {
    /// `L1`, `L2`, `L3`, `RAM`; of sizes that were set by hand, `n = 88`.
    pub name: String,
    /// The size.
    pub n: u64,
    /// Bytes of all arrays at that size.
    pub footprint_bytes: u64,
    /// Bytes of the cache, or of memory.
    pub capacity_bytes: u64,
    /// The smallest size that the rule allows.
    pub n_min: u64,
    /// The largest size that the rule allows.
    pub n_max: u64,
    /// The rule, with its factors: `3 x L1 < bytes <= 0.9 x L2`.
    pub rule: String,
}

/// Axis of the level in a point.
pub const LEVEL: &str = "level";
/// Axis of the size in a point.
pub const SIZE: &str = "n";
/// Axis of the variant in a point.
pub const VARIANT: &str = "variant";
/// Axis of the warm-up calls in a point.
pub const WARMUP: &str = "warmup";
/// Axis of the calls of a sample in a point.
pub const REPS: &str = "reps";
/// The caveat of a build that starts threads and had one processor.
pub const ONE_PROCESSOR: &str = "one-processor";
/// The suite of every kernel.
pub const SUITE: &str = "kernel";
