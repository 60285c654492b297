//! bfloat16: the upper half of a binary32 number.
#![allow(unsafe_code)]

/// A bfloat16 number, by its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct Bf16(pub u16);

impl Bf16 {
    /// The nearest number to a finite `value`; of two equally near ones the even one.
    pub fn nearest(value: f32) -> Self {
        let bits = value.to_bits();
        let below_half = 0x7FFF + (bits >> 16 & 1);
        Self((bits.wrapping_add(below_half) >> 16) as u16)
    }

    /// The bits of `numbers`, as libraries take them.
    pub fn bits(numbers: &[Self]) -> &[u16] {
        // SAFETY: a number is its bits and nothing more.
        unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast(), numbers.len()) }
    }
}

impl From<Bf16> for f32 {
    fn from(number: Bf16) -> f32 {
        f32::from_bits(u32::from(number.0) << 16)
    }
}

impl From<Bf16> for f64 {
    fn from(number: Bf16) -> f64 {
        f64::from(f32::from(number))
    }
}

#[cfg(test)]
mod tests {
    use super::Bf16;

    #[test]
    fn numbers_are_rounded_to_the_nearest_even_one() {
        // Eight binary digits: the neighbours of 1 are 1 + 2⁻⁷ and 1 - 2⁻⁸.
        for (value, rounded) in [
            (1.0, 1.0),
            (1.0 + 1.0 / 256.0, 1.0),
            (1.0 + 3.0 / 256.0, 1.0 + 4.0 / 256.0),
            (-0.1, -205.0 / 2048.0),
            (0.0, 0.0),
        ] {
            assert_eq!(f32::from(Bf16::nearest(value)), rounded, "{value}");
        }
    }
}
