//! Kernels that move memory: McCalpin's STREAM with normal and with non-temporal stores, and reading alone.

mod arrays;
mod copy_routine;
mod kernels;

pub use arrays::StreamArrays;
pub use copy_routine::CopyRoutine;

use std::ops::Range;

use crate::isa::{DetectedIsa, Isa};
use crate::vector;

/// The operations of STREAM (McCalpin 1995) on arrays a, b, c and the scalar s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamOp {
    /// c = a: two arrays, no operations.
    Copy,
    /// b = s c: two arrays, one operation an element.
    Scale,
    /// c = a + b: three arrays, one operation an element.
    Add,
    /// a = b + s c: three arrays, two operations an element.
    Triad,
}

impl StreamOp {
    /// All four, in STREAM's order.
    pub const ALL: [StreamOp; 4] = [StreamOp::Copy, StreamOp::Scale, StreamOp::Add, StreamOp::Triad];

    /// Arrays the operation touches, as STREAM counts them: what a store first reads (write-allocate) is not counted.
    pub fn arrays(self) -> u64 {
        match self {
            StreamOp::Copy | StreamOp::Scale => 2,
            StreamOp::Add | StreamOp::Triad => 3,
        }
    }

    /// Floating-point operations an element.
    pub fn flops(self) -> u64 {
        match self {
            StreamOp::Copy => 0,
            StreamOp::Scale | StreamOp::Add => 1,
            StreamOp::Triad => 2,
        }
    }
}

/// How results are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stores {
    /// Through the caches: a store first reads the line it changes.
    Normal,
    /// Past the caches (non-temporal): the line is not read first.
    NonTemporal,
}

/// The most streams over which a read can be spread.
pub const READ_STREAMS_MAX: usize = 8;

/// Streams of [`StreamKernels::read_windows`].
pub const READ_WINDOWS: usize = kernels::WINDOWS;

/// The kernels in one instruction set.
#[derive(Debug, Clone, Copy)]
pub struct StreamKernels {
    found: DetectedIsa,
    /// How often a call goes through its data.
    passes: u64,
}

impl Default for StreamKernels {
    fn default() -> StreamKernels {
        StreamKernels::new()
    }
}

impl StreamKernels {
    /// The kernels in the widest instruction set of this processor.
    pub fn new() -> StreamKernels {
        StreamKernels { found: DetectedIsa::best(), passes: 1 }
    }

    /// The kernels in this instruction set, if this processor has it.
    pub fn with_isa(isa: Isa) -> Option<StreamKernels> {
        DetectedIsa::of(isa).map(|found| StreamKernels { found, passes: 1 })
    }

    /// The same kernels, each call of which goes through its data `passes` times without a pause: the call, and the end of a sum, are
    /// paid once. A sum is that of all passes.
    #[must_use]
    pub fn repeated(self, passes: u64) -> StreamKernels {
        StreamKernels { passes, ..self }
    }

    /// The instruction set.
    pub fn isa(self) -> Isa {
        self.found.isa()
    }

    /// Whether [`Stores::NonTemporal`] differs from [`Stores::Normal`] in this instruction set.
    pub fn has_non_temporal(self) -> bool {
        self.isa() != Isa::Scalar
    }

    /// c = a.
    ///
    /// # Panics
    /// Where the lengths differ.
    pub fn copy(self, stores: Stores, a: &[f64], c: &mut [f64]) {
        self.combine(stores, [a, a], c, kernels::Copy);
    }

    /// b = s c.
    ///
    /// # Panics
    /// Where the lengths differ.
    pub fn scale(self, stores: Stores, s: f64, c: &[f64], b: &mut [f64]) {
        self.combine(stores, [c, c], b, kernels::Scale(s));
    }

    /// c = a + b.
    ///
    /// # Panics
    /// Where the lengths differ.
    pub fn add(self, stores: Stores, a: &[f64], b: &[f64], c: &mut [f64]) {
        self.combine(stores, [a, b], c, kernels::Add);
    }

    /// a = b + s c.
    ///
    /// # Panics
    /// Where the lengths differ.
    pub fn triad(self, stores: Stores, s: f64, b: &[f64], c: &[f64], a: &mut [f64]) {
        self.combine(stores, [b, c], a, kernels::Triad(s));
    }

    /// Every element of `to` becomes `value`.
    pub fn write(self, stores: Stores, value: f64, to: &mut [f64]) {
        vector::run(self.found, kernels::Fill { passes: self.passes, stores, value, to });
    }

    /// `by` is added to every element of `data`.
    pub fn increase(self, by: f64, data: &mut [f64]) {
        vector::run(self.found, kernels::Increase { passes: self.passes, by, data });
    }

    /// The sum of all elements, read as `streams` contiguous streams side by side (1 to [`READ_STREAMS_MAX`]).
    ///
    /// # Panics
    /// Where `streams` is zero or too many.
    pub fn read(self, streams: usize, data: &[f64]) -> f64 {
        vector::run(self.found, kernels::StreamSum { passes: self.passes, streams, data })
    }

    /// The sum of the elements `window` of each of [`READ_WINDOWS`] streams of equal length side by side in `data`.
    ///
    /// # Panics
    /// Where the window is past the end of a stream, or is not a whole number of pairs of vectors.
    pub fn read_windows(self, window: Range<usize>, data: &[f64]) -> f64 {
        vector::run(self.found, kernels::WindowSum { window, data })
    }

    fn combine(self, stores: Stores, from: [&[f64]; 2], to: &mut [f64], each: impl kernels::Elementwise) {
        vector::run(self.found, kernels::ElementwiseLoop { passes: self.passes, stores, from, to, each });
    }
}
