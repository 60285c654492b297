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

#[cfg(test)]
mod tests {
    use super::at;

    #[test]
    fn the_published_streams_come_out() {
        // As the authors' C code prints them.
        assert_eq!(at(0, 0), 0xe220_a839_7b1d_cdaf);
        let first = [0, 1, 2].map(|index| at(1_234_567, index));
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
