//! A kernel for a device as its author describes it: source, axes, threads, data, and when its answer is right.

mod axes;
mod file;
mod measure;
pub mod point;

use std::path::PathBuf;

use paw_data::kernel::Tolerance;
use paw_foreign::device::{Backend, HostKind};
use paw_formula::Formula;
use serde::{Deserialize, Serialize};

pub use axes::spelt;

use super::{Array, Scalar, Signature};

/// Languages of devices, and who compiles them.
pub const LANGUAGES: &[(&str, Backend)] = &[("cuda", Backend::Cuda), ("opencl", Backend::OpenCl)];

/// The name of the formula that counts threads.
pub const THREADS: &str = "threads";
/// The axis of the threads of a block.
pub const BLOCK: &str = "block";
/// The axis of what the caches hold, where both were asked for.
pub const CACHE: &str = "cache";

/// A kernel for a device, understood: every name in it stands for something.
#[derive(Debug, Clone)]
pub struct DeviceSpec {
    /// The file it was read from.
    pub path: PathBuf,
    /// Its name; the file's, where it gives none.
    pub name: String,
    /// Through what it is compiled and launched.
    pub backend: Backend,
    /// The source file, absolute.
    pub source: PathBuf,
    /// The kernel in it: a name, or a template with its arguments, `kinfit<float>`.
    pub entry: String,
    /// Options of the device's compiler, one a word.
    pub options: Vec<String>,
    /// The kernel's declaration as C would have it, without what only devices know (`__global__`, `__kernel`).
    pub signature: Signature,
    /// The axes, in the order of the file.
    pub axes: Vec<Axis>,
    /// Sizes and scalars: arithmetic over the axes and the scalars above.
    pub scalars: Vec<Scalar>,
    /// Threads that have work: arithmetic over axes and scalars. As many blocks are launched as hold them.
    pub threads: Formula,
    /// Threads of a block; several are an axis.
    pub block: Vec<u32>,
    /// Bytes of shared memory that a block gets beyond what the source declares.
    pub shared: Option<Formula>,
    /// The arrays, in the order of the signature.
    pub arrays: Vec<DeviceArray>,
    /// Floating-point operations of one launch, where the author says.
    pub flops: Option<Formula>,
    /// Bytes moved in one launch, where the author says.
    pub bytes: Option<Formula>,
    /// What answers are held against.
    pub reference: DeviceReference,
    /// What they may differ by.
    pub tolerance: Tolerance,
    /// How it is measured unless the command line says otherwise.
    pub measure: DeviceMeasure,
}

/// Something that is varied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// Its name, in formulas and on the command line.
    pub name: String,
    /// Its values, in the order of the file.
    pub values: Vec<u64>,
}

/// An array in the device's memory.
#[derive(Debug, Clone)]
pub struct DeviceArray {
    /// What it holds.
    pub array: Array,
    /// Whether the kernel reads what it begins with: it is copied in before a launch.
    pub input: bool,
    /// Whether the kernel may write to it: its pointer is not `const`.
    pub written: bool,
}

/// What a device's answers are held against.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DeviceReference {
    /// Themselves: two launches on equal data must agree.
    #[default]
    Repeated,
    /// Numbers in a file, as [`Reference::File`](super::Reference::File) has them.
    File(PathBuf),
    /// Another kernel of the same source and signature.
    Entry(String),
    /// A C function of the kernel's name and signature that does the work of all threads, in a file of its own, built with these flags.
    Processor(PathBuf, String),
}

/// What the device's caches hold when a launch begins, and how launches follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceCache {
    /// Nothing of the arrays: more than the last cache holds is written before each launch, and each is timed alone.
    Cold,
    /// What the last launch left: launches are queued one behind the other.
    Warm,
}

impl DeviceCache {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            DeviceCache::Cold => "cold",
            DeviceCache::Warm => "warm",
        }
    }
}

/// What the time holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Include {
    /// The launch alone.
    Kernel,
    /// Inputs copied in, the launch, answers copied out.
    Transfer,
}

/// How a kernel is measured on a device.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceMeasure {
    /// Launches after each preparation that warm up.
    pub warmup: u64,
    /// Launches of a sample; found by its length where absent.
    pub reps: Option<u64>,
    /// Samples, where their number is fixed.
    pub metas: Option<u32>,
    /// Name of the method.
    pub method: String,
    /// What the caches hold; both are alternatives that are interleaved.
    pub cache: Vec<DeviceCache>,
    /// What the time holds.
    pub include: Include,
    /// Memory of the host that is copied from and to.
    pub host: HostKind,
    /// Seed of what is random in the data.
    pub seed: u64,
}

impl Default for DeviceMeasure {
    /// The method of the k best; both states of the caches; page-locked memory, as code has that cares for transfers.
    fn default() -> Self {
        Self {
            warmup: 3,
            reps: None,
            metas: None,
            method: "kbest".to_owned(),
            cache: vec![DeviceCache::Cold, DeviceCache::Warm],
            include: Include::Kernel,
            host: HostKind::Pinned,
            seed: 0,
        }
    }
}

#[cfg(test)]
mod tests;
