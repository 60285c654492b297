//! The loops in the instructions of x86-64.
#![allow(unsafe_code)]

use std::arch::asm;
use std::arch::x86_64::*;
use std::array::from_fn;
use std::convert::identity;

use super::{CHAINS, Loop, Mix, start};
use crate::isa::Isa;

/// Multiplies a chain by -1 and adds a constant: two rounds return it to its start.
macro_rules! fused {
    ($op:literal, $a:literal) => {
        concat!($op, " {", $a, "}, {m}, {c}")
    };
}

/// Does what `fused` does, in two instructions.
macro_rules! apart {
    ($multiply:literal, $add:literal, $a:literal) => {
        concat!($multiply, " {", $a, "}, {m}\n", $add, " {", $a, "}, {c}")
    };
}

/// Subtracts a chain from a constant: two rounds return it to its start.
macro_rules! minus {
    ($op:literal, $a:literal) => {
        concat!($op, " {", $a, "}, {c}, {", $a, "}")
    };
}

/// A loop over twelve chains.
macro_rules! chains {
    ($name:ident, $feature:literal, $class:ident, $element:ty, $splat:path, $first:path, $line:ident, $($op:literal),+) => {
        #[target_feature(enable = $feature)]
        fn $name(turns: u64) -> f64 {
            let mut a: [_; CHAINS] = from_fn(|chain| $splat(start(chain) as $element));
            // SAFETY: the loop changes only the registers declared, and the flags.
            unsafe {
                asm!(
                    "2:", ".rept 2",
                    $line!($($op,)+ "a0"), $line!($($op,)+ "a1"), $line!($($op,)+ "a2"), $line!($($op,)+ "a3"),
                    $line!($($op,)+ "a4"), $line!($($op,)+ "a5"), $line!($($op,)+ "a6"), $line!($($op,)+ "a7"),
                    $line!($($op,)+ "a8"), $line!($($op,)+ "a9"), $line!($($op,)+ "a10"), $line!($($op,)+ "a11"),
                    ".endr", "dec {turns}", "jnz 2b",
                    a0 = inout($class) a[0], a1 = inout($class) a[1], a2 = inout($class) a[2], a3 = inout($class) a[3],
                    a4 = inout($class) a[4], a5 = inout($class) a[5], a6 = inout($class) a[6], a7 = inout($class) a[7],
                    a8 = inout($class) a[8], a9 = inout($class) a[9], a10 = inout($class) a[10],
                    a11 = inout($class) a[11], m = in($class) $splat(-1.0 as $element), c = in($class) $splat(3.0 as $element),
                    turns = inout(reg) turns => _, options(nomem, nostack)
                )
            };
            a.into_iter().map(|chain| f64::from($first(chain))).sum()
        }
    };
}

chains!(scalar_f64, "sse2", xmm_reg, f64, identity, identity, apart, "mulsd", "addsd");
chains!(scalar_f32, "sse2", xmm_reg, f32, identity, identity, apart, "mulss", "addss");
chains!(sse2_f64, "sse2", xmm_reg, f64, _mm_set1_pd, _mm_cvtsd_f64, apart, "mulpd", "addpd");
chains!(sse2_f32, "sse2", xmm_reg, f32, _mm_set1_ps, _mm_cvtss_f32, apart, "mulps", "addps");
chains!(avx2_f64, "avx2,fma", ymm_reg, f64, _mm256_set1_pd, _mm256_cvtsd_f64, fused, "vfmadd213pd");
chains!(avx2_f32, "avx2,fma", ymm_reg, f32, _mm256_set1_ps, _mm256_cvtss_f32, fused, "vfmadd213ps");
chains!(avx512_f64, "avx512f", zmm_reg, f64, _mm512_set1_pd, _mm512_cvtsd_f64, fused, "vfmadd213pd");
chains!(avx512_f32, "avx512f", zmm_reg, f32, _mm512_set1_ps, _mm512_cvtss_f32, fused, "vfmadd213ps");

/// A loop over twelve fused and twelve plain chains: it needs thirty registers, which only AVX-512 has.
macro_rules! mixed {
    ($name:ident, $element:ty, $splat:path, $first:path, $fused:literal, $minus:literal) => {
        #[target_feature(enable = "avx512f,avx512vl")]
        fn $name(turns: u64) -> f64 {
            let mut a: [_; 2 * CHAINS] = from_fn(|chain| $splat(start(chain) as $element));
            // SAFETY: the loop changes only the registers declared, and the flags.
            unsafe {
                asm!(
                    "2:", ".rept 2",
                    fused!($fused, "a0"), minus!($minus, "a12"), fused!($fused, "a1"), minus!($minus, "a13"),
                    fused!($fused, "a2"), minus!($minus, "a14"), fused!($fused, "a3"), minus!($minus, "a15"),
                    fused!($fused, "a4"), minus!($minus, "a16"), fused!($fused, "a5"), minus!($minus, "a17"),
                    fused!($fused, "a6"), minus!($minus, "a18"), fused!($fused, "a7"), minus!($minus, "a19"),
                    fused!($fused, "a8"), minus!($minus, "a20"), fused!($fused, "a9"), minus!($minus, "a21"),
                    fused!($fused, "a10"), minus!($minus, "a22"), fused!($fused, "a11"), minus!($minus, "a23"),
                    ".endr", "dec {turns}", "jnz 2b",
                    a0 = inout(zmm_reg) a[0], a1 = inout(zmm_reg) a[1], a2 = inout(zmm_reg) a[2],
                    a3 = inout(zmm_reg) a[3], a4 = inout(zmm_reg) a[4], a5 = inout(zmm_reg) a[5],
                    a6 = inout(zmm_reg) a[6], a7 = inout(zmm_reg) a[7], a8 = inout(zmm_reg) a[8],
                    a9 = inout(zmm_reg) a[9], a10 = inout(zmm_reg) a[10], a11 = inout(zmm_reg) a[11],
                    a12 = inout(zmm_reg) a[12], a13 = inout(zmm_reg) a[13], a14 = inout(zmm_reg) a[14],
                    a15 = inout(zmm_reg) a[15], a16 = inout(zmm_reg) a[16], a17 = inout(zmm_reg) a[17],
                    a18 = inout(zmm_reg) a[18], a19 = inout(zmm_reg) a[19], a20 = inout(zmm_reg) a[20],
                    a21 = inout(zmm_reg) a[21], a22 = inout(zmm_reg) a[22], a23 = inout(zmm_reg) a[23],
                    m = in(zmm_reg) $splat(-1.0 as $element), c = in(zmm_reg) $splat(3.0 as $element), turns = inout(reg) turns => _,
                    options(nomem, nostack)
                )
            };
            a.into_iter().map(|chain| f64::from($first(chain))).sum()
        }
    };
}

mixed!(mixed_f64, f64, _mm512_set1_pd, _mm512_cvtsd_f64, "vfmadd213pd", "vsubpd");
mixed!(mixed_f32, f32, _mm512_set1_ps, _mm512_cvtss_f32, "vfmadd213ps", "vsubps");

/// A table row; the function is called only where the row's instruction set was found.
macro_rules! row {
    ($isa:ident, $mix:ident, $real:literal, $lanes:literal, $name:ident) => {
        Loop::chains::<$lanes>(
            (Isa::$isa, || Isa::$isa.is_here()),
            Mix::$mix,
            $real,
            // SAFETY: `Peak` has only loops whose instruction set this processor has.
            #[allow(unused_unsafe)]
            |turns| unsafe { $name(turns) },
        )
    };
}

/// The loops of this architecture.
pub(super) const LOOPS: &[Loop] = &[
    row!(Scalar, MultiplyAdd, "f64", 1, scalar_f64),
    row!(Scalar, MultiplyAdd, "f32", 1, scalar_f32),
    row!(Sse2, MultiplyAdd, "f64", 2, sse2_f64),
    row!(Sse2, MultiplyAdd, "f32", 4, sse2_f32),
    row!(Avx2, MultiplyAdd, "f64", 4, avx2_f64),
    row!(Avx2, MultiplyAdd, "f32", 8, avx2_f32),
    row!(Avx512, MultiplyAdd, "f64", 8, avx512_f64),
    row!(Avx512, MultiplyAdd, "f32", 16, avx512_f32),
    row!(Avx512, MultiplyAddAndAdd, "f64", 8, mixed_f64),
    row!(Avx512, MultiplyAddAndAdd, "f32", 16, mixed_f32),
];
