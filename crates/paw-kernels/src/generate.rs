//! Fills arrays with reproducible data: the same bytes in every process, from a seed and the array's name.

use std::f64::consts::TAU;

use paw_measure::fault::Fault;
use paw_stats::split_mix;

use crate::element::Element;
use crate::number::{Number, with_number};
use crate::spec::Fill;

/// Fills the bytes of an array. Random numbers depend only on `seed` and `name`.
///
/// # Errors
/// If an index does not fit into the type of the elements.
pub fn fill(bytes: &mut [u8], element: Element, how: Fill, seed: u64, name: &str) -> Result<(), Fault> {
    with_number!(element, N => {
        let last = (bytes.len() / N::BYTES).saturating_sub(1) as u64;
        if matches!(how, Fill::Index | Fill::Permutation) && last > N::index_max() {
            let element = element.name();
            return Err(Fault::Broken(format!("array `{name}` shall hold indices up to {last}, and {element} holds none beyond {}", N::index_max())));
        }
        fill_numbers::<N>(bytes, element, how, Random::of(seed, name));
    });
    Ok(())
}

fn fill_numbers<N: Number>(bytes: &mut [u8], element: Element, how: Fill, random: Random) {
    match how {
        Fill::Zero => bytes.fill(0),
        Fill::Constant(value) => each(bytes, |_| N::nearest(value)),
        Fill::Nan => each(bytes, |_| N::nearest(f64::NAN)),
        Fill::Index => each(bytes, N::index),
        Fill::Uniform(from, to) if element.is_float() => {
            let end = N::nearest(to);
            let last = end.below();
            each(bytes, |i| {
                let drawn = N::nearest(from + (to - from) * random.unit(i));
                // Rounding may reach the end, which does not belong to the interval.
                if drawn == end && from < to { last } else { drawn }
            });
        }
        Fill::Uniform(from, to) => {
            let range = Range::between(from, to, element);
            each(bytes, |i| N::whole(range.at(random.bits(i))));
        }
        Fill::Normal(mean, deviation) => {
            let mut second = 0.0;
            each(bytes, |i| {
                let drawn = if i % 2 == 0 { random.normals(i / 2) } else { (second, 0.0) };
                second = drawn.1;
                N::nearest(mean + deviation * drawn.0)
            });
        }
        Fill::Permutation => {
            each(bytes, N::index);
            shuffle::<N>(bytes, random);
        }
    }
}

/// Sets every number of an array to `value` of its index, in order.
fn each<N: Number>(bytes: &mut [u8], mut value: impl FnMut(u64) -> N) {
    for (i, place) in (0..).zip(bytes.chunks_exact_mut(N::BYTES)) {
        value(i).write(place);
    }
}

/// Shuffles the numbers uniformly (Fisher and Yates, from the end).
fn shuffle<N: Number>(bytes: &mut [u8], random: Random) {
    let at = |i: usize| i * N::BYTES..(i + 1) * N::BYTES;
    for last in (1..bytes.len() / N::BYTES).rev() {
        let other = below(random.bits(last as u64), last as u128 + 1) as usize;
        let (x, y) = (N::read(&bytes[at(last)]), N::read(&bytes[at(other)]));
        x.write(&mut bytes[at(other)]);
        y.write(&mut bytes[at(last)]);
    }
}

/// `bits` scaled to a number below `count`, at most 2^64; uniform but for a bias of one part in 2^64 / `count`.
fn below(bits: u64, count: u128) -> u128 {
    match count {
        count if count > u128::from(u64::MAX) => u128::from(bits),
        count => (u128::from(bits) * count) >> 64,
    }
}

/// A range of whole numbers, given by its first number and its count.
#[derive(Debug, Clone, Copy)]
struct Range {
    from: i128,
    count: u128,
}

impl Range {
    /// The whole numbers from `from` to `to` that `element` can hold, at least one.
    fn between(from: f64, to: f64, element: Element) -> Self {
        let bits = element.bytes() * 8;
        let signed = matches!(element, Element::I8 | Element::I16 | Element::I32 | Element::I64);
        let (least, most) = match signed {
            true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
            false => (0, (1_i128 << bits) - 1),
        };
        let from = (from.ceil() as i128).clamp(least, most);
        let to = (to.floor() as i128).clamp(from, most);
        Self { from, count: (to - from) as u128 + 1 }
    }

    fn at(self, bits: u64) -> i128 {
        self.from + below(bits, self.count) as i128
    }
}

/// Random numbers of one array, each computed from its index alone.
#[derive(Debug, Clone, Copy)]
struct Random {
    key: u64,
}

impl Random {
    /// The generator of `seed` and `name`, hashed together by FNV-1a (Fowler, Noll and Vo).
    fn of(seed: u64, name: &str) -> Self {
        let join = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = name.as_bytes().iter().chain(&seed.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325, join);
        Self { key: split_mix::mix(hash) }
    }

    /// The `i`-th 64 random bits.
    fn bits(self, i: u64) -> u64 {
        split_mix::at(self.key, i)
    }

    /// The `i`-th number from 0 to below 1, in steps of 2^-53.
    fn unit(self, i: u64) -> f64 {
        (self.bits(i) >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Two numbers of mean 0 and standard deviation 1 (Box and Muller, 1958).
    fn normals(self, pair: u64) -> (f64, f64) {
        // One minus a number below one is not zero, and has a logarithm.
        let radius = (-2.0 * (1.0 - self.unit(2 * pair)).ln()).sqrt();
        let (sin, cos) = (TAU * self.unit(2 * pair + 1)).sin_cos();
        (radius * cos, radius * sin)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled<N: Number>(element: Element, len: usize, how: Fill, seed: u64, name: &str) -> Vec<N> {
        let mut bytes = vec![0xff; len * N::BYTES];
        fill(&mut bytes, element, how, seed, name).expect("it can be filled");
        bytes.chunks_exact(N::BYTES).map(N::read).collect()
    }

    #[test]
    fn data_depend_on_seed_and_name_and_nothing_else() {
        let data = |seed, name| filled::<f64>(Element::F64, 100, Fill::Uniform(-1.0, 1.0), seed, name);
        assert_eq!(data(1, "a"), data(1, "a"));
        assert_ne!(data(1, "a"), data(2, "a"));
        assert_ne!(data(1, "a"), data(1, "b"));
        let longer = filled::<f64>(Element::F64, 1000, Fill::Uniform(-1.0, 1.0), 1, "a");
        assert_eq!(data(1, "a"), longer[..100]);
    }

    #[test]
    fn plain_fills_are_what_they_say() {
        assert_eq!(filled::<f32>(Element::F32, 3, Fill::Zero, 0, "a"), [0.0; 3]);
        assert_eq!(filled::<i16>(Element::I16, 3, Fill::Constant(-2.5), 0, "a"), [-3; 3]);
        assert_eq!(filled::<f64>(Element::F64, 3, Fill::Index, 0, "a"), [0.0, 1.0, 2.0]);
        assert_eq!(filled::<u8>(Element::U8, 256, Fill::Index, 0, "a")[255], 255);
    }

    #[test]
    fn indices_that_do_not_fit_are_refused() {
        let refused = fill(&mut [0; 257], Element::U8, Fill::Permutation, 0, "p").unwrap_err().to_string();
        assert_eq!(refused, "array `p` shall hold indices up to 256, and u8 holds none beyond 255");
    }

    #[test]
    fn evenly_drawn_numbers_have_the_moments_of_their_interval() {
        let data = filled::<f64>(Element::F64, 100_000, Fill::Uniform(-1.0, 3.0), 5, "a");
        let mean = data.iter().sum::<f64>() / data.len() as f64;
        // The standard deviation of the mean is 4 / sqrt(12 * 100,000) = 0.0037.
        assert!((mean - 1.0).abs() < 0.015, "{mean}");
        assert!(data.iter().all(|x| (-1.0..3.0).contains(x)));
    }

    #[test]
    fn normal_numbers_have_their_mean_and_deviation() {
        let data = filled::<f64>(Element::F64, 100_001, Fill::Normal(10.0, 2.0), 5, "a");
        let n = data.len() as f64;
        let mean = data.iter().sum::<f64>() / n;
        let variance = data.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        // Four standard deviations of either estimate.
        assert!((mean - 10.0).abs() < 0.026, "{mean}");
        assert!((variance.sqrt() - 2.0).abs() < 0.018, "{variance}");
        let beyond = data.iter().filter(|x| (**x - 10.0).abs() > 4.0).count() as f64 / n;
        assert!((beyond - 0.0455).abs() < 0.003, "{beyond}");
    }

    #[test]
    fn a_single_precision_number_never_reaches_the_end_of_its_interval() {
        let to = f64::from(1.0_f32.next_up());
        let data = filled::<f32>(Element::F32, 1000, Fill::Uniform(1.0, to), 1, "a");
        assert!(data.iter().all(|x| *x == 1.0));
    }

    proptest! {
        #[test]
        fn a_permutation_holds_every_index_once(len in 1usize..2000, seed: u64) {
            let mut data = filled::<u32>(Element::U32, len, Fill::Permutation, seed, "p");
            if len > 30 {
                prop_assert_ne!(&data[..], &filled::<u32>(Element::U32, len, Fill::Index, seed, "p")[..]);
            }
            data.sort_unstable();
            prop_assert!(data.into_iter().eq(0..len as u32));
        }

        #[test]
        fn whole_numbers_keep_to_their_ends(from in -200.0..200.0_f64, width in 0.0..100.0_f64, seed: u64) {
            let data = filled::<i8>(Element::I8, 200, Fill::Uniform(from, from + width), seed, "k");
            let least = from.ceil().clamp(-128.0, 127.0) as i8;
            let most = ((from + width).floor().clamp(f64::from(least), 127.0)) as i8;
            prop_assert!(data.iter().all(|x| (least..=most).contains(x)));
        }

        #[test]
        fn the_widest_whole_numbers_do_not_overflow(seed: u64) {
            let data = filled::<i64>(Element::I64, 64, Fill::Uniform(-1e30, 1e30), seed, "k");
            prop_assert!(data.iter().any(|x| *x < 0) && data.iter().any(|x| *x > 0));
        }
    }

    #[test]
    fn both_ends_of_whole_numbers_are_drawn() {
        let data = filled::<u8>(Element::U8, 1000, Fill::Uniform(3.0, 5.0), 1, "k");
        assert!([3, 4, 5].iter().all(|value| data.contains(value)));
    }
}
