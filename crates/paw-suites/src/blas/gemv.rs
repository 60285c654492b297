//! Matrix-vector multiplication: `dgemv`, `sgemv`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::cell::Role;
use paw_data::headline::{Family, Pick};
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::blas::dimensions::{GemvDimensions, Transpose};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::Aligned;

use crate::benchmark::{Axis, Benchmark, Common, Figure, Own, Providers, Reference, ReferenceProvider, Start, Values};
use crate::blas::fill::{self, Element, OperandSets};
use crate::blas::verify;
use crate::choice::Threads;
use crate::engine::Engine;
use crate::host::Host;

/// Double precision.
pub const DGEMV: Benchmark = Own {
    name: "dgemv",
    purpose: "How fast are matrix-vector products in double precision, against what caches and memory deliver?",
    timed: "dgemv: y = alpha op(A) x + beta y, row-major",
    formula: "2*m*n",
    work: |point| work(point, 8.0),
    start: start::<f64>,
}
.of(Common {
    suite: "blas",
    family: Family::Blas,
    headline: Quantity::Flops,
    providers: Providers::Blas,
    axes: &[N, M, TRANSA, ALPHA, BETA, PAD, OPERANDS],
    references: &[Reference {
        role: Role::Bandwidth,
        benchmark: "read",
        by: ReferenceProvider::Own,
        point: |point, host| Some(roof(point, 8.0, host)),
    }],
    variables: &["MIN_BLAS_SIZE", "MED_BLAS_SIZE", "MAX_BLAS_SIZE", "PAW_BLAS_LIBRARY"],
    threads: &[Threads::Count(1), Threads::All],
    by_name: false,
    memory_bytes: |point| bytes(point, 8.0),
})
.aliases(&["blas_dgemv"])
.dat("dgemv", "DGEMV")
.quick(&[(axis::N, Values::Ints(&[1024, 4096]))])
.quick_threads(&[Threads::All])
.precision(Precision::Double)
.figures(&[Figure { line: 10, preference: 3, label: "dgemv", pick: Pick::Best }]);

/// Single precision.
pub const SGEMV: Benchmark = Own {
    name: "sgemv",
    purpose: "How fast are matrix-vector products in single precision, against what caches and memory deliver?",
    timed: "sgemv: y = alpha op(A) x + beta y, row-major",
    formula: "2*m*n",
    work: |point| work(point, 4.0),
    start: start::<f32>,
}
.of(Common {
    references: &[Reference {
        role: Role::Bandwidth,
        benchmark: "read",
        by: ReferenceProvider::Own,
        point: |point, host| Some(roof(point, 4.0, host)),
    }],
    memory_bytes: |point| bytes(point, 4.0),
    ..DGEMV.common
})
.aliases(&["blas_sgemv"])
.dat("sgemv", "SGEMV")
.precision(Precision::Single)
.figures(&[Figure { line: 10, preference: 4, label: "sgemv", pick: Pick::Best }]);

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
fn work(point: &Point, element: f64) -> Work {
    let (m, n) = sizes(point);
    let (m, n) = (m as f64, n as f64);
    Work { flops: 2.0 * m * n, flops_paw: 2.0 * m * (n + 1.0), bytes: footprint(point, element), ..Work::default() }
}

/// The point of `read` with as many bytes as A, or as all copies of A if operands are cold.
fn roof(point: &Point, element: f64, host: &Host) -> Point {
    let own = footprint(point, element);
    let cold = point.text(axis::OPERANDS) == Some("cold");
    let sets = if cold { fill::cold_sets(own, host.last_cache_bytes()) as f64 } else { 1.0 };
    Point::new().with(axis::BYTES, (own * sets) as i64)
}

/// Bytes of A without padding.
fn footprint(point: &Point, element: f64) -> f64 {
    let (m, n) = sizes(point);
    element * m as f64 * n as f64
}

fn bytes(point: &Point, element: f64) -> f64 {
    let (m, n) = sizes(point);
    let stored = m as f64 * dims(point).lda as f64;
    element * fill::sets_min(point) * (stored + 2.0 * (m + n) as f64)
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

/// One set of operands.
struct Operands<T: Element> {
    a: Aligned<T>,
    x: Aligned<T>,
    y: Aligned<T>,
}

impl<T: Element> Operands<T> {
    fn fill(engine: &Engine, dims: &GemvDimensions, set: u64) -> Result<Self, Fault> {
        Ok(Self {
            a: fill::uniform(engine, dims.m * dims.lda, 3 * set)?,
            x: fill::uniform(engine, dims.x_len(), 3 * set + 1)?,
            y: fill::uniform(engine, dims.y_len(), 3 * set + 2)?,
        })
    }

    fn parts(&mut self) -> (&[T], &[T], &mut [T]) {
        let Self { a, x, y } = self;
        (a, x, y)
    }
}

struct Product<T: Element> {
    engine: Rc<Engine>,
    dims: GemvDimensions,
    alpha: T,
    beta: T,
    operands: OperandSets<Operands<T>>,
}

fn start<T: Element>(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let point = start.point;
    let dims = dims(point);
    let cold = point.text(axis::OPERANDS) == Some("cold");
    let sets = if cold { fill::cold_sets(footprint(point, size_of::<T>() as f64), start.last_cache_bytes) } else { 1 };
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
        let mut calls = sets.map(|set| engine.gemv(&dims, factors, set.parts())).collect::<Result<Vec<_>, _>>()?;
        let mut at = 0;
        let start = clock.start();
        for _ in 0..loops {
            calls[at].call();
            at = if at + 1 == calls.len() { 0 } else { at + 1 };
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// Computes one product onto a fresh y and checks it. With beta zero the old y is NaN, because it must not be read.
    fn verify(&mut self) -> Result<Check, Fault> {
        let (alpha, beta) = (self.alpha, self.beta);
        let Operands { a, x, y } = self.operands.first();
        let before = fill::fresh_output(&self.engine, y.len(), beta)?;
        y.copy_from_slice(&before);
        self.engine.gemv(&self.dims, (alpha, beta), (a, x, y))?.call();
        Ok(verify::check_gemv(&self.dims, alpha, a, x, beta, &before, y))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        let (engine, dims) = (Rc::clone(&self.engine), self.dims);
        self.operands.renew(|set| Operands::fill(&engine, &dims, set))
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }
}
