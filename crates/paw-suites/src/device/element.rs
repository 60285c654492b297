//! The element type of a device's arrays: doubles, or floats if it has no doubles.

use paw_foreign::device::{Argument, DeviceFacts};

/// The element type of a device's arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// 8 bytes.
    Double,
    /// 4 bytes.
    Float,
}

impl Element {
    /// The element type of paw's kernels on this device.
    pub fn of(facts: &DeviceFacts) -> Self {
        if facts.fp64 { Element::Double } else { Element::Float }
    }

    /// Its size in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Element::Double => 8,
            Element::Float => 4,
        }
    }

    /// A number as a kernel's argument.
    pub fn argument(self, value: f64) -> Argument {
        match self {
            Element::Double => Argument::F64(value),
            Element::Float => Argument::F32(value as f32),
        }
    }

    /// `values` as bytes in the device's order.
    pub fn encoded(self, values: impl Iterator<Item = f64>) -> Vec<u8> {
        match self {
            Element::Double => values.flat_map(f64::to_ne_bytes).collect(),
            Element::Float => values.flat_map(|value| (value as f32).to_ne_bytes()).collect(),
        }
    }

    /// The numbers that `bytes` hold.
    pub fn decoded(self, bytes: &[u8]) -> impl Iterator<Item = f64> {
        bytes.chunks_exact(self.bytes()).map(move |bytes| match self {
            Element::Double => bytes.try_into().map_or(f64::NAN, f64::from_ne_bytes),
            Element::Float => bytes.try_into().map_or(f64::NAN, |bytes| f64::from(f32::from_ne_bytes(bytes))),
        })
    }
}
