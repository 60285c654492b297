//! Arithmetic of reductions.

use crate::abi::{Class, Datatype, Op};

/// Whether the operation means something for such elements.
pub(crate) fn check(kind: Datatype, op: Op) -> Result<(), Class> {
    let plain = matches!(op, Op::Replace | Op::Keep);
    if kind == Datatype::Byte && !plain { Err(Class::Op) } else { Ok(()) }
}

/// `into[i] = operand[i] op into[i]`.
pub(crate) fn fold(kind: Datatype, op: Op, operand: &[u8], into: &mut [u8]) {
    match (kind, op) {
        (_, Op::Keep) => {}
        (_, Op::Replace) | (Datatype::Byte, _) => into.copy_from_slice(operand),
        (Datatype::I32, _) => each(operand, into, |a, b| combine(op, i32::from_ne_bytes(a), i32::from_ne_bytes(b))),
        (Datatype::I64, _) => each(operand, into, |a, b| combine(op, i64::from_ne_bytes(a), i64::from_ne_bytes(b))),
        (Datatype::U64, _) => each(operand, into, |a, b| combine(op, u64::from_ne_bytes(a), u64::from_ne_bytes(b))),
        (Datatype::F32, _) => each(operand, into, |a, b| combine(op, f32::from_ne_bytes(a), f32::from_ne_bytes(b))),
        (Datatype::F64, _) => each(operand, into, |a, b| combine(op, f64::from_ne_bytes(a), f64::from_ne_bytes(b))),
    }
}

fn each<const N: usize, T: Number<N>>(operand: &[u8], into: &mut [u8], both: impl Fn([u8; N], [u8; N]) -> T) {
    for (a, b) in operand.as_chunks::<N>().0.iter().zip(into.as_chunks_mut::<N>().0) {
        *b = both(*a, *b).bytes();
    }
}

fn combine<const N: usize, T: Number<N>>(op: Op, a: T, b: T) -> T {
    match op {
        Op::Sum => a.plus(b),
        Op::Min => {
            if b < a {
                b
            } else {
                a
            }
        }
        Op::Max => {
            if b > a {
                b
            } else {
                a
            }
        }
        Op::Land => T::truth(!a.is_zero() && !b.is_zero()),
        Op::Replace => a,
        Op::Keep => b,
    }
}

trait Number<const N: usize>: Copy + PartialOrd {
    fn plus(self, other: Self) -> Self;
    fn is_zero(self) -> bool;
    fn truth(holds: bool) -> Self;
    fn bytes(self) -> [u8; N];
}

macro_rules! number {
    ($type:ty, $n:literal, $plus:expr) => {
        impl Number<$n> for $type {
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
            fn is_zero(self) -> bool {
                self == <$type>::default()
            }
            fn truth(holds: bool) -> Self {
                if holds { 1 as $type } else { 0 as $type }
            }
            fn bytes(self) -> [u8; $n] {
                self.to_ne_bytes()
            }
        }
    };
}

number!(i32, 4, i32::wrapping_add);
number!(i64, 8, i64::wrapping_add);
number!(u64, 8, u64::wrapping_add);
number!(f32, 4, |a, b| a + b);
number!(f64, 8, |a, b| a + b);
