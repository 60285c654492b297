//! The highest rate of floating-point operations a core reaches: loops of independent multiply-adds in registers.
//!
//! Every loop has a known count of operations per turn and an answer that shows it ran: each chain returns to where it
//! began, exactly, because all its numbers are short binary fractions.

pub mod short;

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod plain;
#[cfg(all(target_arch = "aarch64", not(miri)))]
mod sme;
#[cfg(all(target_arch = "aarch64", not(miri)))]
mod sve;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
use neon as native;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
use plain as native;
#[cfg(target_arch = "x86_64")]
use x86 as native;

use crate::isa::Isa;
use crate::real::Real;

/// Independent chains in a loop. On x86-64 a core with two units and a latency of four cycles needs eight to keep both busy; four
/// more absorb what the scheduler misses, and all fit in sixteen registers with two constants. On AArch64 four units with as many
/// cycles (Neoverse V2, Apple) need sixteen, and there are thirty-two registers.
pub(crate) const CHAINS: usize = if cfg!(target_arch = "aarch64") { 16 } else { 12 };
/// Operations on each chain per turn.
pub(crate) const ROUNDS: usize = 2;

/// Which instructions a loop is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mix {
    /// Multiplications and additions: fused where the instruction set can, else one of each.
    MultiplyAdd,
    /// As many plain additions beside the fused ones: cores with adders of their own (AMD since Zen) exceed the
    /// figure of [`Mix::MultiplyAdd`] with it.
    MultiplyAddAndAdd,
}

/// A loop whose floating-point operations are counted.
#[derive(Debug, Clone, Copy)]
pub struct Peak {
    isa: &'static str,
    mix: Mix,
    flops_per_turn: u64,
    turns: fn(u64) -> f64,
    expected: f64,
}

/// One row of an architecture's table of loops.
pub(crate) struct Loop {
    /// The instruction set, as it appears in results.
    pub(crate) isa: &'static str,
    pub(crate) is_here: fn() -> bool,
    pub(crate) mix: Mix,
    /// The name of the number type it works on.
    pub(crate) real: &'static str,
    /// Operations of a turn. The processor must have `isa`, whose vectors may have a length of the processor's choice.
    pub(crate) flops_per_turn: fn() -> u64,
    /// Runs this many turns (not zero) and returns the sum of the first lanes of all chains. The processor must have `isa`.
    pub(crate) turns: fn(u64) -> f64,
    /// What `turns` returns.
    pub(crate) expected: f64,
}

impl Loop {
    /// A loop over chains of an instruction set that kernels are written in, whose instructions work on `lanes` numbers.
    pub(crate) const fn chains<const LANES: u64>(
        (isa, is_here): (Isa, fn() -> bool),
        mix: Mix,
        real: &'static str,
        turns: fn(u64) -> f64,
    ) -> Loop {
        let (flops_per_turn, chains): (fn() -> u64, _) = match mix {
            Mix::MultiplyAdd => (|| (ROUNDS * 2 * CHAINS) as u64 * LANES, CHAINS),
            // A chain of plain additions counts half of what a chain of multiply-adds does.
            Mix::MultiplyAddAndAdd => (|| (ROUNDS * 3 * CHAINS) as u64 * LANES, 2 * CHAINS),
        };
        Loop { isa: isa.name(), is_here, mix, real, flops_per_turn, turns, expected: starts(chains) }
    }
}

/// The sum of the starts of `chains` chains.
const fn starts(chains: usize) -> f64 {
    chains as f64 + (chains * (chains - 1) / 2) as f64 / 64.0
}

/// The number that chain `index` begins with and returns to: a short binary fraction, different for each chain.
pub(crate) fn start(index: usize) -> f64 {
    1.0 + index as f64 / 64.0
}

/// What the kernel says of the processor beyond its first 64 features: AT_HWCAP2.
#[cfg(all(target_arch = "aarch64", not(miri)))]
#[allow(unsafe_code)]
pub(crate) fn hwcap2() -> u64 {
    // SAFETY: the call reads the vector that the kernel gave the process, and has no other effect.
    unsafe { libc::getauxval(libc::AT_HWCAP2) }
}

impl Peak {
    /// The loop for this number type, instruction set and mix; `None` where this processor or this crate has none.
    pub fn of<T: Real>(isa: &str, mix: Mix) -> Option<Peak> {
        Peak::all_here::<T>(mix).find(|peak| peak.isa == isa)
    }

    /// The loops of this number type that this processor can run, the narrowest first.
    pub fn all_here<T: Real>(mix: Mix) -> impl Iterator<Item = Peak> {
        let rows = LOOPS.iter().copied().flatten();
        rows.filter(move |row| row.real == T::NAME && row.mix == mix && (row.is_here)()).map(move |row| Peak {
            isa: row.isa,
            mix,
            flops_per_turn: (row.flops_per_turn)(),
            turns: row.turns,
            expected: row.expected,
        })
    }

    /// The widest loop of this number type that this processor can run.
    pub fn widest<T: Real>(mix: Mix) -> Option<Peak> {
        Peak::all_here::<T>(mix).last()
    }

    /// The instruction set of the loop, as it appears in results.
    pub fn isa(&self) -> &'static str {
        self.isa
    }

    /// The mix of the loop.
    pub fn mix(&self) -> Mix {
        self.mix
    }

    /// Floating-point operations of one turn; a fused multiply-add counts as two.
    pub fn flops_per_turn(&self) -> u64 {
        self.flops_per_turn
    }

    /// Runs `turns` turns on the calling thread and returns the sum of the first lanes of all chains.
    pub fn run(&self, turns: u64) -> f64 {
        if turns == 0 { self.expected } else { (self.turns)(turns) }
    }

    /// What [`Peak::run`] returns if every instruction was executed correctly.
    pub fn expected(&self) -> f64 {
        self.expected
    }
}

/// The loops of this architecture, one table for each file of them.
const LOOPS: &[&[Loop]] = &[
    native::LOOPS,
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    sve::LOOPS,
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    sme::LOOPS,
];

#[cfg(test)]
mod tests {
    use super::{CHAINS, Mix, Peak};
    use crate::isa::Isa;
    use crate::real::Real;

    fn check<T: Real>() {
        for mix in [Mix::MultiplyAdd, Mix::MultiplyAddAndAdd] {
            for peak in Peak::all_here::<T>(mix) {
                for turns in [0, 1, 2, 1001] {
                    assert_eq!(peak.run(turns), peak.expected(), "{} {mix:?} {}", T::NAME, peak.isa());
                }
            }
        }
    }

    #[test]
    fn every_loop_returns_to_where_it_began() {
        check::<f64>();
        check::<f32>();
    }

    #[test]
    fn every_instruction_set_here_has_a_loop_and_its_count() {
        for isa in Isa::all_here() {
            let count = |bytes: usize| (4 * CHAINS) as u64 * (isa.vector_bytes() / bytes).max(1) as u64;
            let [double, single] =
                [Peak::of::<f64>(isa.name(), Mix::MultiplyAdd), Peak::of::<f32>(isa.name(), Mix::MultiplyAdd)];
            assert_eq!([double, single].map(|peak| peak.unwrap().flops_per_turn()), [count(8), count(4)], "{isa:?}");
        }
    }

    #[test]
    fn an_instruction_set_of_another_architecture_has_no_loop() {
        let foreign = if cfg!(target_arch = "aarch64") { Isa::Avx2 } else { Isa::Neon };
        assert!(Peak::of::<f64>(foreign.name(), Mix::MultiplyAdd).is_none());
    }
}
