//! Operands of products: matrices computed from a seed, so that a check needs no copy of them.

use paw_foreign::device::{Element, GemmKind};
use paw_stats::split_mix;

use crate::device::minifloat::{BF16, E4M3, F16, Format, TF32};

/// Contents of matrices. Zeros and ones take less power to multiply, so a device clocks higher than with real data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Data {
    /// Uniform in [-1, 1), rounded to the type; of integers, the whole range.
    Random,
    /// All zeros.
    Zeros,
    /// All ones.
    Ones,
}

impl Data {
    /// Names on the axis, the default first.
    pub(crate) const NAMES: &'static [&'static str] = &["random", "zeros", "ones"];

    /// The contents of this name; random for any other.
    pub(crate) fn named(name: Option<&str>) -> Self {
        match name {
            Some("zeros") => Data::Zeros,
            Some("ones") => Data::Ones,
            _ => Data::Random,
        }
    }
}

/// Number of different random values of a type with at most 16 bits, or of singles rounded to as many digits.
const VALUES: usize = 1 << 16;

/// A matrix or vector, stored column by column; `place` is an element's index in memory.
#[derive(Debug, Clone)]
pub(crate) struct Operand {
    element: Element,
    seed: u64,
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Constant(f64),
    /// 53 random bits.
    Double,
    /// 24 random bits.
    Single,
    /// Random entries of a table: the numbers, and their stored bytes.
    Table(Vec<f64>, Vec<u8>),
}

impl Operand {
    /// A or B of a product; its numbers are exact in the product's input type.
    pub(crate) fn new(kind: GemmKind, data: Data, seed: u64) -> Self {
        let element = kind.input();
        let source = match (data, kind) {
            (Data::Zeros, _) => Source::Constant(0.0),
            (Data::Ones, _) => Source::Constant(1.0),
            (Data::Random, GemmKind::Fp64) => Source::Double,
            (Data::Random, GemmKind::Fp32) => Source::Single,
            (Data::Random, GemmKind::Tf32) => table(element, rounded(TF32)),
            (Data::Random, GemmKind::Bf16) => table(element, rounded(BF16)),
            (Data::Random, GemmKind::Fp16) => table(element, rounded(F16)),
            (Data::Random, GemmKind::Fp8) => table(element, rounded(E4M3)),
            (Data::Random, GemmKind::Int8) => table(element, (-128..128).map(f64::from).collect()),
        };
        Self { element, seed, source }
    }

    /// Bytes of an element.
    pub(crate) fn element_bytes(&self) -> usize {
        self.element.bytes()
    }

    /// The element at `place`.
    #[inline]
    pub(crate) fn value(&self, place: usize) -> f64 {
        match &self.source {
            Source::Constant(value) => *value,
            Source::Double => (split_mix::at(self.seed, place as u64) >> 11) as f64 * f64::EPSILON - 1.0,
            Source::Single => (split_mix::at(self.seed, place as u64) >> 40) as f64 * f64::from(f32::EPSILON) - 1.0,
            Source::Table(values, _) => values[self.row(values, place)],
        }
    }

    /// Elements from `place` on, as the device stores them, until `bytes` is full.
    pub(crate) fn write(&self, place: usize, bytes: &mut [u8]) {
        let size = self.element.bytes();
        for (offset, slot) in bytes.chunks_exact_mut(size).enumerate() {
            match &self.source {
                Source::Table(values, stored) => {
                    let row = self.row(values, place + offset);
                    slot.copy_from_slice(&stored[row * size..][..size]);
                }
                _ => encode(self.element, self.value(place + offset), slot),
            }
        }
    }

    /// The index in the table, whose length is a power of two, of the element at `place`.
    #[inline]
    fn row(&self, values: &[f64], place: usize) -> usize {
        split_mix::at(self.seed, place as u64) as usize & (values.len() - 1)
    }
}

fn rounded(format: Format) -> Vec<f64> {
    let uniform = |at: usize| (at as f64 + 0.5) / (VALUES / 2) as f64 - 1.0;
    (0..VALUES).map(|at| format.round(uniform(at))).collect()
}

fn table(element: Element, values: Vec<f64>) -> Source {
    let mut stored = vec![0; values.len() * element.bytes()];
    let slots = stored.chunks_exact_mut(element.bytes());
    values.iter().zip(slots).for_each(|(value, slot)| encode(element, *value, slot));
    Source::Table(values, stored)
}

/// Writes `value` as a device stores it; `slot` has the element's size.
pub(crate) fn encode(element: Element, value: f64, slot: &mut [u8]) {
    match element {
        Element::F64 => slot.copy_from_slice(&value.to_le_bytes()),
        Element::F32 => slot.copy_from_slice(&(value as f32).to_le_bytes()),
        Element::Bf16 => slot.copy_from_slice(&(BF16.encode(value) as u16).to_le_bytes()),
        Element::F16 => slot.copy_from_slice(&(F16.encode(value) as u16).to_le_bytes()),
        Element::I8 => slot.copy_from_slice(&(value as i8).to_le_bytes()),
        Element::I32 => slot.copy_from_slice(&(value as i32).to_le_bytes()),
        Element::F8E4m3 => slot.copy_from_slice(&(E4M3.encode(value) as u8).to_le_bytes()),
    }
}

/// The number that a device stores as `slot`.
#[inline]
pub(crate) fn decode(element: Element, slot: &[u8]) -> f64 {
    let two = || u32::from(u16::from_le_bytes([slot[0], slot[1]]));
    let four = || [slot[0], slot[1], slot[2], slot[3]];
    match element {
        Element::F64 => f64::from_le_bytes(slot.try_into().unwrap_or_default()),
        Element::F32 => f32::from_le_bytes(four()).into(),
        Element::Bf16 => f32::from_bits(two() << 16).into(),
        Element::F16 => F16.decode(two()),
        Element::I8 => f64::from(slot[0] as i8),
        Element::I32 => i32::from_le_bytes(four()).into(),
        Element::F8E4m3 => E4M3.decode(slot[0].into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_what_is_checked_against() {
        for kind in GemmKind::ALL {
            for data in [Data::Random, Data::Zeros, Data::Ones] {
                let (operand, size) = (Operand::new(kind, data, 7), kind.input().bytes());
                let mut bytes = vec![0; 1000 * size];
                operand.write(50, &mut bytes);
                for (offset, slot) in bytes.chunks_exact(size).enumerate() {
                    assert_eq!(decode(kind.input(), slot), operand.value(50 + offset), "{kind:?} {data:?}");
                }
            }
        }
    }

    #[test]
    fn random_numbers_are_uniform_and_integers_have_the_whole_range() {
        let values = |kind| (0..100_000).map(move |place| Operand::new(kind, Data::Random, 1).value(place));
        let operand = Operand::new(GemmKind::Fp16, Data::Random, 1);
        let mean = (0..100_000).map(|place| operand.value(place)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 0.01, "{mean}");
        assert!(values(GemmKind::Fp64).all(|value| (-1.0..1.0).contains(&value)));
        let integers: Vec<f64> = values(GemmKind::Int8).take(20_000).collect();
        assert!(integers.contains(&-128.0) && integers.contains(&127.0));
    }
}
