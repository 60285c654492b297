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
    /// The file it was read from.
    pub path: PathBuf,
    /// Its name; by default the file's.
    pub name: String,
    /// Name of the function, as the linker knows it.
    pub function: String,
    /// Its declaration in C.
    pub signature: Signature,
    /// The source files, absolute, all of one language.
    pub sources: Vec<PathBuf>,
    /// What they are written in.
    pub language: Language,
    /// The arrays, in the order of the signature.
    pub arrays: Vec<Array>,
    /// Sizes and scalars with a value of their own: arithmetic over `n` and the scalars above. `n` is always there, last to be set.
    pub scalars: Vec<Scalar>,
    /// Iterations of one call.
    pub iterations: Formula,
    /// Floating-point operations of one call, if the author gives them.
    pub flops: Option<Formula>,
    /// Bytes moved in one call; the footprint if the author gives none.
    pub bytes: Option<Formula>,
    /// The variants, in the order of the file; none if the source has one form alone.
    pub variants: Vec<Variant>,
    /// What answers are held against.
    pub reference: Reference,
    /// What they may differ by.
    pub tolerance: Tolerance,
    /// How it is measured unless the command line says otherwise.
    pub measure: Measure,
    /// Compilers, as typed on the command line; if empty, all that are installed.
    pub compilers: Vec<String>,
    /// Sets of flags, as typed on the command line; if empty, the default ones.
    pub flags: Vec<String>,
    /// Flags of every build: `-I…`, `-lblas`.
    pub always: Vec<String>,
}

/// What the sources are written in.
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
    /// How it is handed over.
    pub by: PassedBy,
}

/// How a parameter is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PassedBy {
    /// As a number.
    Value,
    /// As the address of an array, or, if the name is a scalar's, of that number (as Fortran does).
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
    /// How it is filled before every series of calls.
    pub fill: Fill,
    /// The file whose numbers it begins with instead, absolute.
    pub file: Option<PathBuf>,
    /// Whether it is an answer.
    pub output: bool,
    /// Whether a device's kernel reads what it begins with: it is copied in before a launch.
    pub input: bool,
    /// Whether a device's kernel may write to it: its pointer is not `const`.
    pub written: bool,
}

/// A scalar with a value of its own.
#[derive(Debug, Clone)]
pub struct Scalar {
    /// Its name in the signature, or in formulas alone.
    pub name: String,
    /// Its value, as arithmetic over `n` and the scalars above it.
    pub value: Formula,
}

/// How an array is filled. What is random comes from the spec's seed and the array's name, and is the same in every build.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fill {
    /// Zeros.
    Zero,
    /// One value.
    Constant(f64),
    /// Not a number, so that an element nobody writes shows.
    Nan,
    /// Each element its own index.
    Index,
    /// Evenly from the first to below the second; of whole numbers, the second included.
    Uniform(f64, f64),
    /// Normal, with mean and standard deviation.
    Normal(f64, f64),
    /// The indices 0 … extent-1 in a random order.
    Permutation,
}

/// One form of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Macros that select it: `UNROLL`, `FACTOR=4`.
    pub define: Vec<String>,
    /// Function that is called instead, if it has its own.
    pub function: Option<String>,
    /// Whether it only moves the data: it shows which level they are in, and has no part in speed-ups.
    pub residency: bool,
}

/// What answers are held against.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reference {
    /// The answer of one build: its variant, compiler and flags; what is absent is the first of its kind.
    #[default]
    First,
    /// The same, with what the author says.
    Build {
        /// Name of the variant.
        variant: Option<String>,
        /// The compiler, as typed on the command line.
        compiler: Option<String>,
        /// The flags, as typed on the command line.
        flags: Option<String>,
    },
    /// Numbers in a file: text, one after the other, or raw if its name ends in `.bin`; outputs in the order of the signature.
    File(PathBuf),
    /// Another function of the same sources and signature.
    Function(String),
}

#[cfg(test)]
mod tests;
