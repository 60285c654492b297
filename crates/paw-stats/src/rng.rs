//! Random numbers that a seed determines, the same on every machine.
//!
//! xoshiro256++ 1.0 of D. Blackman and S. Vigna (*Scrambled Linear Pseudorandom Number Generators*, ACM TOMS 47, 2021),
//! its state filled by SplitMix64 as they advise. Good for resampling and simulation, unfit for secrets.

use crate::split_mix;

/// A stream of random numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng([u64; 4]);

impl Rng {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(std::array::from_fn(|i| split_mix::at(seed, i as u64)))
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number from 0 up to, but not including, 1.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below `n`; 0 where `n` is 0.
    ///
    /// The high word of a product: its bias is below n / 2⁶⁴.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number from the standard normal distribution, by the method of Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_stream_comes_out() {
        // First outputs of the authors' C code from the state 1, 2, 3, 4.
        let mut rng = Rng([1, 2, 3, 4]);
        let first: [u64; 4] = std::array::from_fn(|_| rng.bits());
        assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_deviation_one() {
        let mut rng = Rng::new(7);
        let values: Vec<f64> = (0..20_000).map(|_| rng.normal()).collect();
        // Five standard errors: 5 / √20000 and 5 / √40000.
        assert!(crate::mean::arithmetic(&values).unwrap().abs() < 0.036);
        assert!((crate::sigma::sample(&values).unwrap() - 1.0).abs() < 0.025);
    }

    #[test]
    fn whole_numbers_stay_below_their_bound_and_reach_all_of_it() {
        let mut rng = Rng::new(1);
        let mut seen = [0u32; 5];
        for _ in 0..1000 {
            seen[rng.below(5)] += 1;
        }
        assert!(seen.iter().all(|&count| count > 150), "{seen:?}");
        assert_eq!(rng.below(0), 0);
    }
}
