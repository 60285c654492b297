//! A matrix as BLAS stores it, read as op(M).

use paw_foreign::blas::dimensions::Transpose;

use super::double_double::DoubleDouble;

/// A row-major matrix, used as stored or transposed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix<'a, T> {
    data: &'a [T],
    stored: (usize, usize),
    ld: usize,
    trans: Transpose,
}

impl<'a, T: Copy + Into<f64>> Matrix<'a, T> {
    /// `data` as `stored` rows and columns, rows `ld` elements apart.
    pub(super) fn new(data: &'a [T], stored: (usize, usize), ld: usize, trans: Transpose) -> Self {
        Self { data, stored, ld, trans }
    }

    pub(super) fn rows(&self) -> usize {
        match self.trans {
            Transpose::No => self.stored.0,
            Transpose::Yes => self.stored.1,
        }
    }

    pub(super) fn columns(&self) -> usize {
        match self.trans {
            Transpose::No => self.stored.1,
            Transpose::Yes => self.stored.0,
        }
    }

    pub(super) fn at(&self, row: usize, column: usize) -> f64 {
        let index = match self.trans {
            Transpose::No => row * self.ld + column,
            Transpose::Yes => column * self.ld + row,
        };
        self.data[index].into()
    }

    /// op(M) v.
    pub(super) fn times(&self, v: &[DoubleDouble]) -> Vec<DoubleDouble> {
        let zero = DoubleDouble::from(0.0);
        self.fold(v, zero, |sum, entry, v| sum.plus(v.times(entry)))
    }

    /// |op(M)| v, where v is not negative.
    pub(super) fn sizes_times(&self, v: &[f64]) -> Vec<f64> {
        self.fold(v, 0.0, |sum, entry, v| sum + entry.abs() * v)
    }

    /// The largest absolute entry of each row of op(M).
    pub(super) fn largest(&self) -> Vec<f64> {
        self.fold(&vec![(); self.columns()], 0.0, |largest: f64, entry, ()| largest.max(entry.abs()))
    }

    /// Folds each row of op(M) with `v` by `step`. The elements are visited in the order in which they are stored.
    fn fold<V: Copy, S: Copy>(&self, v: &[V], start: S, step: impl Fn(S, f64, V) -> S) -> Vec<S> {
        let mut folded = vec![start; self.rows()];
        for (stored_row, values) in self.data.chunks(self.ld).take(self.stored.0).enumerate() {
            let values = &values[..self.stored.1];
            match self.trans {
                Transpose::No => {
                    let entries = values.iter().zip(v);
                    folded[stored_row] = entries.fold(start, |sum, (entry, v)| step(sum, (*entry).into(), *v));
                }
                Transpose::Yes => {
                    for (sum, entry) in folded.iter_mut().zip(values) {
                        *sum = step(*sum, (*entry).into(), v[stored_row]);
                    }
                }
            }
        }
        folded
    }
}
