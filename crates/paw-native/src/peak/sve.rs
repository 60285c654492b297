//! Loops in the scalable vectors of AArch64 (SVE), whose length the processor decides.
//!
//! Compiled code knows nothing of them: a loop begins and ends within one block of assembly.
#![allow(unsafe_code)]

use std::arch::{asm, is_aarch64_feature_detected};

use super::{Loop, Mix, starts};

/// Chains of a loop: 4 units of 128 bits with 4 cycles (Neoverse V2) need 16, two with 9 cycles (A64FX) 18.
pub(crate) const CHAINS: usize = 24;

/// A loop over 24 chains in z0 to z23: a first round with the factors z24 and z25, and a second one with z24 and z26. The words are
/// the chains' starts and the factors, and are left with the first lanes of the chains.
macro_rules! chains {
    ($name:ident, $word:ty, $load:literal, $lane:literal, $bytes:literal, $extension:literal, $one:literal, $two:literal) => {
        fn $name(words: &mut [$word; 27], turns: u64) {
            // SAFETY: the caller has found the instructions on this processor; the block reads and writes the words, and changes
            // only the registers declared, and the flags.
            unsafe {
                asm!(
                    ".arch_extension sve", $extension,
                    "ptrue p0.b",
                    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26",
                    concat!($load, " {{z\\n\\().", $lane, "}}, p0/z, [{words}, #", $bytes, "*\\n]"),
                    ".endr",
                    "2:",
                    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23", $one, ".endr",
                    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23", $two, ".endr",
                    "subs {turns}, {turns}, #1", "b.ne 2b",
                    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23",
                    concat!("str ", $lane, "\\n, [{words}, #", $bytes, "*\\n]"),
                    ".endr",
                    words = in(reg) words.as_mut_ptr(), turns = inout(reg) turns => _,
                    out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _, out("v6") _, out("v7") _,
                    out("v8") _, out("v9") _, out("v10") _, out("v11") _, out("v12") _, out("v13") _, out("v14") _,
                    out("v15") _, out("v16") _, out("v17") _, out("v18") _, out("v19") _, out("v20") _, out("v21") _,
                    out("v22") _, out("v23") _, out("v24") _, out("v25") _, out("v26") _, out("p0") _, options(nostack)
                )
            };
        }
    };
}
pub(crate) use chains;

chains!(
    double,
    u64,
    "ld1rd",
    "d",
    "8",
    "",
    "fmla z\\n\\().d, p0/m, z24.d, z25.d",
    "fmla z\\n\\().d, p0/m, z24.d, z26.d"
);
chains!(
    single,
    u32,
    "ld1rw",
    "s",
    "4",
    "",
    "fmla z\\n\\().s, p0/m, z24.s, z25.s",
    "fmla z\\n\\().s, p0/m, z24.s, z26.s"
);

/// Whether this processor and its system have such vectors.
pub(crate) fn is_here() -> bool {
    is_aarch64_feature_detected!("sve")
}

/// Bytes of a vector. The processor must have them.
pub(crate) fn vector_bytes() -> u64 {
    let bytes: u64;
    // SAFETY: the caller has found the instruction on this processor; it changes the register declared.
    unsafe { asm!(".arch_extension sve", "rdvl {bytes}, #1", bytes = out(reg) bytes, options(nomem, nostack)) };
    bytes
}

fn run_double(turns: u64) -> f64 {
    let mut words = [0; 27];
    (0..CHAINS).for_each(|chain| words[chain] = super::start(chain).to_bits());
    words[CHAINS..].copy_from_slice(&[1.0_f64, 1.0, -1.0].map(f64::to_bits));
    double(&mut words, turns);
    words[..CHAINS].iter().map(|word| f64::from_bits(*word)).sum()
}

fn run_single(turns: u64) -> f64 {
    let mut words = [0; 27];
    (0..CHAINS).for_each(|chain| words[chain] = (super::start(chain) as f32).to_bits());
    words[CHAINS..].copy_from_slice(&[1.0_f32, 1.0, -1.0].map(f32::to_bits));
    single(&mut words, turns);
    words[..CHAINS].iter().map(|word| f64::from(f32::from_bits(*word))).sum()
}

/// A table row: two operations for every number of a vector, two rounds a turn.
const fn row(real: &'static str, flops_per_turn: fn() -> u64, turns: fn(u64) -> f64) -> Loop {
    Loop { isa: "sve", is_here, mix: Mix::MultiplyAdd, real, flops_per_turn, turns, expected: starts(CHAINS) }
}

/// The loops in these vectors.
pub(super) const LOOPS: &[Loop] = &[
    row("f64", || 4 * CHAINS as u64 * vector_bytes() / 8, run_double),
    row("f32", || 4 * CHAINS as u64 * vector_bytes() / 4, run_single),
];
