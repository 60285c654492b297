//! The job description that a worker gets for a cell, and the facts about its library that it returns.

use std::path::PathBuf;

use paw_data::point::Point;
use serde::{Deserialize, Serialize};

use crate::device_set::DeviceSet;

/// One cell as a worker needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellSpec {
    /// Name of the benchmark.
    pub benchmark: String,
    /// The cell's place on the axes.
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
    /// Bytes of the largest outermost cache, which cold operands must exceed.
    pub last_cache_bytes: f64,
    /// Id of the worker's clock in the run.
    pub instrument: u32,
}

/// Facts about a worker's library that only the diagnosis needs: the run does not keep them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LibraryNote {
    /// The library's family: `openblas`, `mkl`.
    pub family: String,
    /// `sequential`, `pthread`, `openmp`; empty where unknown.
    pub threading: String,
    /// Bits of its integers.
    pub integer_bits: u32,
}
