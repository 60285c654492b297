//! What a child is told that launches a kernel on a device. Plain data on a wire.

use std::path::PathBuf;

use paw_data::build::Launched;
use paw_data::kernel::Tolerance;
use paw_foreign::device::{Backend, DeviceFacts, Source};
use serde::{Deserialize, Serialize};

use crate::job::{Answers, Argument};
use crate::spec::device::{DeviceCache, Include};

/// One kernel at one point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchJob {
    /// The device's back-end.
    pub backend: Backend,
    /// The device's number there.
    pub index: u32,
    /// What is compiled.
    pub program: ProgramSource,
    /// The kernel in it.
    pub entry: String,
    /// Blocks that are launched.
    pub blocks: u64,
    /// Threads of a block.
    pub block: u32,
    /// Bytes of shared memory of a block beyond what the source declares.
    pub shared_bytes: u32,
    /// Threads that have work.
    pub threads: u64,
    /// What the kernel is called with, in order.
    pub arguments: Vec<Argument>,
    /// Seed of what is random in the data.
    pub seed: u64,
    /// Launches on fresh data that warm up.
    pub warmup: u64,
    /// What the caches hold.
    pub cache: DeviceCache,
    /// What the time holds.
    pub include: Include,
    /// Name of the kind of the host's memory.
    pub host: String,
    /// What is done with the answers of one launch on fresh data; a function to hold them against is another kernel of the program.
    pub answers: Answers,
    /// What they may differ by.
    pub tolerance: Tolerance,
}

/// The text of a program, and how it is compiled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProgramSource {
    /// CUDA C++ or OpenCL C.
    pub text: String,
    /// The name errors are told with.
    pub name: String,
    /// Options of the compiler.
    pub options: Vec<String>,
    /// Names of kernels that a compiler of templates must be told.
    pub names: Vec<String>,
    /// The file that keeps what the compiler said, in a directory that exists.
    pub log: PathBuf,
}

impl ProgramSource {
    /// As a device's compiler takes it.
    pub(crate) fn source(&self) -> Source {
        let Self { text, name, options, names, .. } = self.clone();
        Source { text, name, options, names }
    }
}

/// What a child tells when a kernel is ready.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchNote {
    /// The device.
    pub facts: DeviceFacts,
    /// What was made of the kernel, and how it is launched.
    pub launched: Launched,
    /// What the compiler said, where it said something.
    pub said: String,
}
