//! The highest rate of floating-point operations a core reaches: loops of independent multiply-adds in registers.
//!
//! Every loop has a known count of operations per turn and an answer that shows it ran: each chain returns to where it
//! began, exactly, because all its numbers are short binary fractions.

pub mod short;

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod plain;
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

/// Independent chains in a loop. A core with two units and a latency of four cycles needs eight to keep both busy;
/// four more absorb what the scheduler misses, and all fit in sixteen registers with two constants.
pub(crate) const CHAINS: usize = 12;
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
    isa: Isa,
    mix: Mix,
    flops_per_turn: u64,
    turns: fn(u64) -> f64,
    expected: f64,
}

/// One row of an architecture's table of loops.
pub(crate) struct Loop {
    pub(crate) isa: Isa,
    pub(crate) mix: Mix,
    /// The name of the number type it works on.
    pub(crate) real: &'static str,
    /// Numbers each instruction works on.
    pub(crate) lanes: usize,
    /// Runs this many turns (not zero) and returns the sum of the first lanes of all chains. The processor must have `isa`.
    pub(crate) turns: fn(u64) -> f64,
}

/// The number that chain `index` begins with and returns to: a short binary fraction, different for each chain.
pub(crate) fn start(index: usize) -> f64 {
    1.0 + index as f64 / 64.0
}

impl Peak {
    /// The loop for this number type, instruction set and mix; `None` where this processor or this crate has none.
    pub fn of<T: Real>(isa: Isa, mix: Mix) -> Option<Peak> {
        let found = |entry: &&Loop| entry.real == T::NAME && entry.isa == isa && entry.mix == mix && isa.is_here();
        native::LOOPS.iter().find(found).map(Peak::from)
    }

    /// The instruction sets this processor has a loop for, narrowest first.
    pub fn isas<T: Real>(mix: Mix) -> Vec<Isa> {
        Isa::all_here().into_iter().filter(|&isa| Peak::of::<T>(isa, mix).is_some()).collect()
    }

    /// The instruction set of the loop.
    pub fn isa(&self) -> Isa {
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

impl From<&Loop> for Peak {
    fn from(entry: &Loop) -> Peak {
        let chains = if entry.mix == Mix::MultiplyAdd { CHAINS } else { 2 * CHAINS };
        // A chain of plain additions counts half of what a chain of multiply-adds does.
        let flops_per_round = if entry.mix == Mix::MultiplyAdd { 2 * CHAINS } else { 3 * CHAINS };
        Peak {
            isa: entry.isa,
            mix: entry.mix,
            flops_per_turn: (ROUNDS * flops_per_round * entry.lanes) as u64,
            turns: entry.turns,
            expected: (0..chains).map(start).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Mix, Peak};
    use crate::isa::Isa;
    use crate::real::Real;

    fn check<T: Real>() {
        for mix in [Mix::MultiplyAdd, Mix::MultiplyAddAndAdd] {
            for isa in Peak::isas::<T>(mix) {
                let peak = Peak::of::<T>(isa, mix).unwrap();
                for turns in [0, 1, 2, 1001] {
                    assert_eq!(peak.run(turns), peak.expected(), "{} {mix:?} {}", T::NAME, isa.name());
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
        assert_eq!(Peak::isas::<f64>(Mix::MultiplyAdd), Isa::all_here());
        assert_eq!(Peak::isas::<f32>(Mix::MultiplyAdd), Isa::all_here());
        for isa in Isa::all_here() {
            let lanes = (isa.vector_bytes() / 8).max(1) as u64;
            assert_eq!(Peak::of::<f64>(isa, Mix::MultiplyAdd).unwrap().flops_per_turn(), 48 * lanes);
        }
    }

    #[test]
    fn an_instruction_set_of_another_architecture_has_no_loop() {
        let foreign = if cfg!(target_arch = "aarch64") { Isa::Avx2 } else { Isa::Neon };
        assert!(Peak::of::<f64>(foreign, Mix::MultiplyAdd).is_none());
    }
}
