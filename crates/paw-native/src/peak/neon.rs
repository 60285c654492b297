//! The loops in the instructions of AArch64.
#![allow(unsafe_code)]

use std::arch::aarch64::*;
use std::arch::asm;
use std::array::from_fn;
use std::convert::identity;

use super::{CHAINS, Loop, Mix, start};
use crate::isa::Isa;

/// Adds a product to a chain, or subtracts it.
macro_rules! fused {
    ($op:literal, $shape:literal, $a:literal) => {
        concat!($op, " {", $a, ":v}.", $shape, ", {m:v}.", $shape, ", {c:v}.", $shape)
    };
}

/// Negates a chain by a product and adds a constant, in two instructions: two rounds return it to its start.
macro_rules! apart {
    ($kind:literal, $a:literal) => {
        concat!(
            "fmul {", $a, ":", $kind, "}, {", $a, ":", $kind, "}, {m:", $kind, "}\n", "fadd {", $a, ":", $kind, "}, {",
            $a, ":", $kind, "}, {c:", $kind, "}"
        )
    };
}

/// A loop over sixteen chains: a first and a second round.
macro_rules! chains {
    ($name:ident, $element:ty, $splat:path, $first:path, $line:ident, [$($one:literal),+], [$($two:literal),+]) => {
        fn $name(turns: u64) -> f64 {
            // SAFETY: NEON is part of every AArch64 target of ours.
            #[allow(unused_unsafe)]
            let (mut a, m, c): ([_; CHAINS], _, _) =
                unsafe { (from_fn(|chain| $splat(start(chain) as $element)), $splat(-1.0 as $element), $splat(3.0 as $element)) };
            // SAFETY: the loop changes only the registers declared, and the flags.
            unsafe {
                asm!(
                    "2:",
                    $line!($($one,)+ "a0"), $line!($($one,)+ "a1"), $line!($($one,)+ "a2"), $line!($($one,)+ "a3"),
                    $line!($($one,)+ "a4"), $line!($($one,)+ "a5"), $line!($($one,)+ "a6"), $line!($($one,)+ "a7"),
                    $line!($($one,)+ "a8"), $line!($($one,)+ "a9"), $line!($($one,)+ "a10"), $line!($($one,)+ "a11"),
                    $line!($($one,)+ "a12"), $line!($($one,)+ "a13"), $line!($($one,)+ "a14"), $line!($($one,)+ "a15"),
                    $line!($($two,)+ "a0"), $line!($($two,)+ "a1"), $line!($($two,)+ "a2"), $line!($($two,)+ "a3"),
                    $line!($($two,)+ "a4"), $line!($($two,)+ "a5"), $line!($($two,)+ "a6"), $line!($($two,)+ "a7"),
                    $line!($($two,)+ "a8"), $line!($($two,)+ "a9"), $line!($($two,)+ "a10"), $line!($($two,)+ "a11"),
                    $line!($($two,)+ "a12"), $line!($($two,)+ "a13"), $line!($($two,)+ "a14"), $line!($($two,)+ "a15"),
                    "subs {turns}, {turns}, #1", "b.ne 2b",
                    a0 = inout(vreg) a[0], a1 = inout(vreg) a[1], a2 = inout(vreg) a[2], a3 = inout(vreg) a[3],
                    a4 = inout(vreg) a[4], a5 = inout(vreg) a[5], a6 = inout(vreg) a[6], a7 = inout(vreg) a[7],
                    a8 = inout(vreg) a[8], a9 = inout(vreg) a[9], a10 = inout(vreg) a[10], a11 = inout(vreg) a[11],
                    a12 = inout(vreg) a[12], a13 = inout(vreg) a[13], a14 = inout(vreg) a[14], a15 = inout(vreg) a[15],
                    m = in(vreg) m, c = in(vreg) c, turns = inout(reg) turns => _, options(nomem, nostack)
                )
            };
            a.into_iter().map(|chain| f64::from(first_lane!($first, chain))).sum()
        }
    };
}

/// The first lane of a chain.
macro_rules! first_lane {
    ($first:path, $chain:ident) => {{
        // SAFETY: NEON is part of every AArch64 target of ours.
        #[allow(unused_unsafe)]
        unsafe {
            $first($chain)
        }
    }};
}

chains!(scalar_f64, f64, identity, identity, apart, ["d"], ["d"]);
chains!(scalar_f32, f32, identity, identity, apart, ["s"], ["s"]);
chains!(neon_f64, f64, vdupq_n_f64, vgetq_lane_f64::<0>, fused, ["fmla", "2d"], ["fmls", "2d"]);
chains!(neon_f32, f32, vdupq_n_f32, vgetq_lane_f32::<0>, fused, ["fmla", "4s"], ["fmls", "4s"]);

/// A table row.
macro_rules! row {
    ($isa:ident, $real:literal, $lanes:literal, $name:ident) => {
        Loop::chains::<$lanes>((Isa::$isa, || true), Mix::MultiplyAdd, $real, $name)
    };
}

/// The loops of this architecture.
pub(super) const LOOPS: &[Loop] = &[
    row!(Scalar, "f64", 1, scalar_f64),
    row!(Scalar, "f32", 1, scalar_f32),
    row!(Neon, "f64", 2, neon_f64),
    row!(Neon, "f32", 4, neon_f32),
];
