//! The highest rates of short numbers: 16-bit floating-point numbers, and bytes whose products are summed in 32 bits.
//!
//! As in the loops of longer numbers, every chain returns to where it began, exactly: a second round takes away what the first adds.

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod neon;
#[cfg(all(target_arch = "aarch64", not(miri)))]
mod sme;
#[cfg(all(target_arch = "aarch64", not(miri)))]
mod sve;
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(crate) mod tiles;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod vectors;

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub use tiles::may_use_tiles;

/// A number of fewer than 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShortNumber {
    /// IEEE 754 binary16, sums in binary16 or, on tiles, in binary32.
    F16,
    /// bfloat16, sums in binary32.
    Bf16,
    /// Bytes, sums in 32 bits.
    Int8,
}

/// A loop of multiply-adds of short numbers, whose operations are counted.
#[derive(Debug)]
pub struct ShortPeak {
    /// What it multiplies.
    pub number: ShortNumber,
    /// The instruction set, as it appears in results.
    pub isa: &'static str,
    /// Instructions of a turn.
    instructions: u64,
    /// Products of an instruction.
    products: Products,
    is_here: fn() -> bool,
    turns: fn(u64) -> f64,
    expected: f64,
}

/// Products that an instruction adds up.
#[derive(Debug, Clone, Copy)]
enum Products {
    /// So many.
    Each(u64),
    /// So many for every 16 bytes of a vector whose length the processor decides; the function reads it, in bytes.
    #[cfg_attr(not(target_arch = "aarch64"), allow(dead_code))]
    Sixteenth(u64, fn() -> u64),
    /// So many for every 16 bytes of a vector, and as many times as there are sums of 32 bits in it: an outer product.
    #[cfg_attr(not(target_arch = "aarch64"), allow(dead_code))]
    Outer(u64, fn() -> u64),
}

impl ShortPeak {
    /// Multiplications and additions of a turn. The processor must have the instruction set.
    pub fn operations_per_turn(&self) -> u64 {
        let products = match self.products {
            Products::Each(products) => products,
            Products::Sixteenth(products, bytes) => products * bytes() / 16,
            Products::Outer(products, bytes) => products * bytes() / 16 * bytes() / 4,
        };
        2 * self.instructions * products
    }

    /// The loops that this processor and its system can run, the narrowest first.
    pub fn all_here(number: ShortNumber) -> impl Iterator<Item = &'static ShortPeak> {
        LOOPS.iter().copied().flatten().filter(move |own| own.number == number && (own.is_here)())
    }

    /// The loop of this instruction set, where it can run here.
    pub fn named(number: ShortNumber, isa: &str) -> Option<&'static ShortPeak> {
        Self::all_here(number).find(|own| own.isa == isa)
    }

    /// Runs `turns` turns on the calling thread and returns the sum of the first lanes of all chains.
    pub fn run(&self, turns: u64) -> f64 {
        if turns == 0 { self.expected } else { (self.turns)(turns) }
    }

    /// What [`ShortPeak::run`] returns if every instruction was executed correctly.
    pub fn expected(&self) -> f64 {
        self.expected
    }
}

/// The loops of this architecture.
const LOOPS: &[&[ShortPeak]] = &[
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    vectors::LOOPS,
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    tiles::LOOPS,
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    neon::LOOPS,
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    sve::LOOPS,
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    sme::LOOPS,
];

/// 1 and -1: a 32-bit lane full of each, in binary16, in bfloat16 and as bytes.
const F16_ONES: [u32; 2] = [0x3C00_3C00, 0xBC00_BC00];
const BF16_ONES: [u32; 2] = [0x3F80_3F80, 0xBF80_BF80];
const INT8_ONES: [u32; 2] = [0x0101_0101, 0xFFFF_FFFF];

/// Bits of 1 + `index` ÷ 64 in binary16, where that is less than 2.
fn f16_start(index: usize) -> u16 {
    0x3C00 + 16 * index as u16
}

/// The value of `bits` between 1 and 2 in binary16.
fn f16_value(bits: u16) -> f64 {
    1.0 + (f64::from(bits) - f64::from(0x3C00_u16)) / 1024.0
}

/// The sum of the starts of `chains` chains: 1 + index × `step`.
const fn starts(chains: usize, step: f64) -> f64 {
    chains as f64 + step * (chains * (chains - 1) / 2) as f64
}

#[cfg(test)]
mod tests {
    use super::{LOOPS, Products, ShortNumber, ShortPeak};

    #[test]
    fn every_loop_returns_to_where_it_began() {
        for number in [ShortNumber::F16, ShortNumber::Bf16, ShortNumber::Int8] {
            for peak in ShortPeak::all_here(number) {
                for turns in [0, 1, 2, 1001] {
                    assert_eq!(peak.run(turns), peak.expected(), "{number:?} {}", peak.isa);
                }
            }
        }
    }

    /// 24 instructions a turn on vectors: 32 numbers of 16 bits are 32 multiply-adds; 64 bytes are 64. Eight on tiles: 16 rows of 16 sums
    /// of 32 or 64 products; BFMMLA and SMMLA make four sums of 4 and of 8 products (Intel's manual of the instruction set, volume 2: VFMADD213PH, VDPBF16PS, VPDPBUSD, TDPBF16PS, TDPBSSD;
    /// Arm's manual of the architecture).
    #[test]
    fn operations_are_those_of_the_instructions() {
        let counts = [
            ("avx512_fp16_128", 24 * 2 * 8),
            ("avx512_fp16_256", 24 * 2 * 16),
            ("avx512_fp16", 24 * 2 * 32),
            ("avx512_bf16_128", 24 * 2 * 8),
            ("avx512_bf16_256", 24 * 2 * 16),
            ("avx512_bf16", 24 * 2 * 32),
            ("avx_vnni_128", 24 * 2 * 16),
            ("avx_vnni", 24 * 2 * 32),
            ("avx512_vnni_128", 24 * 2 * 16),
            ("avx512_vnni_256", 24 * 2 * 32),
            ("avx512_vnni", 24 * 2 * 64),
            ("neon_fp16", 24 * 2 * 8),
            ("neon_bfdot", 24 * 2 * 8),
            ("neon_bfmmla", 24 * 2 * 16),
            ("neon_dotprod", 24 * 2 * 16),
            ("neon_i8mm", 24 * 2 * 32),
            ("amx_fp16", 8 * 2 * 16 * 16 * 32),
            ("amx_bf16", 8 * 2 * 16 * 16 * 32),
            ("amx_int8", 8 * 2 * 16 * 16 * 64),
        ];
        // Those of vectors whose length the processor decides are counted below.
        for peak in LOOPS.iter().copied().flatten().filter(|peak| matches!(peak.products, Products::Each(_))) {
            let (_, expected) = counts.iter().find(|(isa, _)| *isa == peak.isa).expect("every loop has its count here");
            assert_eq!(peak.operations_per_turn(), *expected, "{}", peak.isa);
        }
    }

    /// SDOT of SVE adds 16 products of bytes up for every 16 bytes; SMOPA of SME takes four products into each of the sums of a square
    /// that has as many rows as a vector has 32-bit numbers (Arm's manual of the architecture).
    #[test]
    fn operations_grow_with_the_vector() {
        let of = |products| {
            let (number, isa, is_here, turns, expected) = (ShortNumber::Int8, "sve", || true, |_| 0.0, 0.0);
            ShortPeak { number, isa, instructions: 48, products, is_here, turns, expected }.operations_per_turn()
        };
        assert_eq!(of(Products::Sixteenth(16, || 32)), 48 * 2 * 32);
        assert_eq!(of(Products::Outer(16, || 64)), 48 * 2 * 16 * 16 * 4);
    }
}
