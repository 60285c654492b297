//! Plans of matrix products: by CLBlast, or by embedded kernels.

use super::clblast::Clblast;
use super::embedded::{EmbeddedProgram, Precision};

const TEXT: &str = include_str!("portable.cl");

/// The embedded kernels for both types.
pub(super) struct Portable {
    pub(super) double: EmbeddedProgram,
    pub(super) single: EmbeddedProgram,
}

impl Portable {
    /// Both programs, compiled at their first use.
    pub(super) fn new() -> Self {
        Self { double: EmbeddedProgram::new(TEXT), single: EmbeddedProgram::new(TEXT) }
    }
}

/// A prepared product.
pub(super) struct Plan {
    pub(super) real: Precision,
    pub(super) n: usize,
    pub(super) library: Option<&'static Clblast>,
}

impl Plan {
    /// The name of what computes the product.
    pub(super) fn by(&self) -> String {
        self.library.map_or_else(|| "portable kernel of paw".to_owned(), Clblast::name)
    }

    /// Whether a matrix-vector product reads the old result: CLBlast multiplies it even by zero, which keeps a NaN.
    pub(super) fn reads_result(&self) -> bool {
        self.library.is_some()
    }
}
