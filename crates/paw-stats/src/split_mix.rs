//! SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a counter and a mixer, so that number `i` of a stream is computed from `i`
//! alone.

/// 2^64 divided by the golden ratio, made odd: steps of it visit every 64-bit number once, far apart.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Number `index`, from 0, of the stream of `seed`.
#[inline]
pub fn at(seed: u64, index: u64) -> u64 {
    mix(seed.wrapping_add(index.wrapping_add(1).wrapping_mul(STEP)))
}

/// The mixing function: inputs that differ in one bit give unrelated outputs.
#[inline]
pub fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Puts `items` into an order that `seed` decides (Durstenfeld, CACM 1964, algorithm 235).
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    for last in (1..items.len()).rev() {
        items.swap(last, (at(seed, last as u64) % (last as u64 + 1)) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::{at, shuffle};

    #[test]
    fn a_shuffled_order_has_every_item_once_and_is_that_of_its_seed() {
        let of = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            shuffle(&mut items, seed);
            items
        };
        let mut sorted = of(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        assert!(of(1) == of(1) && of(1) != of(2) && of(1) != sorted);
    }

    #[test]
    fn the_published_streams_come_out() {
        // As the authors' C code prints them.
        assert_eq!(at(0, 0), 0xe220_a839_7b1d_cdaf);
        let first = [0, 1, 2].map(|index| at(1_234_567, index));
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
