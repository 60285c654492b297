//! A kernel as one compiler built it.

use serde::{Deserialize, Serialize};

use crate::number;

/// A kernel as one compiler built it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Build {
    /// The compiler's name: `gcc`, `clang-19`.
    pub compiler: String,
    /// The first line of its `--version`.
    pub version: String,
    /// The flags asked for, as typed: `-O3 -march=native`.
    pub flags: String,
    /// The label of the flags where the user gave one: `base`; else empty.
    pub label: String,
    /// The variant; empty where the kernel has none.
    pub variant: String,
    /// The whole command line.
    pub command: Vec<String>,
    /// The processor that `native` meant to the compiler, if asked for: `icelake-server`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// SHA-256 of the machine code and of the constants it reads, in hexadecimal; empty where it did not build.
    pub code: String,
    /// Names of builds with the same machine code, which were not measured again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<String>,
    /// An excerpt of the compiler's output.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// The library of threads that it was linked with: `libgomp.so.1`; empty if none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub runtime: String,
    /// The floating-point environment of its calls: `ieee`, or `ftz` and its cause; empty before it was loaded.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub float: String,
    /// Resources and launch grid on a device; absent for processors, and before it was compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launched: Option<Launched>,
}

/// A compiled kernel's resources on a device, and its launch grid. A field is `None` if it is unknown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Launched {
    /// Seconds that compiling the program took; a driver may have kept it from before.
    #[serde(deserialize_with = "number::or_nan")]
    pub build_s: f64,
    /// Seconds of the first launch, which includes what the driver deferred.
    #[serde(deserialize_with = "number::or_nan")]
    pub first_s: f64,
    /// Threads that have work.
    pub threads: u64,
    /// Blocks that were launched.
    pub blocks: u64,
    /// Threads of a block.
    pub block: u32,
    /// Registers of a thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// Bytes of shared memory of a block: declared, and asked for at the launch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_bytes: Option<u64>,
    /// Bytes of local memory of a thread, for values that do not fit registers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub local_bytes: Option<u64>,
    /// Threads that execute in lockstep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warp: Option<u32>,
    /// Share of the threads a unit can hold that this block reaches, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occupancy: Option<f64>,
}

impl Build {
    /// Its name in rows: compiler, then label or flags.
    pub fn name(&self) -> String {
        let flags = if self.label.is_empty() { &self.flags } else { &self.label };
        [self.compiler.as_str(), flags].join(" ").trim().to_owned()
    }

    /// Its name with its variant: `gcc -O3 [unroll]`.
    pub fn full_name(&self) -> String {
        if self.variant.is_empty() { self.name() } else { format!("{} [{}]", self.name(), self.variant) }
    }
}
