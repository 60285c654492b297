//! The shapes of row-major products, and the slices they need.

use thiserror::Error;

/// Whether a matrix is used as stored or transposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transpose {
    /// As stored.
    No,
    /// Transposed.
    Yes,
}

impl Transpose {
    pub(crate) fn other(self) -> Self {
        match self {
            Transpose::No => Transpose::Yes,
            Transpose::Yes => Transpose::No,
        }
    }
}

/// C ← α op(A) op(B) + β C, row-major: op(A) is m×k, op(B) is k×n, C is m×n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmDimensions {
    /// Whether op(A) is A or its transpose.
    pub transa: Transpose,
    /// Whether op(B) is B or its transpose.
    pub transb: Transpose,
    /// Rows of op(A) and C.
    pub m: usize,
    /// Columns of op(B) and C.
    pub n: usize,
    /// Columns of op(A) and rows of op(B).
    pub k: usize,
    /// Elements from one row of A, as stored, to the next.
    pub lda: usize,
    /// Elements from one row of B, as stored, to the next.
    pub ldb: usize,
    /// Elements from one row of C to the next.
    pub ldc: usize,
}

/// y ← α op(A) x + β y, row-major: A is stored m×n, x and y are contiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemvDimensions {
    /// Whether op(A) is A (y has m elements) or its transpose (y has n).
    pub trans: Transpose,
    /// Rows of A as stored.
    pub m: usize,
    /// Columns of A as stored.
    pub n: usize,
    /// Elements from one row of A to the next.
    pub lda: usize,
}

/// Why a call was not made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Refused(pub String);

impl GemmDimensions {
    /// A product of dense matrices without padding.
    pub fn dense(m: usize, n: usize, k: usize) -> Self {
        Self { transa: Transpose::No, transb: Transpose::No, m, n, k, lda: k, ldb: n, ldc: n }
    }

    /// Rows and columns of A as it is stored.
    pub fn stored_a(&self) -> (usize, usize) {
        stored(self.transa, self.m, self.k)
    }

    /// Rows and columns of B as it is stored.
    pub fn stored_b(&self) -> (usize, usize) {
        stored(self.transb, self.k, self.n)
    }

    /// Refuses slices that are shorter than the shape needs, empty sizes, and rows that overlap.
    pub fn check(&self, a_len: usize, b_len: usize, c_len: usize) -> Result<(), Refused> {
        fits("A", self.stored_a(), self.lda, a_len)?;
        fits("B", self.stored_b(), self.ldb, b_len)?;
        fits("C", (self.m, self.n), self.ldc, c_len)
    }

    pub(crate) fn largest(&self) -> usize {
        self.m.max(self.n).max(self.k).max(self.lda).max(self.ldb).max(self.ldc)
    }
}

impl GemvDimensions {
    /// A product with a dense m×n matrix without padding.
    pub fn dense(m: usize, n: usize) -> Self {
        Self { trans: Transpose::No, m, n, lda: n }
    }

    /// Elements of x.
    pub fn x_len(&self) -> usize {
        stored(self.trans, self.m, self.n).1
    }

    /// Elements of y.
    pub fn y_len(&self) -> usize {
        stored(self.trans, self.m, self.n).0
    }

    /// Refuses slices that are shorter than the shape needs, empty sizes, and rows that overlap.
    pub fn check(&self, a_len: usize, x_len: usize, y_len: usize) -> Result<(), Refused> {
        fits("A", (self.m, self.n), self.lda, a_len)?;
        fits("x", (1, self.x_len()), self.x_len(), x_len)?;
        fits("y", (1, self.y_len()), self.y_len(), y_len)
    }

    pub(crate) fn largest(&self) -> usize {
        self.m.max(self.n).max(self.lda)
    }
}

fn stored(trans: Transpose, rows: usize, columns: usize) -> (usize, usize) {
    match trans {
        Transpose::No => (rows, columns),
        Transpose::Yes => (columns, rows),
    }
}

fn fits(name: &str, (rows, columns): (usize, usize), ld: usize, len: usize) -> Result<(), Refused> {
    if rows == 0 || columns == 0 {
        return Err(Refused(format!("{name} is {rows}×{columns}: sizes start at 1")));
    }
    if ld < columns {
        return Err(Refused(format!("{name} has {columns} columns but its rows lie {ld} elements apart")));
    }
    let needed = (rows - 1).checked_mul(ld).and_then(|before| before.checked_add(columns));
    match needed {
        Some(needed) if needed <= len => Ok(()),
        Some(needed) => Err(Refused(format!("{name} needs {needed} elements and has {len}"))),
        None => Err(Refused(format!("{name} of {rows} rows, {ld} elements apart, is beyond any memory"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_exactly_as_long_as_the_shape_are_enough_and_one_less_is_not() {
        let padded =
            GemmDimensions { lda: 6, ldb: 9, ldc: 8, transa: Transpose::Yes, ..GemmDimensions::dense(5, 7, 3) };
        assert_eq!(padded.stored_a(), (3, 5));
        let (a, b, c) = (2 * 6 + 5, 2 * 9 + 7, 4 * 8 + 7);
        assert_eq!(padded.check(a, b, c), Ok(()));
        assert_eq!(padded.check(a - 1, b, c), Err(Refused("A needs 17 elements and has 16".into())));
        assert!(padded.check(a, b - 1, c).is_err());
        assert!(padded.check(a, b, c - 1).is_err());
    }

    #[test]
    fn empty_overlapping_and_impossible_shapes_are_refused() {
        let huge = usize::MAX;
        assert!(GemmDimensions::dense(0, 1, 1).check(huge, huge, huge).is_err());
        assert!(GemmDimensions { ldc: 3, ..GemmDimensions::dense(4, 4, 4) }.check(huge, huge, huge).is_err());
        assert!(GemmDimensions { lda: huge, ..GemmDimensions::dense(4, 4, 4) }.check(huge, huge, huge).is_err());
    }

    #[test]
    fn a_transposed_matrix_exchanges_the_vectors() {
        let gemv = GemvDimensions { trans: Transpose::Yes, ..GemvDimensions::dense(3, 5) };
        assert_eq!((gemv.x_len(), gemv.y_len()), (3, 5));
        assert_eq!(gemv.check(15, 3, 5), Ok(()));
        assert!(gemv.check(15, 5, 3).is_err());
    }
}
