//! Elements of matrices.
#![allow(unsafe_code)]

use crate::memory::{note_read, note_write};

/// Exponent and mantissa of a small float.
#[derive(Debug, Clone, Copy)]
struct Small {
    bytes: usize,
    mantissa_bits: i32,
    exponent_bits: i32,
}

const BF16: Small = Small { bytes: 2, mantissa_bits: 7, exponent_bits: 8 };
const F16: Small = Small { bytes: 2, mantissa_bits: 10, exponent_bits: 5 };
const E4M3: Small = Small { bytes: 1, mantissa_bits: 3, exponent_bits: 4 };

/// A type that matrices are made of.
#[derive(Debug, Clone, Copy)]
pub enum Element {
    /// IEEE double.
    Double,
    /// IEEE single.
    Single,
    /// Signed byte.
    Byte,
    /// Signed 32-bit integer.
    Integer,
    /// bfloat16.
    Brain,
    /// IEEE half.
    Half,
    /// 8 bits, 4 of exponent and 3 of mantissa (OCP e4m3).
    Eighth,
}

impl Element {
    /// Its size.
    pub fn bytes(self) -> usize {
        match self {
            Element::Double => 8,
            Element::Single | Element::Integer => 4,
            Element::Brain | Element::Half => 2,
            Element::Byte | Element::Eighth => 1,
        }
    }

    fn small(self) -> Small {
        match self {
            Element::Brain => BF16,
            Element::Half => F16,
            _ => E4M3,
        }
    }

    fn value(self, slot: &[u8]) -> f64 {
        let four = || [slot[0], slot[1], slot[2], slot[3]];
        match self {
            Element::Double => f64::from_le_bytes(slot.try_into().expect("eight bytes")),
            Element::Single => f32::from_le_bytes(four()).into(),
            Element::Integer => i32::from_le_bytes(four()).into(),
            Element::Byte => (slot[0] as i8).into(),
            Element::Brain => f32::from_bits(u32::from(u16::from_le_bytes([slot[0], slot[1]])) << 16).into(),
            Element::Half => self.small().value(u32::from(u16::from_le_bytes([slot[0], slot[1]]))),
            Element::Eighth => E4M3.value(slot[0].into()),
        }
    }

    fn store(self, value: f64, slot: &mut [u8]) {
        match self {
            Element::Double => slot.copy_from_slice(&value.to_le_bytes()),
            Element::Single => slot.copy_from_slice(&(value as f32).to_le_bytes()),
            Element::Integer => slot.copy_from_slice(&(value as i32).to_le_bytes()),
            Element::Byte => slot.copy_from_slice(&(value as i8).to_le_bytes()),
            Element::Brain => {
                let bits = (value as f32).to_bits();
                slot.copy_from_slice(&((bits + 0x7fff + (bits >> 16 & 1)) >> 16).to_le_bytes()[..2]);
            }
            Element::Half | Element::Eighth => {
                let small = self.small();
                slot.copy_from_slice(&small.bits(value).to_le_bytes()[..small.bytes]);
            }
        }
    }
}

impl Small {
    fn value(self, bits: u32) -> f64 {
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        let mantissa = f64::from(bits & ((1 << self.mantissa_bits) - 1)) / f64::from(1 << self.mantissa_bits);
        let exponent = ((bits >> self.mantissa_bits) & ((1 << self.exponent_bits) - 1)) as i32;
        let sign = if bits >> (self.mantissa_bits + self.exponent_bits) & 1 == 1 { -1.0 } else { 1.0 };
        let (base, power) = if exponent == 0 { (0.0, 1 - bias) } else { (1.0, exponent - bias) };
        sign * (base + mantissa) * 2_f64.powi(power)
    }

    /// The nearest: of products that are far from the ends of the range.
    fn bits(self, value: f64) -> u32 {
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        let sign = u32::from(value.is_sign_negative()) << (self.mantissa_bits + self.exponent_bits);
        let size = value.abs();
        let power = if size == 0.0 { 1 - bias } else { (size.log2().floor() as i32).max(1 - bias) };
        let steps = (size / 2_f64.powi(power - self.mantissa_bits)).round_ties_even() as u32;
        sign | ((((power + bias - 1) as u32) << self.mantissa_bits) + steps)
    }
}

/// `count` elements at an address.
pub fn load(element: Element, address: usize, count: usize) -> Vec<f64> {
    note_read(address, count * element.bytes());
    // SAFETY: callers have checked that this many bytes are device memory, which is the host's.
    let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, count * element.bytes()) };
    bytes.chunks_exact(element.bytes()).map(|slot| element.value(slot)).collect()
}

/// Writes elements to an address.
pub(crate) fn store(element: Element, address: usize, values: &[f64]) {
    let count = values.len() * element.bytes();
    note_write(address, count);
    // SAFETY: as for `load`, and nobody else writes there meanwhile.
    let bytes = unsafe { std::slice::from_raw_parts_mut(address as *mut u8, count) };
    bytes.chunks_exact_mut(element.bytes()).zip(values).for_each(|(slot, value)| element.store(*value, slot));
}
