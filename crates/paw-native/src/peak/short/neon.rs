//! Multiply-adds of short numbers in vector registers of AArch64.
#![allow(unsafe_code)]

use std::arch::aarch64::*;
use std::arch::asm;
use std::arch::is_aarch64_feature_detected;
use std::array::from_fn;

use super::super::CHAINS;
use super::{Products, ShortNumber, ShortPeak, f16_start, f16_value, starts};

/// A loop over sixteen chains: a first round with one factor, and a second one with its negative.
macro_rules! chains {
    ($name:ident, $feature:literal, $start:expr, $first:expr, $factors:expr, $op:literal, $sums:literal, $numbers:literal) => {
        #[target_feature(enable = $feature)]
        fn $name(turns: u64) -> f64 {
            let mut a: [_; CHAINS] = from_fn($start);
            let [plus, minus] = $factors.map(|bits: u32| vdupq_n_u32(bits));
            // SAFETY: the loop changes only the registers declared, and the flags.
            unsafe {
                asm!(
                    "2:",
                    chains!(@round $op, "plus", $sums, $numbers), chains!(@round $op, "minus", $sums, $numbers),
                    "subs {turns}, {turns}, #1", "b.ne 2b",
                    a0 = inout(vreg) a[0], a1 = inout(vreg) a[1], a2 = inout(vreg) a[2], a3 = inout(vreg) a[3],
                    a4 = inout(vreg) a[4], a5 = inout(vreg) a[5], a6 = inout(vreg) a[6], a7 = inout(vreg) a[7],
                    a8 = inout(vreg) a[8], a9 = inout(vreg) a[9], a10 = inout(vreg) a[10], a11 = inout(vreg) a[11],
                    a12 = inout(vreg) a[12], a13 = inout(vreg) a[13], a14 = inout(vreg) a[14], a15 = inout(vreg) a[15],
                    x = in(vreg) plus, plus = in(vreg) plus, minus = in(vreg) minus,
                    turns = inout(reg) turns => _, options(nomem, nostack)
                )
            };
            a.into_iter().map($first).sum()
        }
    };
    (@round $op:literal, $factor:literal, $sums:literal, $numbers:literal) => {
        concat!(
            chains!(@line $op, $factor, $sums, $numbers, "a0"), chains!(@line $op, $factor, $sums, $numbers, "a1"),
            chains!(@line $op, $factor, $sums, $numbers, "a2"), chains!(@line $op, $factor, $sums, $numbers, "a3"),
            chains!(@line $op, $factor, $sums, $numbers, "a4"), chains!(@line $op, $factor, $sums, $numbers, "a5"),
            chains!(@line $op, $factor, $sums, $numbers, "a6"), chains!(@line $op, $factor, $sums, $numbers, "a7"),
            chains!(@line $op, $factor, $sums, $numbers, "a8"), chains!(@line $op, $factor, $sums, $numbers, "a9"),
            chains!(@line $op, $factor, $sums, $numbers, "a10"), chains!(@line $op, $factor, $sums, $numbers, "a11"),
            chains!(@line $op, $factor, $sums, $numbers, "a12"), chains!(@line $op, $factor, $sums, $numbers, "a13"),
            chains!(@line $op, $factor, $sums, $numbers, "a14"), chains!(@line $op, $factor, $sums, $numbers, "a15")
        )
    };
    (@line $op:literal, $factor:literal, $sums:literal, $numbers:literal, $a:literal) => {
        concat!($op, " {", $a, ":v}.", $sums, ", {x:v}.", $numbers, ", {", $factor, ":v}.", $numbers, "\n")
    };
}

/// Loops whose sums are whole numbers in binary32.
macro_rules! float_sums {
    ($name:ident, $feature:literal, $op:literal) => {
        chains!(
            $name,
            $feature,
            |index| vdupq_n_f32(1.0 + index as f32),
            |chain| f64::from(vgetq_lane_f32::<0>(chain)),
            super::BF16_ONES,
            $op,
            "4s",
            "8h"
        );
    };
}

/// Loops whose sums are whole numbers of 32 bits.
macro_rules! whole_sums {
    ($name:ident, $feature:literal, $op:literal) => {
        chains!(
            $name,
            $feature,
            |index| vdupq_n_s32(1 + index as i32),
            |chain| f64::from(vgetq_lane_s32::<0>(chain)),
            super::INT8_ONES,
            $op,
            "4s",
            "16b"
        );
    };
}

chains!(
    f16,
    "neon,fp16",
    |index| vdupq_n_u16(f16_start(index)),
    |chain| f16_value(vgetq_lane_u16::<0>(chain)),
    super::F16_ONES,
    "fmla",
    "8h",
    "8h"
);
float_sums!(bf16_dot, "neon,bf16", "bfdot");
float_sums!(bf16_matrix, "neon,bf16", "bfmmla");
whole_sums!(int8_dot, "neon,dotprod", "sdot");
whole_sums!(int8_matrix, "neon,i8mm", "smmla");

/// A table row; the function is called only where the row's instruction set was found.
macro_rules! row {
    ($number:ident, $isa:literal, $per_instruction:literal, $feature:tt, $step:expr, $name:ident) => {
        ShortPeak {
            number: ShortNumber::$number,
            isa: $isa,
            instructions: (2 * CHAINS) as u64,
            products: Products::Each($per_instruction),
            is_here: || is_aarch64_feature_detected!($feature),
            // SAFETY: `ShortPeak::all_here` returns only loops whose instruction set this processor has.
            turns: |turns| unsafe { $name(turns) },
            expected: starts(CHAINS, $step),
        }
    };
}

/// The loops, with the products of an instruction.
pub(super) const LOOPS: &[ShortPeak] = &[
    row!(F16, "neon_fp16", 8, "fp16", 1.0 / 64.0, f16),
    row!(Bf16, "neon_bfdot", 8, "bf16", 1.0, bf16_dot),
    row!(Bf16, "neon_bfmmla", 16, "bf16", 1.0, bf16_matrix),
    row!(Int8, "neon_dotprod", 16, "dotprod", 1.0, int8_dot),
    row!(Int8, "neon_i8mm", 32, "i8mm", 1.0, int8_matrix),
];
