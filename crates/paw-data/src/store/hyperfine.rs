//! JSON as hyperfine writes it (`--export-json`): read as a run, and written for the scripts that read it.
//!
//! Written from the files that the program leaves.

mod read;
mod write;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use read::{HyperfineError, import};
pub use write::{left_out, write};

/// The document.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    results: Vec<Measured>,
}

/// One command at one set of parameters; times in seconds. What a file lacks is absent.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Measured {
    /// The command, or the name that the user gave it.
    command: String,
    mean: Option<f64>,
    /// The sample's standard deviation; `None` of one run.
    stddev: Option<f64>,
    median: Option<f64>,
    /// Means over the runs.
    user: Option<f64>,
    system: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_usage_byte: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Vec<f64>>,
    /// One of each run; `None` where a signal ended it.
    exit_codes: Vec<Option<i32>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    parameters: BTreeMap<String, serde_json::Value>,
}
