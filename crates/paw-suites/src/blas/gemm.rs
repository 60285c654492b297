//! Matrix-matrix multiplication: `dgemm`, `sgemm`, `dgemm_single`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::cell::Role;
use paw_data::headline::{Family, Pick};
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::blas::dimensions::{GemmDimensions, Transpose};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::Aligned;

use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Providers, Reference, ReferenceProvider, Start, Values};
use crate::blas::fill::{self, Element, OperandSets};
use crate::blas::verify;
use crate::choice::Threads;
use crate::engine::Engine;

/// Double precision.
pub const DGEMM: Benchmark = Own {
    name: "dgemm",
    purpose: "How fast are matrix products in double precision, by size, library and threads?",
    timed: "dgemm: C = alpha op(A) op(B) + beta C, row-major",
    formula: "2*m*n*k",
    work: |point| work(point, 8.0),
    start: start::<f64>,
}
.of(Common {
    suite: "blas",
    family: Family::Blas,
    headline: Quantity::Flops,
    providers: Providers::Blas,
    axes: AXES,
    references: &[peak("peak_f64")],
    variables: &["MIN_BLAS_SIZE", "MED_BLAS_SIZE", "MAX_BLAS_SIZE", "PAW_BLAS_LIBRARY"],
    threads: &[Threads::Count(1), Threads::All],
    by_name: false,
    memory_bytes: |point| bytes(point, 8.0),
})
.aliases(&["blas_dgemm"])
.dat("dgemm", "DGEMM")
.quick(&[(axis::N, Values::Ints(&[64, 512, 2048]))])
.precision(Precision::Double)
.figures(&[Figure { line: 10, preference: 0, label: "dgemm", pick: Pick::Best }]);

/// Single precision.
pub const SGEMM: Benchmark = Own {
    name: "sgemm",
    purpose: "How fast are matrix products in single precision, by size, library and threads?",
    timed: "sgemm: C = alpha op(A) op(B) + beta C, row-major",
    formula: "2*m*n*k",
    work: |point| work(point, 4.0),
    start: start::<f32>,
}
.of(Common { references: &[peak("peak_f32")], memory_bytes: |point| bytes(point, 4.0), ..DGEMM.common })
.aliases(&["blas_sgemm"])
.dat("sgemm", "SGEMM")
.quick(&[(axis::N, Values::Ints(&[2048]))])
.quick_threads(&[Threads::All])
.precision(Precision::Single)
.figures(&[Figure { line: 10, preference: 2, label: "sgemm", pick: Pick::Best }]);

/// A single figure for a machine: one size, large enough to reach the plateau.
pub const DGEMM_SINGLE: Benchmark = Own {
    name: "dgemm_single",
    purpose: "What is the one DGEMM figure of this machine: one large size, all threads?",
    timed: "dgemm: C = alpha op(A) op(B) + beta C, row-major",
    formula: "2*m*n*k",
    work: |point| work(point, 8.0),
    start: start::<f64>,
}
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

/// The floating-point peak of the same threads.
const fn peak(benchmark: &'static str) -> Reference {
    Reference { role: Role::Peak, benchmark, by: ReferenceProvider::Own, point: |_, host| Some(host.peak_point()) }
}

/// PAW's ladder: 8, 16 … 8192, 10000.
const N: Axis =
    Axis { name: axis::N, meaning: "columns of C; rows and depth follow", values: Values::Doubling(8, 10000) };
const N_SINGLE: Axis = Axis { values: Values::Ints(&[4096]), ..N };
const M: Axis = Axis { name: axis::M, meaning: "rows of C", values: Values::Follows(axis::N) };
const K: Axis = Axis { name: axis::K, meaning: "depth: columns of op(A)", values: Values::Follows(axis::N) };
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
const AXES: &[Axis] = &[N, M, K, TRANSA, TRANSB, ALPHA, BETA, PAD, OPERANDS];
const SINGLE_AXES: &[Axis] = &[N_SINGLE, M, K, TRANSA, TRANSB, ALPHA, BETA, PAD, OPERANDS];

/// Work of one product. PAW counts 2N²(N+1): the product, and the scaling and addition of C. The bytes are the least that any
/// code must move: A and B read once, C read and written once.
fn work(point: &Point, element: f64) -> Work {
    let (m, n, k) = sizes(point);
    let (m, n, k) = (m as f64, n as f64, k as f64);
    let bytes = element * (m * k + k * n + 2.0 * m * n);
    Work { flops: 2.0 * m * n * k, flops_paw: 2.0 * m * n * (k + 1.0), bytes, ..Work::default() }
}

fn bytes(point: &Point, element: f64) -> f64 {
    let dims = dims(point);
    let (rows_a, rows_b) = (dims.stored_a().0, dims.stored_b().0);
    let stored = |rows: usize, stride: usize| rows as f64 * stride as f64;
    let (a, b, c) = (stored(rows_a, dims.lda), stored(rows_b, dims.ldb), stored(dims.m, dims.ldc));
    // One C more than the sets need: the check keeps the initial C.
    element * (fill::sets_min(point) * (a + b + c) + c)
}

fn sizes(point: &Point) -> (usize, usize, usize) {
    let n = point.int(axis::N).unwrap_or(0);
    let size = |axis| point.int(axis).unwrap_or(n) as usize;
    (size(axis::M), n as usize, size(axis::K))
}

/// The stored matrices and their leading dimensions, from a point.
fn dims(point: &Point) -> GemmDimensions {
    let (m, n, k) = sizes(point);
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

/// One set of operands.
struct Operands<T: Element> {
    a: Aligned<T>,
    b: Aligned<T>,
    c: Aligned<T>,
}

impl<T: Element> Operands<T> {
    fn fill(engine: &Engine, dims: &GemmDimensions, set: u64) -> Result<Self, Fault> {
        let (rows_a, rows_b) = (dims.stored_a().0, dims.stored_b().0);
        Ok(Self {
            a: fill::uniform(engine, rows_a * dims.lda, 3 * set)?,
            b: fill::uniform(engine, rows_b * dims.ldb, 3 * set + 1)?,
            c: fill::uniform(engine, dims.m * dims.ldc, 3 * set + 2)?,
        })
    }

    fn parts(&mut self) -> (&[T], &[T], &mut [T]) {
        let Self { a, b, c } = self;
        (a, b, c)
    }
}

struct Product<T: Element> {
    engine: Rc<Engine>,
    dims: GemmDimensions,
    alpha: T,
    beta: T,
    operands: OperandSets<Operands<T>>,
}

fn start<T: Element>(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let point = start.point;
    let dims = dims(point);
    let cold = point.text(axis::OPERANDS) == Some("cold");
    let sets = if cold { fill::cold_sets(work(point, size_of::<T>() as f64).bytes, start.last_cache_bytes) } else { 1 };
    let operands = OperandSets::new(sets, |set| Operands::fill(start.engine, &dims, set))?;
    let factor = |axis| T::from_f64(point.float(axis).unwrap_or(1.0));
    let (alpha, beta) = (factor(axis::ALPHA), factor(axis::BETA));
    let engine = Rc::clone(start.engine);
    Ok(Box::new(Product { engine, dims, alpha, beta, operands }))
}

impl<T: Element> Timed for Product<T> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let (engine, dims, factors) = (&*self.engine, self.dims, (self.alpha, self.beta));
        let sets = self.operands.turns(loops);
        let mut calls = sets.map(|set| engine.gemm(&dims, factors, set.parts())).collect::<Result<Vec<_>, _>>()?;
        let mut at = 0;
        let start = clock.start();
        for _ in 0..loops {
            calls[at].call();
            at = if at + 1 == calls.len() { 0 } else { at + 1 };
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// Computes one product onto a fresh C and checks it. With beta zero the old C is NaN, because it must not be read.
    fn verify(&mut self) -> Result<Check, Fault> {
        let (alpha, beta) = (self.alpha, self.beta);
        let Operands { a, b, c } = self.operands.first();
        let before = fill::fresh_output(&self.engine, c.len(), beta)?;
        c.copy_from_slice(&before);
        self.engine.gemm(&self.dims, (alpha, beta), (a, b, c))?.call();
        Ok(verify::check_gemm(&self.dims, alpha, a, b, beta, &before, c))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        let (engine, dims) = (Rc::clone(&self.engine), self.dims);
        self.operands.renew(|set| Operands::fill(&engine, &dims, set))
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }
}
