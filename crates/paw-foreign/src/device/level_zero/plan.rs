//! Plans of matrix products, and the embedded kernels that carry them out.

use super::embedded::{EmbeddedModule, PORTABLE};
use crate::device::gemm::GemmKind;

/// The embedded kernels for both types.
pub(super) struct Portable {
    pub(super) double: EmbeddedModule,
    pub(super) single: EmbeddedModule,
}

impl Portable {
    /// Both modules, built at their first use.
    pub(super) fn new() -> Self {
        let [double, single] = PORTABLE.map(EmbeddedModule::new);
        Self { double, single }
    }
}

/// A prepared product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) kind: GemmKind,
    pub(super) n: usize,
}
