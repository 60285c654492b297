//! Multiply-adds of short numbers in vector registers of x86-64.
#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::*;
use std::array::from_fn;

use super::super::CHAINS;
use super::{BF16_ONES, F16_ONES, INT8_ONES, ShortNumber, ShortPeak, f16_start, f16_value, starts};

/// A loop over twelve chains: a first round with one factor, and a second one with its negative.
macro_rules! chains {
    ($name:ident, $feature:literal, $class:ident, $start:expr, $first:expr, $factors:expr, $op:literal) => {
        #[target_feature(enable = $feature)]
        fn $name(turns: u64) -> f64 {
            let mut a: [_; CHAINS] = from_fn($start);
            let (x, plus, minus) = $factors;
            // SAFETY: the loop changes only the registers declared, and the flags.
            unsafe {
                asm!(
                    "2:",
                    chains!(@round $op, "plus"), chains!(@round $op, "minus"),
                    "dec {turns}", "jnz 2b",
                    a0 = inout($class) a[0], a1 = inout($class) a[1], a2 = inout($class) a[2], a3 = inout($class) a[3],
                    a4 = inout($class) a[4], a5 = inout($class) a[5], a6 = inout($class) a[6], a7 = inout($class) a[7],
                    a8 = inout($class) a[8], a9 = inout($class) a[9], a10 = inout($class) a[10], a11 = inout($class) a[11],
                    x = in($class) x, plus = in($class) plus, minus = in($class) minus,
                    turns = inout(reg) turns => _, options(nomem, nostack)
                )
            };
            a.into_iter().map($first).sum()
        }
    };
    (@round $op:literal, $factor:literal) => {
        concat!(
            chains!(@line $op, $factor, "a0"), chains!(@line $op, $factor, "a1"), chains!(@line $op, $factor, "a2"),
            chains!(@line $op, $factor, "a3"), chains!(@line $op, $factor, "a4"), chains!(@line $op, $factor, "a5"),
            chains!(@line $op, $factor, "a6"), chains!(@line $op, $factor, "a7"), chains!(@line $op, $factor, "a8"),
            chains!(@line $op, $factor, "a9"), chains!(@line $op, $factor, "a10"), chains!(@line $op, $factor, "a11")
        )
    };
    (@line $op:literal, $factor:literal, $a:literal) => {
        concat!($op, " {", $a, "}, {x}, {", $factor, "}\n")
    };
}

#[target_feature(enable = "avx512f")]
fn splat(ones: [u32; 2]) -> (__m512i, __m512i, __m512i) {
    let [plus, minus] = ones.map(u32::cast_signed);
    (_mm512_set1_epi32(plus), _mm512_set1_epi32(plus), _mm512_set1_epi32(minus))
}

#[target_feature(enable = "avx2")]
fn splat_256(ones: [u32; 2]) -> (__m256i, __m256i, __m256i) {
    let [plus, minus] = ones.map(u32::cast_signed);
    (_mm256_set1_epi32(plus), _mm256_set1_epi32(plus), _mm256_set1_epi32(minus))
}

chains!(
    f16_512,
    "avx512f,avx512bw",
    zmm_reg,
    |index| _mm512_set1_epi16(f16_start(index).cast_signed()),
    |chain| f16_value(_mm512_cvtsi512_si32(chain) as u16),
    splat(F16_ONES),
    "vfmadd231ph"
);
chains!(
    bf16_512,
    "avx512f",
    zmm_reg,
    |index| _mm512_set1_ps(1.0 + index as f32),
    |chain| f64::from(_mm512_cvtss_f32(chain)),
    splat(BF16_ONES),
    "vdpbf16ps"
);
chains!(
    int8_512,
    "avx512f",
    zmm_reg,
    |index| _mm512_set1_epi32(1 + index as i32),
    |chain| f64::from(_mm512_cvtsi512_si32(chain)),
    splat(INT8_ONES),
    "vpdpbusd"
);
chains!(
    int8_256,
    "avx2",
    ymm_reg,
    |index| _mm256_set1_epi32(1 + index as i32),
    |chain| f64::from(_mm256_cvtsi256_si32(chain)),
    splat_256(INT8_ONES),
    "{{vex}} vpdpbusd"
);

/// A table row; the function is called only where the row's instruction set was found.
macro_rules! row {
    ($number:ident, $isa:literal, $per_instruction:literal, $is_here:expr, $step:expr, $name:ident) => {
        ShortPeak {
            number: ShortNumber::$number,
            isa: $isa,
            operations_per_turn: (2 * CHAINS * 2 * $per_instruction) as u64,
            is_here: $is_here,
            // SAFETY: `ShortPeak::all_here` returns only loops whose instruction set this processor has.
            turns: |turns| unsafe { $name(turns) },
            expected: starts($step),
        }
    };
}

/// The loops, with the products of an instruction.
pub(super) const LOOPS: &[ShortPeak] = &[
    row!(
        F16,
        "avx512_fp16",
        32,
        || is_x86_feature_detected!("avx512fp16") && is_x86_feature_detected!("avx512bw"),
        1.0 / 64.0,
        f16_512
    ),
    row!(Bf16, "avx512_bf16", 32, || is_x86_feature_detected!("avx512bf16"), 1.0, bf16_512),
    row!(Int8, "avx_vnni", 32, || is_x86_feature_detected!("avxvnni"), 1.0, int8_256),
    row!(Int8, "avx512_vnni", 64, || is_x86_feature_detected!("avx512vnni"), 1.0, int8_512),
];
