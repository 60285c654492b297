//! A chain of multiplications whose length is known, beside vector work that keeps the vector units busy: the clock under that work.

use crate::isa::Isa;

/// Multiplications in one turn of [`BusyChain::run`]; the vector instructions of a turn take fewer cycles than they do.
pub const MULTIPLIES_PER_TURN: u64 = 6;

/// A chain of [`MULTIPLIES_PER_TURN`] dependent multiplications a turn, and twelve multiply-adds of an instruction set beside them.
#[derive(Debug, Clone, Copy)]
pub struct BusyChain {
    name: &'static str,
    turns: fn(u64) -> f64,
    expected: f64,
}

impl BusyChain {
    /// The chains that this processor can run, the narrowest vectors first; none where the latency of a multiplication is unknown.
    pub fn all_here() -> Vec<Self> {
        native::all_here()
    }

    /// The chain beside the instructions of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all_here().into_iter().find(|chain| chain.name == name)
    }

    /// The instruction set of the work beside the chain.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs `turns` turns on the calling thread and returns the sum of the first lanes of the work beside the chain.
    pub fn run(&self, turns: u64) -> f64 {
        if turns == 0 { self.expected } else { (self.turns)(turns) }
    }

    /// What [`BusyChain::run`] returns after an even number of turns.
    pub fn expected(&self) -> f64 {
        self.expected
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod native {
    pub(super) fn all_here() -> Vec<super::BusyChain> {
        Vec::new()
    }
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[allow(unsafe_code)]
mod native {
    use std::arch::asm;
    use std::arch::x86_64::*;
    use std::array::from_fn;
    use std::convert::identity;

    use super::{BusyChain, Isa};

    /// Chains of multiply-adds, each of which two turns return to its start.
    const CHAINS: usize = 12;

    fn start(index: usize) -> f64 {
        1.0 + index as f64 / 64.0
    }

    /// Two multiply-adds and one multiplication.
    macro_rules! step {
        ($op:literal, $one:literal, $two:literal) => {
            concat!("imul {x:e}, {y:e}\n", $op, " {", $one, "}, {m}, {c}\n", $op, " {", $two, "}, {m}, {c}")
        };
    }

    /// Two multiplications and additions, and one multiplication of the chain.
    macro_rules! step_apart {
        ($multiply:literal, $add:literal, $one:literal, $two:literal) => {
            concat!(
                "imul {x:e}, {y:e}\n",
                $multiply,
                " {",
                $one,
                "}, {m}\n",
                $add,
                " {",
                $one,
                "}, {c}\n",
                $multiply,
                " {",
                $two,
                "}, {m}\n",
                $add,
                " {",
                $two,
                "}, {c}"
            )
        };
    }

    macro_rules! beside {
        ($name:ident, $feature:literal, $class:ident, $splat:path, $first:path, $step:ident, $($op:literal),+) => {
            #[target_feature(enable = $feature)]
            fn $name(turns: u64) -> f64 {
                let mut a: [_; CHAINS] = from_fn(|chain| $splat(start(chain)));
                // SAFETY: the loop changes only the registers declared, and the flags.
                unsafe {
                    asm!(
                        "2:",
                        $step!($($op,)+ "a0", "a1"), $step!($($op,)+ "a2", "a3"), $step!($($op,)+ "a4", "a5"),
                        $step!($($op,)+ "a6", "a7"), $step!($($op,)+ "a8", "a9"), $step!($($op,)+ "a10", "a11"),
                        "dec {turns}", "jnz 2b",
                        a0 = inout($class) a[0], a1 = inout($class) a[1], a2 = inout($class) a[2], a3 = inout($class) a[3],
                        a4 = inout($class) a[4], a5 = inout($class) a[5], a6 = inout($class) a[6], a7 = inout($class) a[7],
                        a8 = inout($class) a[8], a9 = inout($class) a[9], a10 = inout($class) a[10],
                        a11 = inout($class) a[11], m = in($class) $splat(-1.0), c = in($class) $splat(3.0),
                        x = inout(reg) 1u64 => _, y = in(reg) 3u64, turns = inout(reg) turns => _, options(nomem, nostack)
                    )
                };
                a.into_iter().map(|chain| $first(chain)).sum()
            }
        };
    }

    beside!(scalar, "sse2", xmm_reg, identity, identity, step_apart, "mulsd", "addsd");
    beside!(sse2, "sse2", xmm_reg, _mm_set1_pd, _mm_cvtsd_f64, step_apart, "mulpd", "addpd");
    beside!(avx2, "avx2,fma", ymm_reg, _mm256_set1_pd, _mm256_cvtsd_f64, step, "vfmadd213pd");
    beside!(avx512, "avx512f", zmm_reg, _mm512_set1_pd, _mm512_cvtsd_f64, step, "vfmadd213pd");

    pub(super) fn all_here() -> Vec<BusyChain> {
        let chain = |isa: Isa| {
            // SAFETY: only chains whose instruction set this processor has are returned.
            let turns: fn(u64) -> f64 = match isa {
                Isa::Scalar => |turns| unsafe { scalar(turns) },
                Isa::Sse2 => |turns| unsafe { sse2(turns) },
                Isa::Avx2 => |turns| unsafe { avx2(turns) },
                Isa::Avx512 => |turns| unsafe { avx512(turns) },
                Isa::Neon => return None,
            };
            Some(BusyChain { name: isa.name(), turns, expected: (0..CHAINS).map(start).sum() })
        };
        Isa::all_here().into_iter().filter_map(chain).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::BusyChain;

    #[test]
    fn the_work_beside_a_chain_is_done() {
        for chain in BusyChain::all_here() {
            for turns in [0, 2, 1000] {
                assert_eq!(chain.run(turns), chain.expected(), "{}", chain.name());
            }
            assert_ne!(chain.run(1), chain.expected(), "{}: one turn leaves the chains elsewhere", chain.name());
        }
    }
}
