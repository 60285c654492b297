//! Multiply-adds of short numbers in vector registers of x86-64.
#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::*;
use std::array::from_fn;

use super::super::CHAINS;
use super::{BF16_ONES, F16_ONES, INT8_ONES, Products, ShortNumber, ShortPeak, f16_start, f16_value, starts};

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

/// A factor, its equal and its negative in vectors of one width.
macro_rules! factors {
    ($name:ident, $feature:literal, $vector:ty, $splat:ident) => {
        #[target_feature(enable = $feature)]
        fn $name(ones: [u32; 2]) -> ($vector, $vector, $vector) {
            let [plus, minus] = ones.map(u32::cast_signed);
            ($splat(plus), $splat(plus), $splat(minus))
        }
    };
}

factors!(factors_128, "sse2", __m128i, _mm_set1_epi32);
factors!(factors_256, "avx2", __m256i, _mm256_set1_epi32);
factors!(factors_512, "avx512f", __m512i, _mm512_set1_epi32);

/// Chains of binary16 numbers, of binary32 sums and of whole sums, in vectors of one width.
macro_rules! loops {
    ($f16:ident, $bf16:ident, $int8:ident, $feature:literal, $class:ident, $factors:ident, [$set16:ident, $set32:ident, $set:ident],
     [$first:expr, $first_real:expr]) => {
        chains!(
            $f16,
            $feature,
            $class,
            |index| $set16(f16_start(index).cast_signed()),
            |chain| f16_value($first(chain) as u16),
            $factors(F16_ONES),
            "vfmadd231ph"
        );
        chains!(
            $bf16,
            $feature,
            $class,
            |index| $set(1.0 + index as f32),
            |chain| f64::from($first_real(chain)),
            $factors(BF16_ONES),
            "vdpbf16ps"
        );
        chains!(
            $int8,
            $feature,
            $class,
            |index| $set32(1 + index as i32),
            |chain| f64::from($first(chain)),
            $factors(INT8_ONES),
            "vpdpbusd"
        );
    };
}

loops!(
    f16_128,
    bf16_128,
    int8_128,
    "avx512f,avx512bw,avx512vl",
    xmm_reg,
    factors_128,
    [_mm_set1_epi16, _mm_set1_epi32, _mm_set1_ps],
    [_mm_cvtsi128_si32, _mm_cvtss_f32]
);
loops!(
    f16_256,
    bf16_256,
    int8_256,
    "avx512f,avx512bw,avx512vl",
    ymm_reg,
    factors_256,
    [_mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_ps],
    [_mm256_cvtsi256_si32, _mm256_cvtss_f32]
);
loops!(
    f16_512,
    bf16_512,
    int8_512,
    "avx512f,avx512bw",
    zmm_reg,
    factors_512,
    [_mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_ps],
    [_mm512_cvtsi512_si32, _mm512_cvtss_f32]
);
// The VEX form of processors without AVX-512.
chains!(
    int8_vex_128,
    "avx2",
    xmm_reg,
    |index| _mm_set1_epi32(1 + index as i32),
    |chain| f64::from(_mm_cvtsi128_si32(chain)),
    factors_128(INT8_ONES),
    "{{vex}} vpdpbusd"
);
chains!(
    int8_vex_256,
    "avx2",
    ymm_reg,
    |index| _mm256_set1_epi32(1 + index as i32),
    |chain| f64::from(_mm256_cvtsi256_si32(chain)),
    factors_256(INT8_ONES),
    "{{vex}} vpdpbusd"
);

/// Whether the instructions of an extension of AVX-512 exist in vectors of 128 and 256 bits too.
macro_rules! short_vectors {
    ($feature:tt) => {
        || {
            is_x86_feature_detected!($feature)
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
        }
    };
}

/// A table row; the function is called only where the row's instruction set was found.
macro_rules! row {
    ($number:ident, $isa:literal, $per_instruction:literal, $is_here:expr, $step:expr, $name:ident) => {
        ShortPeak {
            number: ShortNumber::$number,
            isa: $isa,
            instructions: (2 * CHAINS) as u64,
            products: Products::Each($per_instruction),
            is_here: $is_here,
            // SAFETY: `ShortPeak::all_here` returns only loops whose instruction set this processor has.
            turns: |turns| unsafe { $name(turns) },
            expected: starts(CHAINS, $step),
        }
    };
}

/// The loops, with the products of an instruction.
pub(super) const LOOPS: &[ShortPeak] = &[
    row!(F16, "avx512_fp16_128", 8, short_vectors!("avx512fp16"), 1.0 / 64.0, f16_128),
    row!(F16, "avx512_fp16_256", 16, short_vectors!("avx512fp16"), 1.0 / 64.0, f16_256),
    row!(
        F16,
        "avx512_fp16",
        32,
        || is_x86_feature_detected!("avx512fp16") && is_x86_feature_detected!("avx512bw"),
        1.0 / 64.0,
        f16_512
    ),
    row!(Bf16, "avx512_bf16_128", 8, short_vectors!("avx512bf16"), 1.0, bf16_128),
    row!(Bf16, "avx512_bf16_256", 16, short_vectors!("avx512bf16"), 1.0, bf16_256),
    row!(
        Bf16,
        "avx512_bf16",
        32,
        || is_x86_feature_detected!("avx512bf16") && is_x86_feature_detected!("avx512bw"),
        1.0,
        bf16_512
    ),
    row!(Int8, "avx_vnni_128", 16, || is_x86_feature_detected!("avxvnni"), 1.0, int8_vex_128),
    row!(Int8, "avx_vnni", 32, || is_x86_feature_detected!("avxvnni"), 1.0, int8_vex_256),
    row!(Int8, "avx512_vnni_128", 16, short_vectors!("avx512vnni"), 1.0, int8_128),
    row!(Int8, "avx512_vnni_256", 32, short_vectors!("avx512vnni"), 1.0, int8_256),
    row!(
        Int8,
        "avx512_vnni",
        64,
        || is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw"),
        1.0,
        int8_512
    ),
];
