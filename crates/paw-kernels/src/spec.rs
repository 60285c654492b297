//! Specs: a kernel as its author describes it, with its function, data, sizes, variants, and reference.

mod arithmetic;
mod arrays;
pub mod device;
pub mod edit;
pub(crate) mod facts;
pub mod file;
mod fill;
mod measure;
mod processor;
mod reference;
mod signature;
mod size;
pub mod source;
pub mod template;
mod values;
mod variant;

use std::path::PathBuf;

use paw_data::kernel::Tolerance;
use paw_formula::Formula;
use serde::{Deserialize, Serialize};

pub use measure::Measure;
pub use values::PointError;
pub(crate) use values::footprint;

use crate::element::Element;

/// A kernel for a processor or for a device.
#[derive(Debug, Clone)]
pub enum KernelSpec {
    /// Built by compilers, called in a process of this machine.
    Processor(Box<Spec>),
    /// Compiled by a device's driver, launched on it.
    Device(Box<device::DeviceSpec>),
}

/// A kernel for a processor, parsed and checked: every name in it has a meaning.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The file of the spec.
    pub path: PathBuf,
    /// Its name; by default the file's.
    pub name: String,
    /// Name of the function, as the linker knows it.
    pub function: String,
    /// Its declaration in C.
    pub signature: Signature,
    /// The source files, absolute, all of one language.
    pub sources: Vec<PathBuf>,
    /// The language of all sources.
    pub language: Language,
    /// The arrays, in the order of the signature.
    pub arrays: Vec<Array>,
    /// Named values beside `n`, in the order of the file: each may use `n` and the scalars above it.
    pub scalars: Vec<Scalar>,
    /// Iterations of one call.
    pub iterations: Formula,
    /// Floating-point operations of one call, if the author gives them.
    pub flops: Option<Formula>,
    /// Bytes moved in one call; the footprint if the author gives none.
    pub bytes: Option<Formula>,
    /// The variants, in the order of the file; empty if the source has only one form.
    pub variants: Vec<Variant>,
    /// The reference that answers are compared with.
    pub reference: Reference,
    /// The tolerance of that comparison.
    pub tolerance: Tolerance,
    /// Defaults of the measuring options of the command line.
    pub measure: Measure,
    /// Compilers, as typed on the command line; if empty, all that are installed.
    pub compilers: Vec<String>,
    /// Sets of flags, as typed on the command line; if empty, the default ones.
    pub flags: Vec<String>,
    /// Flags of every build: `-I…`, `-lblas`.
    pub always: Vec<String>,
}

/// The language of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// C.
    C,
    /// C++, with the function declared `extern "C"`.
    #[serde(rename = "c++")]
    Cpp,
    /// Fortran, with the function `bind(C)`.
    Fortran,
    /// Rust, with the function `#[no_mangle] extern "C"`; one file, a crate of its own.
    Rust,
}

/// A declaration in C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// As written.
    pub text: String,
    /// Type of the result; `None` if it is `void`. A result is an answer, as an output array of one element called `return`.
    pub result: Option<Element>,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// One parameter of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Type of the number, or of what is pointed at.
    pub element: Element,
    /// How the argument is passed: by value or by address.
    pub by: PassedBy,
}

/// How a parameter is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PassedBy {
    /// By value.
    Value,
    /// By address: of an array, or of a scalar (as Fortran passes numbers).
    Address,
}

/// An array.
#[derive(Debug, Clone)]
pub struct Array {
    /// Its name in the signature.
    pub name: String,
    /// Type of an element.
    pub element: Element,
    /// Elements, as arithmetic over `n` and the scalars.
    pub extent: Formula,
    /// The fill of fresh memory.
    pub fill: Fill,
    /// A file with the initial numbers, in place of the fill; absolute.
    pub file: Option<PathBuf>,
    /// Whether the array is an answer, which is compared with the reference.
    pub output: bool,
    /// Whether a device's kernel reads its initial contents, which are copied in before a launch.
    pub input: bool,
    /// Whether the kernel may write to it: its pointer is not `const`.
    pub written: bool,
}

/// A named value.
#[derive(Debug, Clone)]
pub struct Scalar {
    /// Its name, of a parameter or only for formulas.
    pub name: String,
    /// Its value, as arithmetic over `n` and the scalars above it.
    pub value: Formula,
}

/// The fill of an array. Random numbers come from the spec's seed and the array's name, and are the same in every build.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Zeros.
    Zero,
    /// One value.
    Constant(f64),
    /// NaN, which makes an element that is never written visible.
    Nan,
    /// The index of each element.
    Index,
    /// Uniform from the first to below the second; whole numbers include the second.
    Uniform(f64, f64),
    /// Normal, with mean and standard deviation.
    Normal(f64, f64),
    /// The indices 0 … extent-1 in a random order.
    Permutation,
}

/// A variant of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Macros that the build defines: `UNROLL`, `FACTOR=4`.
    pub define: Vec<String>,
    /// Flags of its builds beside those of their set: `-fopenmp`.
    pub flags: Vec<String>,
    /// The function to call, if it is not the spec's.
    pub function: Option<String>,
    /// Whether it only moves the data: its time shows the cache level they are in, and it has no speed-up.
    pub residency: bool,
}

/// The reference that answers are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reference {
    /// The answer of the first build; of a device, which has no builds, the kernel itself: two launches on equal data must agree.
    #[default]
    First,
    /// The answer of the first build with these properties; `None` fits every build.
    Build {
        /// Name of the variant.
        variant: Option<String>,
        /// The compiler, as typed on the command line.
        compiler: Option<String>,
        /// The flags, as typed on the command line.
        flags: Option<String>,
    },
    /// The numbers of a file, outputs in the order of the signature: raw if its name ends in `.bin`, else text.
    File(PathBuf),
    /// Another function of the same sources and signature; of a device, another kernel.
    Function(String),
    /// Of a kernel for devices: a C function in a file, with the kernel's name and signature, that does the work of all threads; and
    /// its flags.
    Source(PathBuf, String),
}

#[cfg(test)]
mod tests;
