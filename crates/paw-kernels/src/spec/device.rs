//! A kernel for a device as its author describes it: source, axes, threads, data, and when its answer is right.

mod axes;
mod file;
mod measure;
pub mod point;
mod reference;

use std::path::PathBuf;

use paw_data::kernel::Tolerance;
use paw_foreign::device::Backend;
use paw_formula::Formula;

pub use axes::spelt;
pub use measure::{DeviceCache, DeviceMeasure, Include};

use super::{Array, Scalar, Signature};

/// The name of the formula that counts threads.
pub const THREADS: &str = "threads";
/// The axis of the threads of a block.
pub const BLOCK: &str = "block";
/// The axis of what the caches hold, if both states are measured.
pub const CACHE: &str = "cache";

/// A kernel for a device, parsed and checked: every name in it has a meaning.
#[derive(Debug, Clone)]
pub struct DeviceSpec {
    /// The file it was read from.
    pub path: PathBuf,
    /// Its name; by default the file's.
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
    pub arrays: Vec<Array>,
    /// Floating-point operations of one launch, if the author gives them.
    pub flops: Option<Formula>,
    /// Bytes moved in one launch, if the author gives them.
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

/// What a device's answers are held against.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DeviceReference {
    /// Themselves: two launches on equal data must agree.
    #[default]
    Repeated,
    /// Numbers in a file, as [`Reference::File`](super::Reference::File) has them.
    File(PathBuf),
    /// Another kernel of the same source and signature.
    Function(String),
    /// A C function of the kernel's name and signature that does the work of all threads, in a file of its own, built with these flags.
    Processor(PathBuf, String),
}

#[cfg(test)]
mod tests;
