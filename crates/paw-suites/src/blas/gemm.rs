//! Matrix-matrix multiplication: `dgemm`, `sgemm`, `dgemm_single`.

use paw_data::axis;
use paw_data::cell::Role;
use paw_data::headline::{Family, Pick};
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::blas::dimensions::{GemmDimensions, Transpose};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use crate::benchmark::{
    Axis, Benchmark, BlasRoutine, Common, Figure, Own, Providers, Reference, ReferenceProvider, Start, Values,
};
use crate::blas::fill::{self, Element};
use crate::blas::product::{self, BoundProduct, OperandSlices, ProductDimensions};
use crate::blas::product_shape::{self, SHAPE};
use crate::blas::verify;
use crate::choice::Threads;
use crate::engine::Engine;

/// Double precision.
pub const DGEMM: Benchmark = own::<f64>(
    "dgemm",
    "How fast are matrix products in double precision, by size, library and threads?",
    "dgemm: C = alpha op(A) op(B) + beta C, row-major",
)
.of(Common {
    suite: "blas",
    family: Family::Blas,
    headline: Quantity::Flops,
    providers: Providers::Blas(BlasRoutine::Standard),
    axes: AXES,
    references: &[peak("peak_f64")],
    variables: &["MIN_BLAS_SIZE", "MED_BLAS_SIZE", "MAX_BLAS_SIZE", "PAW_BLAS_LIBRARY"],
    threads: &[Threads::Count(1), Threads::All],
    by_name: false,
    counts_waits: false,
    memory_bytes: bytes::<f64>,
})
.aliases(&["blas_dgemm"])
.dat("dgemm", "DGEMM")
.quick(&[(axis::N, Values::Ints(&[64, 512, 2048]))])
.precision(Precision::Double)
.figures(&[Figure { line: 10, preference: 0, label: "dgemm", pick: Pick::Best }]);

/// Single precision.
pub const SGEMM: Benchmark = own::<f32>(
    "sgemm",
    "How fast are matrix products in single precision, by size, library and threads?",
    "sgemm: C = alpha op(A) op(B) + beta C, row-major",
)
.of(Common { references: &[peak("peak_f32")], memory_bytes: bytes::<f32>, ..DGEMM.common })
.aliases(&["blas_sgemm"])
.dat("sgemm", "SGEMM")
.quick(&[(axis::N, Values::Ints(&[2048]))])
.quick_threads(&[Threads::All])
.precision(Precision::Single)
.figures(&[Figure { line: 10, preference: 2, label: "sgemm", pick: Pick::Best }]);

/// A single figure for a machine: one size, large enough to reach the plateau.
pub const DGEMM_SINGLE: Benchmark = own::<f64>(
    "dgemm_single",
    "What is the one DGEMM figure of this machine: one large size, all threads?",
    "dgemm: C = alpha op(A) op(B) + beta C, row-major",
)
.of(Common {
    axes: SINGLE_AXES,
    // A benchmark of one size ignores the variables of PAW's ladder.
    variables: &["PAW_BLAS_LIBRARY"],
    threads: &[Threads::All],
    ..DGEMM.common
})
.aliases(&["blas_dgemm_single"])
.dat("dgemm_single", "DGEMM_SINGLE")
.precision(Precision::Double)
.figures(&[Figure { line: 10, preference: 1, label: "dgemm_single", pick: Pick::Best }]);

const fn own<T: Element>(name: &'static str, purpose: &'static str, timed: &'static str) -> Own {
    Own { name, purpose, timed, formula: "2*m*n*k", work: work::<T>, start: start::<T> }
}

/// The floating-point peak of the same threads.
const fn peak(benchmark: &'static str) -> Reference {
    Reference { role: Role::Peak, benchmark, by: ReferenceProvider::Own, point: |_, host| Some(host.peak_point()) }
}

/// PAW's ladder: 8, 16 … 8192, 10000.
pub(super) const N: Axis = Axis {
    name: axis::N,
    meaning: "columns of C; rows and depth follow, as the shape says",
    values: Values::Doubling(8, 10000),
};
const N_SINGLE: Axis = Axis { values: Values::Ints(&[4096]), ..N };
pub(super) const M: Axis = Axis { name: axis::M, meaning: "rows of C", values: Values::Follows(axis::N) };
pub(super) const K: Axis = Axis { name: axis::K, meaning: "depth: columns of op(A)", values: Values::Follows(axis::N) };
const TRANSA: Axis = Axis { name: axis::TRANSA, meaning: "A as stored (N) or transposed (T)", values: TRANSPOSES };
const TRANSB: Axis = Axis { name: axis::TRANSB, meaning: "B as stored (N) or transposed (T)", values: TRANSPOSES };
const TRANSPOSES: Values = Values::Words(&["N", "T"]);
const ALPHA: Axis = Axis { name: axis::ALPHA, meaning: "factor of the product", values: Values::Floats(&[1.0]) };
const BETA: Axis = Axis { name: axis::BETA, meaning: "factor of the old C", values: Values::Floats(&[1.0]) };
const PAD: Axis =
    Axis { name: axis::PAD, meaning: "elements added to each leading dimension", values: Values::Ints(&[0]) };
const OPERANDS: Axis = Axis {
    name: axis::OPERANDS,
    meaning: "the same operands each time (warm), or copies in turn that exceed the caches (cold)",
    values: Values::Words(&["warm", "cold"]),
};
const AXES: &[Axis] = &[N, SHAPE, M, K, TRANSA, TRANSB, ALPHA, BETA, PAD, OPERANDS];
const SINGLE_AXES: &[Axis] = &[N_SINGLE, M, K, TRANSA, TRANSB, ALPHA, BETA, PAD, OPERANDS];

/// Work of one product. PAW counts 2N²(N+1): the product, and the scaling and addition of C. The bytes are the least that any
/// code must move: A and B read once, C read and written once.
fn work<T>(point: &Point) -> Work {
    let (m, n, k) = product_shape::sizes(point);
    let (m, n, k) = (m as f64, n as f64, k as f64);
    let bytes = size_of::<T>() as f64 * (m * k + k * n + 2.0 * m * n);
    Work { flops: 2.0 * m * n * k, flops_paw: 2.0 * m * n * (k + 1.0), bytes, ..Work::default() }
}

fn bytes<T>(point: &Point) -> f64 {
    let dims = dims(point);
    let (rows_a, rows_b) = (dims.stored_a().0, dims.stored_b().0);
    let stored = |rows: usize, stride: usize| rows as f64 * stride as f64;
    let (a, b, c) = (stored(rows_a, dims.lda), stored(rows_b, dims.ldb), stored(dims.m, dims.ldc));
    // One C more than the sets need: the check keeps the initial C.
    size_of::<T>() as f64 * (fill::sets_min(point) * (a + b + c) + c)
}

/// The stored matrices and their leading dimensions, from a point.
fn dims(point: &Point) -> GemmDimensions {
    let (m, n, k) = product_shape::sizes(point);
    let transpose = |axis| if point.text(axis) == Some("T") { Transpose::Yes } else { Transpose::No };
    let pad = point.int(axis::PAD).unwrap_or(0) as usize;
    let mut dims = GemmDimensions {
        transa: transpose(axis::TRANSA),
        transb: transpose(axis::TRANSB),
        ..GemmDimensions::dense(m, n, k)
    };
    dims.lda = dims.stored_a().1 + pad;
    dims.ldb = dims.stored_b().1 + pad;
    dims.ldc = n + pad;
    dims
}

fn start<T: Element>(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    product::begin::<T>(start, dims(start.point), work::<T>(start.point).bytes)
}

impl ProductDimensions for GemmDimensions {
    fn lengths(&self) -> [usize; 3] {
        [self.stored_a().0 * self.lda, self.stored_b().0 * self.ldb, self.m * self.ldc]
    }

    fn bind<'o, T: Element>(
        &self,
        engine: &'o Engine,
        factors: (T, T),
        operands: OperandSlices<'o, T>,
    ) -> Result<impl BoundProduct, Fault> {
        engine.gemm(self, factors, operands)
    }

    fn check<T: Element>(&self, (alpha, beta): (T, T), (a, b): (&[T], &[T]), before: &[T], output: &[T]) -> Check {
        verify::check_gemm(self, alpha, a, b, beta, before, output)
    }
}
