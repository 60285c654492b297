//! Random numbers that depend on what they are for, and not on who draws them when.

use crate::elementary::ln;

/// Step of the counter: 2⁶⁴ over the golden ratio, odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers: splitmix64 (Steele, Lea, Flood, OOPSLA 2014), begun at a key.
#[derive(Debug, Clone)]
pub struct Stream {
    counter: u64,
}

impl Stream {
    /// The stream of one variation of one combination of one event.
    pub fn of(event: u64, combination: u64, variation: u64) -> Self {
        let key = [event, combination, variation].iter().fold(0, |key, part| mix(key ^ mix(part.wrapping_add(STEP))));
        Self { counter: key }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(STEP);
        mix(self.counter)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Two independent numbers from the standard normal distribution, by the polar method (Marsaglia and Bray 1964).
    pub fn normals(&mut self) -> [f64; 2] {
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = u * u + v * v;
            if square > 0.0 && square < 1.0 {
                let length = (-2.0 * ln(square) / square).sqrt();
                return [u * length, v * length];
            }
        }
    }

    /// An exponentially distributed number of mean 1.
    pub fn exponential(&mut self) -> f64 {
        -ln(1.0 - self.uniform())
    }
}

/// 64 bits well mixed: the output function of splitmix64.
pub fn mix(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first output of splitmix64 from seed 0, as in Vigna's reference implementation.
    #[test]
    fn the_generator_is_splitmix64() {
        assert_eq!(Stream { counter: 0 }.bits(), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn neighbouring_keys_give_other_streams() {
        let first = |e, c, v| Stream::of(e, c, v).bits();
        let mut seen = [first(0, 0, 0), first(0, 0, 1), first(0, 1, 0), first(1, 0, 0), first(1, 1, 0), first(1, 1, 1)];
        seen.sort_unstable();
        assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "{seen:x?}");
    }

    #[test]
    fn normals_have_mean_zero_and_variance_one() {
        let mut stream = Stream::of(1, 2, 3);
        let drawn: Vec<f64> = (0..50_000).flat_map(|_| stream.normals()).collect();
        let moment = |power: i32| drawn.iter().map(|x| x.powi(power)).sum::<f64>() / drawn.len() as f64;
        assert!(moment(1).abs() < 0.015, "mean {}", moment(1));
        assert!((moment(2) - 1.0).abs() < 0.02, "variance {}", moment(2));
        assert!((moment(4) - 3.0).abs() < 0.15, "fourth moment {}", moment(4));
    }
}
