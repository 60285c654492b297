//! The loops for an architecture without instructions of ours: plain code, as the compiler makes of it.

use std::hint::black_box;

use super::{CHAINS, Loop, Mix, ROUNDS, start};
use crate::isa::Isa;

macro_rules! chains {
    ($name:ident, $element:ty) => {
        fn $name(turns: u64) -> f64 {
            let (m, c) = (black_box(-1.0 as $element), black_box(3.0 as $element));
            let mut a: [$element; CHAINS] = std::array::from_fn(|chain| start(chain) as $element);
            for _ in 0..turns * ROUNDS as u64 {
                for chain in &mut a {
                    *chain = *chain * m + c;
                }
            }
            a.into_iter().map(f64::from).sum()
        }
    };
}

chains!(plain_f64, f64);
chains!(plain_f32, f32);

/// The loops of this architecture.
pub(super) const LOOPS: &[Loop] = &[
    Loop::chains::<1>((Isa::Scalar, || true), Mix::MultiplyAdd, "f64", plain_f64),
    Loop::chains::<1>((Isa::Scalar, || true), Mix::MultiplyAdd, "f32", plain_f32),
];
