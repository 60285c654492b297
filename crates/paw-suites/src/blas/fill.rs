//! Operands of BLAS products: uniform in [-0.5, 0.5), written in parallel by the threads that will read them.

use paw_data::axis;
use paw_data::point::Point;
use paw_measure::fault::Fault;
use paw_native::buffer::{Aligned, Pages};
use paw_native::gemm::GemmElement;
use paw_native::gemv::GemvElement;
use paw_stats::split_mix;

use crate::engine::Engine;

/// A number type that both paw's own kernels and the libraries have.
pub trait Element: GemmElement + GemvElement + paw_foreign::blas::Real {}

impl Element for f64 {}
impl Element for f32 {}

/// `len` numbers from a seed. The same seed and place give the same number, whichever thread writes it.
pub fn uniform<T: Element>(engine: &Engine, len: usize, seed: u64) -> Result<Aligned<T>, Fault> {
    let value = |index: usize| T::from_f64(noise(seed, index as u64));
    engine
        .with_pool(|pool| Aligned::try_filled(len, Pages::Plain, pool, value))?
        .map_err(|e| Fault::Missing(e.to_string()))
}

/// The content of an output before the product that is checked: numbers that no operand set has, or NaN if beta is zero, so that
/// the check sees if the old output was read.
pub fn fresh_output<T: Element>(engine: &Engine, len: usize, beta: T) -> Result<Aligned<T>, Fault> {
    let mut output = uniform(engine, len, FRESH)?;
    if beta == T::ZERO {
        output[..].fill(T::from_f64(f64::NAN));
    }
    Ok(output)
}

/// Seed of the outputs of checked products; no operand set has it.
const FRESH: u64 = u64::MAX;

/// Operand sets used in turn: one for warm operands, enough to exceed the caches for cold ones.
pub struct OperandSets<S> {
    sets: Vec<S>,
    next: usize,
}

impl<S> OperandSets<S> {
    /// `count` sets; `make` fills each from its number.
    pub fn new(count: usize, make: impl FnMut(u64) -> Result<S, Fault>) -> Result<Self, Fault> {
        let sets = (0..count.max(1) as u64).map(make).collect::<Result<_, _>>()?;
        Ok(Self { sets, next: 0 })
    }

    /// Makes every set anew.
    pub fn renew(&mut self, make: impl FnMut(u64) -> Result<S, Fault>) -> Result<(), Fault> {
        let count = self.sets.len();
        // The old sets are freed first: memory may not hold both.
        self.sets.clear();
        *self = Self::new(count, make)?;
        Ok(())
    }

    /// The sets of the next `calls` calls, each once, in the order of their turns.
    pub fn turns(&mut self, calls: u64) -> impl Iterator<Item = &mut S> {
        let (sets, first) = (self.sets.len(), self.next);
        self.next = ((first as u64 + calls % sets as u64) % sets as u64) as usize;
        let (before, after) = self.sets.split_at_mut(first);
        after.iter_mut().chain(before).take(usize::try_from(calls).unwrap_or(sets))
    }

    /// The first set.
    pub fn first(&mut self) -> &mut S {
        &mut self.sets[0]
    }
}

/// Size of all cold sets in last-level caches: when a set is used again, no part of it is still cached.
const COLD_CACHES: f64 = 2.0;

/// How many sets of `set_bytes` make each set cold when it is used again.
pub fn cold_sets(set_bytes: f64, last_cache_bytes: f64) -> usize {
    (COLD_CACHES * last_cache_bytes / set_bytes.max(64.0)).ceil() as usize + 1
}

/// The fewest operand sets of a point: two if operands are cold.
pub fn sets_min(point: &Point) -> f64 {
    if point.text(axis::OPERANDS) == Some("cold") { 2.0 } else { 1.0 }
}

/// A number of the stream of `seed`, mapped to [-0.5, 0.5).
pub(super) fn noise(seed: u64, index: u64) -> f64 {
    (split_mix::at(seed, index) >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

#[cfg(test)]
mod tests {
    use super::{OperandSets, cold_sets, noise};

    #[test]
    fn sets_take_turns_from_call_to_call() {
        let mut turns = OperandSets::new(3, Ok).expect("numbers");
        let mut order = |calls| turns.turns(calls).map(|set| *set).collect::<Vec<_>>();
        assert_eq!([order(2), order(2), order(7), order(1)], [vec![0, 1], vec![2, 0], vec![1, 2, 0], vec![2]]);
    }

    #[test]
    fn operands_are_uniform_around_zero() {
        let n = 100_000;
        let values: Vec<f64> = (0..n).map(|i| noise(1, i)).collect();
        assert!(values.iter().all(|v| (-0.5..0.5).contains(v)));
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|v| v * v).sum::<f64>() / n as f64;
        // Standard errors: 0.29/√n for the mean, 0.075/√n for the variance.
        assert!(mean.abs() < 5e-3 && (variance - 1.0 / 12.0).abs() < 2e-3, "{mean} {variance}");
    }

    #[test]
    fn cold_operands_exceed_the_cache_twice() {
        assert_eq!(cold_sets(1e6, 32e6), 65);
        assert_eq!(cold_sets(1e12, 32e6), 2);
    }
}
