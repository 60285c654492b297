//! Multiply-adds of short numbers in the scalable vectors of AArch64 (SVE).
#![allow(unsafe_code)]

use std::arch::asm;

use super::super::sve::{CHAINS, chains, is_here, vector_bytes};
use super::{BF16_ONES, F16_ONES, INT8_ONES, Products, ShortNumber, ShortPeak, f16_start, f16_value, starts};

chains!(f16, u32, "ld1rw", "s", "4", "", "fmla z\\n\\().h, p0/m, z24.h, z25.h", "fmla z\\n\\().h, p0/m, z24.h, z26.h");
chains!(
    bf16_dot,
    u32,
    "ld1rw",
    "s",
    "4",
    ".arch_extension bf16",
    "bfdot z\\n\\().s, z24.h, z25.h",
    "bfdot z\\n\\().s, z24.h, z26.h"
);
chains!(
    bf16_matrix,
    u32,
    "ld1rw",
    "s",
    "4",
    ".arch_extension bf16",
    "bfmmla z\\n\\().s, z24.h, z25.h",
    "bfmmla z\\n\\().s, z24.h, z26.h"
);
chains!(int8_dot, u32, "ld1rw", "s", "4", "", "sdot z\\n\\().s, z24.b, z25.b", "sdot z\\n\\().s, z24.b, z26.b");
chains!(
    int8_matrix,
    u32,
    "ld1rw",
    "s",
    "4",
    ".arch_extension i8mm",
    "smmla z\\n\\().s, z24.b, z25.b",
    "smmla z\\n\\().s, z24.b, z26.b"
);

/// Bits of AT_HWCAP2 (Linux, arch/arm64/include/uapi/asm/hwcap.h): products in scalable vectors of bytes, and of bfloat16 numbers.
const HWCAP2_SVEI8MM: u64 = 1 << 9;
const HWCAP2_SVEBF16: u64 = 1 << 12;

fn has(bit: u64) -> bool {
    is_here() && super::super::hwcap2() & bit != 0
}

/// Runs a loop whose chains start at `start` and whose factors are `ones`, and adds up their ends.
fn run(
    body: fn(&mut [u32; 27], u64),
    start: fn(usize) -> u32,
    [plus, minus]: [u32; 2],
    value: fn(u32) -> f64,
    turns: u64,
) -> f64 {
    let mut words = [0; 27];
    (0..CHAINS).for_each(|chain| words[chain] = start(chain));
    words[CHAINS..].copy_from_slice(&[plus, plus, minus]);
    body(&mut words, turns);
    words[..CHAINS].iter().map(|word| value(*word)).sum()
}

fn two_halves(index: usize) -> u32 {
    u32::from(f16_start(index)) * 0x1_0001
}

fn real(index: usize) -> u32 {
    (1.0 + index as f32).to_bits()
}

fn real_value(word: u32) -> f64 {
    f64::from(f32::from_bits(word))
}

/// A table row: the products of every 16 bytes.
macro_rules! row {
    ($number:ident, $isa:literal, $products:literal, $is_here:expr, $step:expr, $body:ident, $start:expr, $ones:ident, $value:expr) => {
        ShortPeak {
            number: ShortNumber::$number,
            isa: $isa,
            instructions: 2 * CHAINS as u64,
            products: Products::Sixteenth($products, vector_bytes),
            is_here: $is_here,
            turns: |turns| run($body, $start, $ones, $value, turns),
            expected: starts(CHAINS, $step),
        }
    };
}

/// The loops, with the products that an instruction adds up for every 16 bytes of a vector.
pub(super) const LOOPS: &[ShortPeak] = &[
    row!(F16, "sve_fp16", 8, is_here, 1.0 / 64.0, f16, two_halves, F16_ONES, |word| f16_value(word as u16)),
    row!(Bf16, "sve_bfdot", 8, || has(HWCAP2_SVEBF16), 1.0, bf16_dot, real, BF16_ONES, real_value),
    row!(Bf16, "sve_bfmmla", 16, || has(HWCAP2_SVEBF16), 1.0, bf16_matrix, real, BF16_ONES, real_value),
    row!(Int8, "sve_dot", 16, is_here, 1.0, int8_dot, |index| 1 + index as u32, INT8_ONES, f64::from),
    row!(
        Int8,
        "sve_i8mm",
        32,
        || has(HWCAP2_SVEI8MM),
        1.0,
        int8_matrix,
        |index| 1 + index as u32,
        INT8_ONES,
        f64::from
    ),
];
