//! What the parent and its workers tell each other beyond the protocol.

use std::path::PathBuf;

use paw_data::point::Point;
use serde::{Deserialize, Serialize};

use crate::device_set::DeviceSet;

/// One cell as a worker needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellSpec {
    /// Name of the benchmark.
    pub benchmark: String,
    /// Where on the axes.
    pub point: Point,
    /// The library that does the work; `None` for our own code.
    pub library: Option<PathBuf>,
    /// The devices that do the work, where devices do.
    #[serde(default)]
    pub devices: Option<DeviceSet>,
    /// Threads asked for.
    pub threads: u32,
    /// Processors they may use.
    pub cpus: Vec<u32>,
    /// Bytes of the largest outermost cache: what cold operands must exceed.
    pub last_cache_bytes: f64,
    /// Number the worker's clock has in the run.
    pub instrument: u32,
}

/// What a worker tells of its library beyond what the run keeps: enough for a diagnosis.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LibraryNote {
    /// Name of its make.
    pub family: String,
    /// `sequential`, `pthread`, `openmp`; empty where unknown.
    pub threading: String,
    /// Bits of its integers.
    pub integer_bits: u32,
}
