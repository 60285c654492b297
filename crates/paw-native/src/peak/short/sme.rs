//! Outer products of short numbers on the matrix unit of AArch64 (SME).
#![allow(unsafe_code)]

use std::arch::asm;

use super::super::hwcap2;
use super::super::sme::{EXPECTED, TILES, tiles, vector_bytes};
use super::{BF16_ONES, F16_ONES, INT8_ONES, Products, ShortNumber, ShortPeak};

tiles!(f16, u32, "ld1rw", "s", "4", "", "fmopa", "fmops", "h");
tiles!(bf16, u32, "ld1rw", "s", "4", "", "bfmopa", "bfmops", "h");
tiles!(int8, u32, "ld1rw", "s", "4", "", "smopa", "smops", "b");

/// Bits of AT_HWCAP2 (Linux, arch/arm64/include/uapi/asm/hwcap.h): outer products of each kind.
const HWCAP2_SME_I8I32: u64 = 1 << 26;
const HWCAP2_SME_F16F32: u64 = 1 << 27;
const HWCAP2_SME_B16F32: u64 = 1 << 28;

/// Runs a loop whose tiles start at `starts` and whose factor is `one`, and adds up their first sums.
fn run(body: fn(&mut [u32; 5], u64), starts: [u32; TILES], one: u32, value: fn(u32) -> f64, turns: u64) -> f64 {
    let [first, second, third, fourth] = starts;
    let mut words = [first, second, third, fourth, one];
    body(&mut words, turns);
    words[..TILES].iter().map(|word| value(*word)).sum()
}

fn real_value(word: u32) -> f64 {
    f64::from(f32::from_bits(word))
}

const WHOLE: [u32; TILES] = [1, 2, 3, 4];
const REAL: [u32; TILES] = [0x3F80_0000, 0x4000_0000, 0x4040_0000, 0x4080_0000];

/// A table row: the products of every 16 bytes of a vector with one number of the other.
macro_rules! row {
    ($number:ident, $isa:literal, $products:literal, $bit:ident, $body:ident, $starts:ident, $ones:ident, $value:expr) => {
        ShortPeak {
            number: ShortNumber::$number,
            isa: $isa,
            instructions: 2 * TILES as u64,
            products: Products::Outer($products, vector_bytes),
            is_here: || hwcap2() & $bit != 0,
            turns: |turns| run($body, $starts, $ones[0], $value, turns),
            expected: EXPECTED,
        }
    };
}

/// The loops, with the products that an instruction adds up for every 16 bytes of a vector in one row of sums.
pub(super) const LOOPS: &[ShortPeak] = &[
    row!(F16, "sme_fp16", 8, HWCAP2_SME_F16F32, f16, REAL, F16_ONES, real_value),
    row!(Bf16, "sme_bf16", 8, HWCAP2_SME_B16F32, bf16, REAL, BF16_ONES, real_value),
    row!(Int8, "sme_int8", 16, HWCAP2_SME_I8I32, int8, WHOLE, INT8_ONES, f64::from),
];
