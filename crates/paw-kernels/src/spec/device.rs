//! Specs of kernels for devices: source, axes, threads, data, reference and tolerance.

mod axes;
mod file;
mod measure;
pub mod point;
mod reference;

use std::path::PathBuf;

use paw_data::kernel::Tolerance;
use paw_foreign::device::Backend;
use paw_formula::Formula;

pub use measure::{DeviceCache, DeviceMeasure, Include};

use super::{Array, Reference, Scalar, Signature};

/// The name of the formula that counts threads.
pub const THREADS: &str = "threads";
/// The axis of the threads of a block.
pub const BLOCK: &str = "block";
/// The axis of the state of the caches, if both are measured.
pub const CACHE: &str = "cache";

/// A kernel for a device, parsed and checked: every name in it has a meaning.
#[derive(Debug, Clone)]
pub struct DeviceSpec {
    /// The file it was read from.
    pub path: PathBuf,
    /// Its name; by default the file's.
    pub name: String,
    /// The back-end that compiles and launches it.
    pub backend: Backend,
    /// The source file, absolute.
    pub source: PathBuf,
    /// Its text.
    pub text: String,
    /// What it holds if it is SPIR-V (`.spv`), which has no text; empty else.
    pub words: Vec<u8>,
    /// The kernel's name in the source, or a template with its arguments: `kinfit<float>`.
    pub entry: String,
    /// Options of the device's compiler, one a word.
    pub options: Vec<String>,
    /// The kernel's declaration in C, without the qualifiers of devices (`__global__`, `__kernel`).
    pub signature: Signature,
    /// The axes, in the order of the file.
    pub axes: Vec<Axis>,
    /// Sizes and scalars: arithmetic over the axes and the scalars above.
    pub scalars: Vec<Scalar>,
    /// Threads that have work: arithmetic over axes and scalars. The number of blocks is rounded up to hold them.
    pub threads: Formula,
    /// Threads of a block; several are an axis.
    pub block: Vec<u32>,
    /// Bytes of shared memory that a block gets beyond what the source declares.
    pub shared: Option<Formula>,
    /// The arrays, in the order of the signature.
    pub arrays: Vec<Array>,
    /// Floating-point operations of one launch, if the author gives them.
    pub flops: Option<Formula>,
    /// Bytes moved in one launch, if the author gives them.
    pub bytes: Option<Formula>,
    /// The reference that answers are compared with.
    pub reference: Reference,
    /// The tolerance of that comparison.
    pub tolerance: Tolerance,
    /// Defaults of the measuring options of the command line.
    pub measure: DeviceMeasure,
}

/// A quantity that is varied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// Its name, in formulas and on the command line.
    pub name: String,
    /// Its values, in the order of the file.
    pub values: Vec<u64>,
}

#[cfg(test)]
mod tests;
