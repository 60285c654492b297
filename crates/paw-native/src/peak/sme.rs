//! Outer products on the matrix unit of AArch64 (SME).
//!
//! The unit works in a mode of its own, in which vectors have another length and hold other values: a loop enters and leaves the mode
//! within one block of assembly that declares every vector and predicate register, so that no compiled code runs in it. Linux leaves the
//! mode before it runs a signal's handler, and enters it again behind it.
#![allow(unsafe_code)]

use std::arch::asm;

use super::{Loop, Mix};

/// Tiles of sums of a loop: as many as there are of 32 bits.
pub(crate) const TILES: usize = 4;
/// What the first sums of the tiles, 1 to 4, add up to.
pub(crate) const EXPECTED: f64 = 10.0;

/// A loop over four tiles: a round of outer products is added, and one is subtracted. The words are the starts of the tiles' first
/// rows and the factor, and are left with the first sums.
macro_rules! tiles {
    ($name:ident, $word:ty, $load:literal, $lane:literal, $bytes:literal, $extension:literal, $plus:literal, $minus:literal, $from:literal) => {
        fn $name(words: &mut [$word; 5], turns: u64) {
            // SAFETY: the caller has found the instructions on this processor; the block reads and writes the words, changes only the
            // registers declared, and the flags, and leaves the mode that it entered.
            unsafe {
                asm!(
                    ".arch_extension sme", $extension,
                    "smstart",
                    "ptrue p0.b",
                    "mov w12, #0",
                    "zero {{za}}",
                    ".irp n,0,1,2,3,4",
                    concat!($load, " {{z\\n\\().", $lane, "}}, p0/z, [{words}, #", $bytes, "*\\n]"),
                    ".endr",
                    ".irp n,0,1,2,3",
                    concat!("mova za\\n\\()h.", $lane, "[w12, 0], p0/m, z\\n\\().", $lane),
                    ".endr",
                    "2:",
                    concat!(".irp n,0,1,2,3\n", $plus, " za\\n\\().", $lane, ", p0/m, p0/m, z4.", $from, ", z4.", $from, "\n.endr"),
                    concat!(".irp n,0,1,2,3\n", $minus, " za\\n\\().", $lane, ", p0/m, p0/m, z4.", $from, ", z4.", $from, "\n.endr"),
                    "subs {turns}, {turns}, #1", "b.ne 2b",
                    ".irp n,0,1,2,3",
                    concat!("mova z\\n\\().", $lane, ", p0/m, za\\n\\()h.", $lane, "[w12, 0]"),
                    concat!("str ", $lane, "\\n, [{words}, #", $bytes, "*\\n]"),
                    ".endr",
                    "smstop",
                    words = in(reg) words.as_mut_ptr(), turns = inout(reg) turns => _, out("x12") _,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                    out("v8") _, out("v9") _, out("v10") _, out("v11") _, out("v12") _, out("v13") _, out("v14") _,
                    out("v15") _, out("v16") _, out("v17") _, out("v18") _, out("v19") _, out("v20") _, out("v21") _,
                    out("v22") _, out("v23") _, out("v24") _, out("v25") _, out("v26") _, out("v27") _, out("v28") _,
                    out("v29") _, out("v30") _, out("v31") _, out("p0") _, out("p1") _, out("p2") _, out("p3") _,
                    out("p4") _, out("p5") _, out("p6") _, out("p7") _, out("p8") _, out("p9") _, out("p10") _, out("p11") _,
                    out("p12") _, out("p13") _, out("p14") _, out("p15") _, out("ffr") _, options(nostack)
                )
            };
        }
    };
}
pub(crate) use tiles;

tiles!(double, u64, "ld1rd", "d", "8", ".arch_extension sme-f64f64", "fmopa", "fmops", "d");
tiles!(single, u32, "ld1rw", "s", "4", "", "fmopa", "fmops", "s");

/// Bits of AT_HWCAP2 (Linux, arch/arm64/include/uapi/asm/hwcap.h): outer products of each kind.
const HWCAP2_SME_F64F64: u64 = 1 << 25;
const HWCAP2_SME_F32F32: u64 = 1 << 29;

/// Bytes of a vector in the unit's mode. The processor must have the unit.
pub(crate) fn vector_bytes() -> u64 {
    let bytes: u64;
    // SAFETY: the caller has found the instruction on this processor; it changes the register declared.
    unsafe { asm!(".arch_extension sme", "rdsvl {bytes}, #1", bytes = out(reg) bytes, options(nomem, nostack)) };
    bytes
}

fn run_double(turns: u64) -> f64 {
    let mut words = [1.0, 2.0, 3.0, 4.0, 1.0].map(f64::to_bits);
    double(&mut words, turns);
    words[..TILES].iter().map(|word| f64::from_bits(*word)).sum()
}

fn run_single(turns: u64) -> f64 {
    let mut words = [1.0, 2.0, 3.0, 4.0, 1.0].map(f32::to_bits);
    single(&mut words, turns);
    words[..TILES].iter().map(|word| f64::from(f32::from_bits(*word))).sum()
}

/// Operations of a turn: two rounds, two operations for each sum of a square tile of `bytes` each.
fn operations(bytes: u64) -> u64 {
    let side = vector_bytes() / bytes;
    2 * TILES as u64 * 2 * side * side
}

/// A table row.
const fn row(real: &'static str, is_here: fn() -> bool, flops_per_turn: fn() -> u64, turns: fn(u64) -> f64) -> Loop {
    Loop { isa: "sme", is_here, mix: Mix::MultiplyAdd, real, flops_per_turn, turns, expected: EXPECTED }
}

/// The loops on this unit.
pub(super) const LOOPS: &[Loop] = &[
    row("f64", || super::hwcap2() & HWCAP2_SME_F64F64 != 0, || operations(8), run_double),
    row("f32", || super::hwcap2() & HWCAP2_SME_F32F32 != 0, || operations(4), run_single),
];
