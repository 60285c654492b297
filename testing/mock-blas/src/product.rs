//! The products, by plain loops, with the fault chosen.

use std::ops::{Add, Mul};

use crate::behaviour::{Behaviour, chosen, misbehave};

/// `f32` or `f64`.
pub(crate) trait Number: Copy + PartialEq + Add<Output = Self> + Mul<Output = Self> + Into<f64> {
    fn from_f64(value: f64) -> Self;
}

impl Number for f32 {
    fn from_f64(value: f64) -> Self {
        value as f32
    }
}

impl Number for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }
}

/// Row-major op(M): where each entry lies.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) ld: usize,
    pub(crate) transposed: bool,
}

impl Layout {
    fn index(self, row: usize, column: usize) -> usize {
        if self.transposed { column * self.ld + row } else { row * self.ld + column }
    }
}

/// y ← α op(A) x + β y for the columns of x and y: a matrix-vector product has one.
pub(crate) fn product<T: Number>(
    (rows, columns, inner): (usize, usize, usize),
    (alpha, beta): (T, T),
    (a, in_a): (&[T], Layout),
    (b, in_b): (&[T], Layout),
    (c, ldc): (&mut [T], usize),
) {
    misbehave();
    let behaviour = chosen();
    let zero = T::from_f64(0.0);
    for row in 0..rows {
        for column in 0..columns {
            let entries = (0..inner).map(|k| (a[in_a.index(row, k)], b[in_b.index(k, column)]));
            let dot = entries.fold(zero, |sum, (a, b)| sum + operand(behaviour, a) * operand(behaviour, b));
            let entry = &mut c[row * ldc + column];
            let before = if beta == zero || behaviour == Behaviour::BetaIgnored { zero } else { beta * *entry };
            *entry = result(behaviour, alpha * dot + before);
        }
    }
    spoil(behaviour, (rows, columns), c, ldc);
}

fn operand<T: Number>(behaviour: Behaviour, value: T) -> T {
    match behaviour {
        Behaviour::Bf16 => {
            let single = Into::<f64>::into(value) as f32;
            T::from_f64(f64::from(f32::from_bits(single.to_bits() & 0xFFFF_0000)))
        }
        _ => value,
    }
}

fn result<T: Number>(behaviour: Behaviour, value: T) -> T {
    match behaviour {
        Behaviour::F32Inside => T::from_f64(f64::from(Into::<f64>::into(value) as f32)),
        _ => value,
    }
}

fn spoil<T: Number>(behaviour: Behaviour, (rows, columns): (usize, usize), c: &mut [T], ldc: usize) {
    match behaviour {
        Behaviour::OffByABillionth => {
            let middle = &mut c[rows / 2 * ldc + columns / 2];
            *middle = T::from_f64(Into::<f64>::into(*middle) * (1.0 + 1e-9));
        }
        Behaviour::Padding if ldc > columns && rows > 1 => c[columns] = T::from_f64(1.0),
        _ => {}
    }
}
