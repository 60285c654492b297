//! Matrix products of short numbers: `bf16gemm`, `int8gemm`.

use std::rc::Rc;

use paw_data::axis;
use paw_data::cell::Role;
use paw_data::outcome::Check;
use paw_data::point::Point;
use paw_data::precision::Precision;
use paw_data::work::Work;
use paw_foreign::blas::dimensions::Refused;
use paw_foreign::blas::{Blas, BoundShortGemm};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::{Aligned, Number, Pages};
use paw_native::peak::short::{ShortNumber, ShortPeak};
use paw_native::pool::ThreadPool;
use paw_native::short_gemm::{Bf16, Bf16Product, Int8Product, ShortGemm, ShortProduct};

use crate::benchmark::{Axis, Benchmark, BlasRoutine, Common, Own, Providers, Reference, ReferenceProvider, Start};
use crate::blas::fill;
use crate::blas::gemm::{DGEMM, K, M, N};
use crate::blas::product::BoundProduct;
use crate::blas::product_shape::{self, SHAPE};
use crate::blas::verify;
use crate::engine::Engine;

/// bfloat16 numbers.
pub const BF16GEMM: Benchmark = Own {
    name: "bf16gemm",
    purpose: "How fast are products of bfloat16 matrices, summed in single precision, by size, library and threads?",
    timed: "gemm_bf16bf16f32: C = A B, row-major; operands are packed inside",
    formula: "2*m*n*k",
    work: work::<Bf16Product>,
    start: start::<Bf16Product>,
}
.of(Common {
    providers: Providers::Blas(BlasRoutine::Bf16Gemm),
    axes: AXES,
    references: &[peak("peak_bf16", |_, _| peak_point(ShortNumber::Bf16))],
    // PAW has no such test, and its variables no say in it.
    variables: &["PAW_BLAS_LIBRARY"],
    memory_bytes: bytes::<Bf16Product>,
    ..DGEMM.common
})
.precision(Precision::Reduced);

/// Bytes.
pub const INT8GEMM: Benchmark = Own {
    name: "int8gemm",
    purpose: "How fast are products of matrices of bytes, summed in 32 bits, by size, library and threads?",
    timed: "gemm_u8s8s32: C = A B with unsigned A and signed B, row-major; operands are packed inside",
    formula: "2*m*n*k",
    work: work::<Int8Product>,
    start: start::<Int8Product>,
}
.of(Common {
    providers: Providers::Blas(BlasRoutine::Int8Gemm),
    references: &[peak("peak_int8", |_, _| peak_point(ShortNumber::Int8))],
    memory_bytes: bytes::<Int8Product>,
    ..BF16GEMM.common
})
.precision(Precision::Reduced);

const AXES: &[Axis] = &[N, SHAPE, M, K];

/// The peak of the same numbers on the same threads.
const fn peak(benchmark: &'static str, point: fn(&Point, &crate::host::Host) -> Option<Point>) -> Reference {
    Reference { role: Role::Peak, benchmark, by: ReferenceProvider::Own, point }
}

/// The fastest loop of a number; `None` on a processor without one, where a product has no peak to be set against.
fn peak_point(number: ShortNumber) -> Option<Point> {
    let widest = ShortPeak::all_here(number).last()?;
    Some(Point::new().with(axis::ISA, widest.isa))
}

/// A, B and C.
type Operands<'o, P> = (&'o [<P as ShortProduct>::A], &'o [<P as ShortProduct>::B], &'o mut [<P as ShortProduct>::Sum]);

/// A product of short numbers as a benchmark has it.
trait Product: ShortProduct<A: Number + Into<f64>, B: Number + Into<f64>, Sum: Number + Into<f64>> {
    /// The old C, which no product may read or leave.
    const UNREAD: Self::Sum;
    /// Unit roundoff of a sum. That of f64 makes an error of a whole number an error that no rounding explains.
    const ROUNDOFF: f64;
    /// The deepest product whose sums fit, whatever the operands are.
    const DEPTH_MAX: usize;

    /// Numbers of A and B from a number of [-0.5, 0.5).
    fn a(uniform: f64) -> Self::A;
    fn b(uniform: f64) -> Self::B;

    /// The call of a library.
    fn bind<'o>(blas: &Blas, sizes: [usize; 3], operands: Operands<'o, Self>) -> Result<BoundShortGemm<'o>, Refused>;
}

impl Product for Bf16Product {
    const UNREAD: f32 = f32::NAN;
    const ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;
    const DEPTH_MAX: usize = usize::MAX;

    fn a(uniform: f64) -> Bf16 {
        Bf16::nearest(uniform as f32)
    }

    fn b(uniform: f64) -> Bf16 {
        Bf16::nearest(uniform as f32)
    }

    fn bind<'o>(blas: &Blas, sizes: [usize; 3], (a, b, c): Operands<'o, Self>) -> Result<BoundShortGemm<'o>, Refused> {
        blas.bind_bf16_gemm(sizes, (Bf16::bits(a), Bf16::bits(b), c))
    }
}

impl Product for Int8Product {
    const UNREAD: i32 = i32::MIN;
    const ROUNDOFF: f64 = f64::EPSILON / 2.0;
    const DEPTH_MAX: usize = (i32::MAX / (255 * 128)) as usize;

    fn a(uniform: f64) -> u8 {
        ((uniform + 0.5) * 256.0) as u8
    }

    fn b(uniform: f64) -> i8 {
        (uniform * 256.0).floor() as i8
    }

    fn bind<'o>(blas: &Blas, sizes: [usize; 3], operands: Operands<'o, Self>) -> Result<BoundShortGemm<'o>, Refused> {
        blas.bind_int8_gemm(sizes, operands)
    }
}

/// Work of one product; the bytes are the least that any code must move: A and B read once, C written once.
fn work<P: Product>(point: &Point) -> Work {
    let (m, n, k) = product_shape::sizes(point);
    let (m, n, k) = (m as f64, n as f64, k as f64);
    let [a, b, c] = [size_of::<P::A>(), size_of::<P::B>(), size_of::<P::Sum>()].map(|bytes| bytes as f64);
    let flops = 2.0 * m * n * k;
    Work { flops, flops_paw: flops, bytes: a * m * k + b * k * n + c * m * n, ..Work::default() }
}

fn bytes<P: Product>(point: &Point) -> f64 {
    let (m, n, k) = product_shape::sizes(point);
    work::<P>(point).bytes + ShortGemm::<P>::room_bytes([m, n, k])
}

/// Operands, result, and the room in which paw's own code packs them.
struct Short<P: Product> {
    engine: Rc<Engine>,
    sizes: [usize; 3],
    own: Option<ShortGemm<P>>,
    a: Aligned<P::A>,
    b: Aligned<P::B>,
    c: Aligned<P::Sum>,
}

/// A product bound to its operands.
enum Call<'o, P: Product> {
    Own(&'o mut ShortGemm<P>, &'o ThreadPool, Operands<'o, P>),
    Library(BoundShortGemm<'o>),
}

fn start<P: Product>(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let (m, n, k) = product_shape::sizes(start.point);
    if k > P::DEPTH_MAX {
        let most = P::DEPTH_MAX;
        return Err(Fault::Missing(format!(
            "sums of {k} products of bytes may not fit 32 bits; choose k up to {most}"
        )));
    }
    let engine = start.engine;
    let refused = |e: paw_native::buffer::OutOfMemory| Fault::Missing(e.to_string());
    let own = match &**engine {
        Engine::Native(native) => Some(ShortGemm::new([m, n, k], &native.pool).map_err(refused)?),
        _ => None,
    };
    let (a, b, c) = engine
        .with_pool(|pool| {
            let a = Aligned::try_filled(m * k, Pages::Plain, pool, |at| P::a(fill::noise(0, at as u64)))?;
            let b = Aligned::try_filled(k * n, Pages::Plain, pool, |at| P::b(fill::noise(1, at as u64)))?;
            Ok((a, b, Aligned::try_filled(m * n, Pages::Plain, pool, |_| P::UNREAD)?))
        })?
        .map_err(refused)?;
    Ok(Box::new(Short::<P> { engine: Rc::clone(engine), sizes: [m, n, k], own, a, b, c }))
}

impl<P: Product> Short<P> {
    fn bind(&mut self) -> Result<Call<'_, P>, Fault> {
        let Self { engine, sizes, own, a, b, c } = self;
        if let Engine::Library(opened) = &**engine {
            let bound = P::bind(&opened.blas, *sizes, (a, b, c));
            return Ok(Call::Library(bound.map_err(|refused| Fault::Missing(refused.to_string()))?));
        }
        let own = own.as_mut().ok_or_else(|| Fault::Broken("no room to pack operands in".to_owned()))?;
        Ok(Call::Own(own, &engine.native()?.pool, (a, b, c)))
    }
}

impl<P: Product> BoundProduct for Call<'_, P> {
    #[inline(always)]
    fn call(&mut self) {
        match self {
            Call::Library(bound) => bound.call(),
            Call::Own(gemm, pool, (a, b, c)) => gemm.run(pool, a, b, c),
        }
    }
}

impl<P: Product> Timed for Short<P> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let mut call = self.bind()?;
        let start = clock.start();
        for _ in 0..loops {
            call.call();
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// Computes one product onto numbers that must not be read, and checks it.
    fn verify(&mut self) -> Result<Check, Fault> {
        self.c.iter_mut().for_each(|sum| *sum = P::UNREAD);
        self.bind()?.call();
        Ok(verify::check_dense(self.sizes, &self.a, &self.b, &self.c, P::ROUNDOFF))
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }
}
