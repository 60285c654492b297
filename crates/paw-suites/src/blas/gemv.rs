//! Matrix-vector multiplication: `dgemv`, `sgemv`.

use paw_data::axis;
use paw_data::cell::Role;
use paw_data::headline::{Family, Pick};
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::blas::dimensions::{GemvDimensions, Transpose};
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use crate::benchmark::{
    Axis, Benchmark, BlasRoutine, Common, Figure, Own, Providers, Reference, ReferenceProvider, Start, Values,
};
use crate::blas::fill::{self, Element};
use crate::blas::product::{self, BoundProduct, OperandSlices, ProductDimensions};
use crate::blas::verify;
use crate::choice::Threads;
use crate::engine::Engine;
use crate::host::Host;

/// Double precision.
pub const DGEMV: Benchmark = own::<f64>(
    "dgemv",
    "How fast are matrix-vector products in double precision, against what caches and memory deliver?",
    "dgemv: y = alpha op(A) x + beta y, row-major",
)
.of(common::<f64>())
.aliases(&["blas_dgemv"])
.dat("dgemv", "DGEMV")
.quick(&[(axis::N, Values::Ints(&[1024, 4096]))])
.quick_threads(&[Threads::All])
.precision(Precision::Double)
.figures(&[Figure { line: 10, preference: 3, label: "dgemv", pick: Pick::Best }]);

/// Single precision.
pub const SGEMV: Benchmark = own::<f32>(
    "sgemv",
    "How fast are matrix-vector products in single precision, against what caches and memory deliver?",
    "sgemv: y = alpha op(A) x + beta y, row-major",
)
.of(common::<f32>())
.aliases(&["blas_sgemv"])
.dat("sgemv", "SGEMV")
.precision(Precision::Single)
.figures(&[Figure { line: 10, preference: 4, label: "sgemv", pick: Pick::Best }]);

const fn own<T: Element>(name: &'static str, purpose: &'static str, timed: &'static str) -> Own {
    Own { name, purpose, timed, formula: "2*m*n", work: work::<T>, start: start::<T> }
}

const fn common<T: Element>() -> Common {
    Common {
        suite: "blas",
        family: Family::Blas,
        headline: Quantity::Flops,
        providers: Providers::Blas(BlasRoutine::Standard),
        axes: &[N, M, TRANSA, ALPHA, BETA, PAD, OPERANDS],
        references: &[Reference {
            role: Role::Bandwidth,
            benchmark: "read",
            by: ReferenceProvider::Own,
            point: roof::<T>,
        }],
        variables: &["MIN_BLAS_SIZE", "MED_BLAS_SIZE", "MAX_BLAS_SIZE", "PAW_BLAS_LIBRARY"],
        threads: &[Threads::Count(1), Threads::All],
        by_name: false,
        counts_waits: false,
        memory_bytes: bytes::<T>,
    }
}

/// PAW's ladder: 8, 16 … 8192, 10000.
const N: Axis =
    Axis { name: axis::N, meaning: "columns of A as stored; rows follow", values: Values::Doubling(8, 10000) };
const M: Axis = Axis { name: axis::M, meaning: "rows of A as stored", values: Values::Follows(axis::N) };
const TRANSA: Axis =
    Axis { name: axis::TRANSA, meaning: "A as stored (N) or transposed (T)", values: Values::Words(&["N", "T"]) };
const ALPHA: Axis = Axis { name: axis::ALPHA, meaning: "factor of the product", values: Values::Floats(&[1.0]) };
const BETA: Axis = Axis { name: axis::BETA, meaning: "factor of the old y", values: Values::Floats(&[1.0]) };
const PAD: Axis = Axis { name: axis::PAD, meaning: "elements added to each row of A", values: Values::Ints(&[0]) };
const OPERANDS: Axis = Axis {
    name: axis::OPERANDS,
    meaning: "the same operands each time (warm), or copies in turn that exceed the caches (cold)",
    values: Values::Words(&["warm", "cold"]),
};

/// Work of one product. PAW counts 2N(N+1). The bytes are those of A, read once.
fn work<T>(point: &Point) -> Work {
    let (m, n) = sizes(point);
    let (m, n) = (m as f64, n as f64);
    Work { flops: 2.0 * m * n, flops_paw: 2.0 * m * (n + 1.0), bytes: footprint::<T>(point), ..Work::default() }
}

/// The point of `read` with as many bytes as A, or as all copies of A if operands are cold.
fn roof<T>(point: &Point, host: &Host) -> Option<Point> {
    let own = footprint::<T>(point);
    let cold = point.text(axis::OPERANDS) == Some("cold");
    let sets = if cold { fill::cold_sets(own, host.last_cache_bytes()) as f64 } else { 1.0 };
    Some(Point::new().with(axis::BYTES, (own * sets) as i64))
}

/// Bytes of A without padding.
fn footprint<T>(point: &Point) -> f64 {
    let (m, n) = sizes(point);
    size_of::<T>() as f64 * m as f64 * n as f64
}

fn bytes<T>(point: &Point) -> f64 {
    let (m, n) = sizes(point);
    let stored = m as f64 * dims(point).lda as f64;
    size_of::<T>() as f64 * fill::sets_min(point) * (stored + 2.0 * (m + n) as f64)
}

fn sizes(point: &Point) -> (usize, usize) {
    let n = point.int(axis::N).unwrap_or(0);
    (point.int(axis::M).unwrap_or(n) as usize, n as usize)
}

fn dims(point: &Point) -> GemvDimensions {
    let (m, n) = sizes(point);
    let trans = if point.text(axis::TRANSA) == Some("T") { Transpose::Yes } else { Transpose::No };
    GemvDimensions { trans, lda: n + point.int(axis::PAD).unwrap_or(0) as usize, ..GemvDimensions::dense(m, n) }
}

fn start<T: Element>(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    product::begin::<T>(start, dims(start.point), footprint::<T>(start.point))
}

impl ProductDimensions for GemvDimensions {
    fn lengths(&self) -> [usize; 3] {
        [self.m * self.lda, self.x_len(), self.y_len()]
    }

    fn bind<'o, T: Element>(
        &self,
        engine: &'o Engine,
        factors: (T, T),
        operands: OperandSlices<'o, T>,
    ) -> Result<impl BoundProduct, Fault> {
        engine.gemv(self, factors, operands)
    }

    fn check<T: Element>(&self, (alpha, beta): (T, T), (a, b): (&[T], &[T]), before: &[T], output: &[T]) -> Check {
        verify::check_gemv(self, alpha, a, b, beta, before, output)
    }
}
