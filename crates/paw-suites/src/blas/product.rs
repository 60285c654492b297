//! The product of any BLAS routine, timed and checked: its operands take turns, and its calls are bound before the clock is read.

use std::rc::Rc;

use paw_data::axis;
use paw_data::outcome::Check;
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_native::buffer::Aligned;

use crate::benchmark::Start;
use crate::blas::fill::{self, Element, OperandSets};
use crate::engine::Engine;

/// Two inputs and the output of a product.
pub type OperandSlices<'o, T> = (&'o [T], &'o [T], &'o mut [T]);

/// The sizes of a product, which know its routine.
pub trait ProductDimensions: Copy + 'static {
    /// Elements of both inputs and of the output, as they are stored.
    fn lengths(&self) -> [usize; 3];

    /// The call of `engine` with the factors α and β, all checks made.
    fn bind<'o, T: Element>(
        &self,
        engine: &'o Engine,
        factors: (T, T),
        operands: OperandSlices<'o, T>,
    ) -> Result<impl BoundProduct, Fault>;

    /// Checks the output, which was `before` before the product.
    fn check<T: Element>(&self, factors: (T, T), inputs: (&[T], &[T]), before: &[T], output: &[T]) -> Check;
}

/// A product bound to its operands.
pub trait BoundProduct {
    /// Computes the product.
    fn call(&mut self);
}

/// One set of operands.
struct OperandSet<T: Element>([Aligned<T>; 3]);

impl<T: Element> OperandSet<T> {
    fn fill(engine: &Engine, lengths: [usize; 3], set: u64) -> Result<Self, Fault> {
        let [a, b, c] = lengths;
        let uniform = |len, number| fill::uniform(engine, len, 3 * set + number);
        Ok(Self([uniform(a, 0)?, uniform(b, 1)?, uniform(c, 2)?]))
    }

    fn parts(&mut self) -> OperandSlices<'_, T> {
        let [a, b, c] = &mut self.0;
        (a, b, c)
    }
}

struct Product<D, T: Element> {
    engine: Rc<Engine>,
    dims: D,
    factors: (T, T),
    operands: OperandSets<OperandSet<T>>,
}

/// Starts a product whose call reads and writes `set_bytes`, of which depends how many sets are cold.
pub fn begin<T: Element>(
    start: &Start<'_>,
    dims: impl ProductDimensions,
    set_bytes: f64,
) -> Result<Box<dyn Timed>, Fault> {
    let cold = start.point.text(axis::OPERANDS) == Some("cold");
    let sets = if cold { fill::cold_sets(set_bytes, start.last_cache_bytes) } else { 1 };
    let operands = OperandSets::new(sets, |set| OperandSet::fill(start.engine, dims.lengths(), set))?;
    let factor = |axis| T::from_f64(start.point.float(axis).unwrap_or(1.0));
    let factors = (factor(axis::ALPHA), factor(axis::BETA));
    Ok(Box::new(Product { engine: Rc::clone(start.engine), dims, factors, operands }))
}

impl<D: ProductDimensions, T: Element> Timed for Product<D, T> {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let (engine, dims, factors) = (&*self.engine, self.dims, self.factors);
        let sets = self.operands.turns(loops);
        let mut calls = sets.map(|set| dims.bind(engine, factors, set.parts())).collect::<Result<Vec<_>, _>>()?;
        let mut at = 0;
        let start = clock.start();
        for _ in 0..loops {
            calls[at].call();
            at = if at + 1 == calls.len() { 0 } else { at + 1 };
        }
        let stop = clock.stop();
        Ok(clock.seconds(start, stop))
    }

    /// Computes one product onto a fresh output and checks it. With beta zero the old output is NaN, because it must not be read.
    fn verify(&mut self) -> Result<Check, Fault> {
        let factors = self.factors;
        let (a, b, c) = self.operands.first().parts();
        let before = fill::fresh_output(&self.engine, c.len(), factors.1)?;
        c.copy_from_slice(&before);
        self.dims.bind(&self.engine, factors, (a, b, &mut *c))?.call();
        Ok(self.dims.check(factors, (a, b), &before, c))
    }

    fn renew(&mut self) -> Result<(), Fault> {
        let (engine, lengths) = (Rc::clone(&self.engine), self.dims.lengths());
        self.operands.renew(|set| OperandSet::fill(&engine, lengths, set))
    }

    fn threads(&self) -> Vec<i32> {
        self.engine.threads()
    }
}
