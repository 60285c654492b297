//! What a matrix product is made by: CLBlast, or kernels of our own.

use super::clblast::Clblast;
use super::embedded::{EmbeddedProgram, Precision};

const TEXT: &str = include_str!("portable.cl");

/// The kernels of our own, for both types.
pub(super) struct Portable {
    pub(super) double: EmbeddedProgram,
    pub(super) single: EmbeddedProgram,
}

impl Portable {
    /// Nothing is built yet.
    pub(super) fn new() -> Self {
        Self { double: EmbeddedProgram::new(TEXT), single: EmbeddedProgram::new(TEXT) }
    }
}

/// A product made ready.
pub(super) struct Plan {
    pub(super) real: Precision,
    pub(super) n: usize,
    pub(super) library: Option<&'static Clblast>,
}

impl Plan {
    /// Who computes it.
    pub(super) fn by(&self) -> String {
        self.library.map_or_else(|| "portable kernel of paw".to_owned(), Clblast::name)
    }

    /// Whether a product with a vector multiplies what the result held before: CLBlast's does even by zero, and a NaN stays one.
    pub(super) fn reads_result(&self) -> bool {
        self.library.is_some()
    }
}
