//! Floats of 16 and 8 bits, to and from doubles.

/// A binary format: sign, exponent, mantissa.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    /// Whether the highest exponent is reserved for infinities and NaNs; otherwise only its last value is NaN.
    has_infinity: bool,
}

/// bfloat16: the upper half of a single.
pub(crate) const BF16: Format = Format { exponent_bits: 8, mantissa_bits: 7, has_infinity: true };
/// IEEE 754 binary16.
pub(crate) const F16: Format = Format { exponent_bits: 5, mantissa_bits: 10, has_infinity: true };
/// E4M3 of the Open Compute Project's 8-bit floating point specification 1.0.
pub(crate) const E4M3: Format = Format { exponent_bits: 4, mantissa_bits: 3, has_infinity: false };
/// A single as tensor cores read it: the mantissa bits of a half, the exponent of a single.
pub(crate) const TF32: Format = Format { exponent_bits: 8, mantissa_bits: 10, has_infinity: true };

impl Format {
    /// Half the distance from 1 to the next number.
    pub(crate) fn unit_roundoff(self) -> f64 {
        power(-(self.mantissa_bits as i32) - 1)
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn exponent_last(self) -> u32 {
        (1 << self.exponent_bits) - 1
    }

    fn mantissa_last(self) -> u32 {
        (1 << self.mantissa_bits) - 1
    }

    fn max(self) -> f64 {
        match self.has_infinity {
            true => self.decode((self.exponent_last() << self.mantissa_bits) - 1),
            false => self.decode((self.exponent_last() << self.mantissa_bits) | (self.mantissa_last() - 1)),
        }
    }

    /// The number of these bits.
    pub(crate) fn decode(self, bits: u32) -> f64 {
        let mantissa = bits & self.mantissa_last();
        let exponent = (bits >> self.mantissa_bits) & self.exponent_last();
        let sign = if bits >> (self.mantissa_bits + self.exponent_bits) & 1 == 1 { -1.0 } else { 1.0 };
        let step = |exponent: u32| power(exponent as i32 - self.bias() - self.mantissa_bits as i32);
        let is_last = exponent == self.exponent_last();
        let size = match (exponent, mantissa) {
            (_, 0) if is_last && self.has_infinity => f64::INFINITY,
            _ if is_last && self.has_infinity => f64::NAN,
            (_, last) if is_last && last == self.mantissa_last() => f64::NAN,
            (0, _) => f64::from(mantissa) * step(1),
            _ => f64::from(mantissa + self.mantissa_last() + 1) * step(exponent),
        };
        sign * size
    }

    /// The bits of the number nearest to `value`, ties to even. A value too large becomes infinite, or the largest number in formats
    /// without infinity.
    pub(crate) fn encode(self, value: f64) -> u32 {
        let sign = u32::from(value.is_sign_negative()) << (self.mantissa_bits + self.exponent_bits);
        let all_ones = (self.exponent_last() << self.mantissa_bits) | self.mantissa_last();
        if value.is_nan() {
            return sign | all_ones;
        }
        let size = value.abs();
        let exponent = exponent_of(size).max(1 - self.bias());
        let step = power(exponent - self.mantissa_bits as i32);
        // A carry out of the mantissa increments the exponent.
        let steps = (size / step).round_ties_even();
        if steps * step > self.max() || size.is_infinite() {
            return sign | if self.has_infinity { self.exponent_last() << self.mantissa_bits } else { all_ones - 1 };
        }
        let biased = (exponent + self.bias() - 1) as u32;
        sign | ((biased << self.mantissa_bits) + steps as u32)
    }

    /// `value` rounded to this format.
    pub(crate) fn round(self, value: f64) -> f64 {
        self.decode(self.encode(value))
    }
}

/// The exponent of a non-negative `size`.
fn exponent_of(size: f64) -> i32 {
    let biased = (size.to_bits() >> 52) as i32;
    if biased == 0 { -1022 } else { biased - 1023 }
}

/// 2 to the power of `exponent`, which must be that of a normal double.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back() {
        for (format, bits) in [(E4M3, 8), (F16, 16), (BF16, 16)] {
            for pattern in 0..1_u32 << bits {
                let value = format.decode(pattern);
                let back = format.encode(value);
                assert!(back == pattern || value.is_nan() && format.decode(back).is_nan(), "{format:?} {pattern:#x}");
            }
        }
    }

    #[test]
    fn numbers_of_the_standards_are_read_so() {
        assert_eq!([0x3c00, 0x7bff, 0x0001, 0xc000].map(|bits| F16.decode(bits)), [1.0, 65504.0, power(-24), -2.0]);
        assert_eq!([0x38, 0x7e, 0x01, 0xb8].map(|bits| E4M3.decode(bits)), [1.0, 448.0, power(-9), -1.0]);
        assert!(E4M3.decode(0x7f).is_nan() && F16.decode(0x7c00).is_infinite() && BF16.decode(0xffff).is_nan());
        assert_eq!(BF16.decode(0x3f80), 1.0);
    }

    #[test]
    fn the_nearest_number_is_taken_and_of_two_the_even_one() {
        // Between 1 and 1 + 1/8 lies 1 + 1/16; between 1 + 1/8 and 1 + 2/8 lies 1 + 3/16.
        assert_eq!([1.0625, 1.1875, 1.07].map(|value| E4M3.round(value)), [1.0, 1.25, 1.125]);
        assert_eq!([465.0, 1e9, -1e9].map(|value| E4M3.round(value)), [448.0, 448.0, -448.0]);
        assert_eq!([65519.0, 65520.0].map(|value| F16.round(value)), [65504.0, f64::INFINITY]);
    }

    /// bfloat16 is a single cut to its upper half.
    #[test]
    fn bfloat16_rounds_as_a_single_does() {
        for place in 0..1_000_u32 {
            let value = f32::from_bits(0x3f80_0000 + place * 7_919);
            let bits = value.to_bits();
            let even = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
            assert_eq!(BF16.encode(f64::from(value)), even);
        }
    }

    #[test]
    fn what_is_rounded_twice_stays() {
        for place in 0..10_000 {
            let value = f64::from(place) / 10_000.0 - 0.5;
            for format in [TF32, BF16, F16, E4M3] {
                let once = format.round(value);
                assert_eq!(format.round(once), once);
                assert!(
                    (once - value).abs() <= format.unit_roundoff() * value.abs() + power(-10),
                    "{format:?} {value}"
                );
            }
        }
    }
}
