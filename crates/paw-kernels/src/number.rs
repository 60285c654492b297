//! Numbers of every element type: reading, writing, drawing and comparing them in the bytes of an array.

use std::fmt::Debug;

/// A number that an array can hold.
pub(crate) trait Number: Copy + PartialEq + Debug {
    /// Bytes of one.
    const BYTES: usize;

    /// Reads a number from [`Number::BYTES`] bytes in native order.
    fn read(bytes: &[u8]) -> Self;

    /// Writes the number into [`Number::BYTES`] bytes in native order.
    fn write(self, bytes: &mut [u8]);

    /// The number nearest to `value`; whole numbers round and saturate.
    fn nearest(value: f64) -> Self;

    /// The next number down.
    fn below(self) -> Self;

    /// The whole number `value`, which must be in the type's range.
    fn whole(value: i128) -> Self;

    /// The index `i` as a number; exact up to [`Number::index_max`].
    fn index(i: u64) -> Self;

    /// The index up to which all indices are exact.
    fn index_max() -> u64;

    /// The number that `word` spells, in the notations of C and Fortran; `None` if it is not a number of this type.
    fn spelt(word: &str) -> Option<Self>;

    /// The difference from `reference`; `None` if they are equal. Zeros of both signs are equal, and so are all NaNs.
    fn difference(self, reference: Self) -> Option<Difference>;
}

/// The difference between two numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Difference {
    /// |x - r| / |r|; infinite if only one is finite, or the reference is zero.
    pub relative: f64,
    /// The distance in units in the last place; `None` if one is NaN or infinite.
    pub steps: Option<u64>,
    /// The kind of difference.
    pub kind: DifferenceKind,
}

/// How a number differs in kind from its reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DifferenceKind {
    /// Both are finite floating-point numbers of different value.
    Value,
    /// The number is NaN, the reference is not.
    Nan,
    /// The number is infinite, the reference is finite.
    Infinite,
    /// The reference is NaN or infinite, and the number is something else.
    Finite,
    /// Both are whole numbers, which must be equal.
    Whole,
}

macro_rules! float {
    ($float:ty, $bits:ty, $signed:ty) => {
        impl Number for $float {
            const BYTES: usize = size_of::<$float>();

            fn read(bytes: &[u8]) -> Self {
                <$float>::from_ne_bytes(bytes.try_into().expect("a chunk of one number"))
            }

            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }

            fn nearest(value: f64) -> Self {
                value as $float
            }

            fn below(self) -> Self {
                self.next_down()
            }

            fn whole(value: i128) -> Self {
                value as $float
            }

            fn index(i: u64) -> Self {
                i as $float
            }

            fn index_max() -> u64 {
                1 << <$float>::MANTISSA_DIGITS
            }

            fn spelt(word: &str) -> Option<Self> {
                // Fortran writes the exponent of a double as 1.0D+00.
                word.parse().ok().or_else(|| word.replace(['d', 'D'], "e").parse().ok())
            }

            fn difference(self, reference: Self) -> Option<Difference> {
                if self == reference || (self.is_nan() && reference.is_nan()) {
                    return None;
                }
                if !(self.is_finite() && reference.is_finite()) {
                    let kind = match self {
                        x if x.is_nan() => DifferenceKind::Nan,
                        x if x.is_infinite() && !reference.is_infinite() => DifferenceKind::Infinite,
                        _ => DifferenceKind::Finite,
                    };
                    return Some(Difference { relative: f64::INFINITY, steps: None, kind });
                }
                let (x, r) = (f64::from(self), f64::from(reference));
                // The difference of two numbers of opposite sign may overflow; that of their halves does not.
                let relative = (x / 2.0 - r / 2.0).abs() / (r / 2.0).abs();
                let relative = if (x - r).is_finite() { (x - r).abs() / r.abs() } else { relative };
                let steps = order(self).abs_diff(order(reference));
                return Some(Difference { relative, steps: Some(u64::from(steps)), kind: DifferenceKind::Value });

                /// The signed position of `x` among all numbers of its type, zeros at 0: the bits of IEEE 754 count up from zero in both directions.
                fn order(x: $float) -> $signed {
                    let magnitude = (x.to_bits() & !(1 << (<$bits>::BITS - 1))) as $signed;
                    if x.is_sign_negative() { -magnitude } else { magnitude }
                }
            }
        }
    };
}

macro_rules! whole {
    ($($whole:ty),*) => {
        $(impl Number for $whole {
            const BYTES: usize = size_of::<$whole>();

            fn read(bytes: &[u8]) -> Self {
                <$whole>::from_ne_bytes(bytes.try_into().expect("a chunk of one number"))
            }

            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }

            fn nearest(value: f64) -> Self {
                value.round() as $whole
            }

            fn below(self) -> Self {
                self.saturating_sub(1)
            }

            fn whole(value: i128) -> Self {
                value as $whole
            }

            fn index(i: u64) -> Self {
                i as $whole
            }

            fn index_max() -> u64 {
                <$whole>::MAX as u64
            }

            fn spelt(word: &str) -> Option<Self> {
                word.parse().ok().or_else(|| {
                    let value: f64 = word.parse().ok()?;
                    (Self::nearest(value) as f64 == value).then(|| Self::nearest(value))
                })
            }

            fn difference(self, reference: Self) -> Option<Difference> {
                let steps = self.abs_diff(reference) as u64;
                let relative = steps as f64 / (reference as f64).abs();
                (steps > 0).then_some(Difference { relative, steps: Some(steps), kind: DifferenceKind::Whole })
            }
        })*
    };
}

float!(f32, u32, i32);
float!(f64, u64, i64);
whole!(i8, i16, i32, i64, u8, u16, u32, u64);

/// Evaluates `$body` with the type `$number` set to the Rust type of `$element`.
macro_rules! with_number {
    ($element:expr, $number:ident => $body:expr) => {
        with_number!(@ $element, $number => $body; F32 f32, F64 f64, I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64)
    };
    (@ $element:expr, $number:ident => $body:expr; $($kind:ident $type:ty),*) => {
        match $element {
            $($crate::element::Element::$kind => {
                type $number = $type;
                $body
            })*
        }
    };
}
pub(crate) use with_number;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::ELEMENTS;

    #[test]
    fn every_type_is_as_wide_as_its_element_says() {
        for (name, element) in ELEMENTS {
            assert_eq!(with_number!(*element, N => N::BYTES as u64), element.bytes(), "{name}");
        }
    }

    #[test]
    fn words_are_spelt_as_c_and_fortran_print_them() {
        assert_eq!(f64::spelt("-1.5D+02"), Some(-150.0));
        assert_eq!(f32::spelt("0.1"), Some(0.1));
        assert!(f64::spelt("NaN").is_some_and(f64::is_nan));
        assert_eq!(f64::spelt("-inf"), Some(f64::NEG_INFINITY));
        assert_eq!(u64::spelt("18446744073709551615"), Some(u64::MAX));
        assert_eq!(i32::spelt("3.0"), Some(3));
        assert_eq!(i32::spelt("3.5"), None);
        assert_eq!(u8::spelt("256"), None);
        assert_eq!(f64::spelt("dd"), None);
    }

    #[test]
    fn whole_numbers_saturate_and_round() {
        assert_eq!(u8::nearest(-1.0), 0);
        assert_eq!(i8::nearest(1e9), 127);
        assert_eq!(i32::nearest(-2.6), -3);
    }
}
