//! The words that short numbers are packed in.

use super::bfloat16::Bf16;
use super::pack::Format;

/// Two bfloat16 numbers in a word.
pub(super) struct Pairs;

impl Format for Pairs {
    type A = Bf16;
    type B = Bf16;
    const DEPTH: usize = 2;
    const VERBATIM: bool = true;

    fn bits_a(number: Bf16) -> u32 {
        u32::from(number.0)
    }

    fn bits_b(number: Bf16) -> u32 {
        u32::from(number.0)
    }
}

/// A bfloat16 number widened to binary32, for processors without instructions of its own.
pub(super) struct WideFloat;

impl Format for WideFloat {
    type A = Bf16;
    type B = Bf16;
    const DEPTH: usize = 1;
    const VERBATIM: bool = false;

    fn bits_a(number: Bf16) -> u32 {
        f32::from(number).to_bits()
    }

    fn bits_b(number: Bf16) -> u32 {
        f32::from(number).to_bits()
    }
}

/// Four bytes in a word.
pub(super) struct Quads;

impl Format for Quads {
    type A = u8;
    type B = i8;
    const DEPTH: usize = 4;
    const VERBATIM: bool = true;

    fn bits_a(number: u8) -> u32 {
        u32::from(number)
    }

    fn bits_b(number: i8) -> u32 {
        u32::from(number.cast_unsigned())
    }
}

/// Two bytes widened to 16 bits, whose products and their sum 32 bits hold.
pub(super) struct WideBytes;

impl Format for WideBytes {
    type A = u8;
    type B = i8;
    const DEPTH: usize = 2;
    const VERBATIM: bool = false;

    fn bits_a(number: u8) -> u32 {
        u32::from(number)
    }

    fn bits_b(number: i8) -> u32 {
        u32::from(i16::from(number).cast_unsigned())
    }
}
