//! Dimensions and storage of a matrix product.

/// Whether an operand is used as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Transpose {
    /// As stored.
    #[default]
    No,
    /// Transposed.
    Yes,
}

/// Dimensions and storage of a matrix product: op(A) is m × k, op(B) is k × n, C is m × n, all row-major.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GemmLayout {
    /// Rows of C.
    pub m: usize,
    /// Columns of C.
    pub n: usize,
    /// Columns of op(A), rows of op(B).
    pub k: usize,
    /// Whether A is stored as m × k, or as k × m and used transposed.
    pub transa: Transpose,
    /// Whether B is stored as k × n, or as n × k and used transposed.
    pub transb: Transpose,
    /// Elements from one stored row of A to the next.
    pub lda: usize,
    /// Elements from one stored row of B to the next.
    pub ldb: usize,
    /// Elements from one row of C to the next.
    pub ldc: usize,
}

impl GemmLayout {
    /// Matrices without padding between their rows, used as stored.
    pub fn new(m: usize, n: usize, k: usize) -> GemmLayout {
        GemmLayout { m, n, k, transa: Transpose::No, transb: Transpose::No, lda: k, ldb: n, ldc: n }
    }

    /// Elements A must have.
    #[inline]
    pub fn a_len(&self) -> usize {
        if self.transa == Transpose::No { extent(self.m, self.k, self.lda) } else { extent(self.k, self.m, self.lda) }
    }

    /// Elements B must have.
    #[inline]
    pub fn b_len(&self) -> usize {
        if self.transb == Transpose::No { extent(self.k, self.n, self.ldb) } else { extent(self.n, self.k, self.ldb) }
    }

    /// Elements C must have.
    #[inline]
    pub fn c_len(&self) -> usize {
        extent(self.m, self.n, self.ldc)
    }

    /// Panics where a row or an operand of these lengths is too short.
    #[inline(always)]
    pub(super) fn check(self, a: usize, b: usize, c: usize) {
        let columns_a = if self.transa == Transpose::No { self.k } else { self.m };
        let columns_b = if self.transb == Transpose::No { self.n } else { self.k };
        let rows_fit = self.lda >= columns_a && self.ldb >= columns_b && self.ldc >= self.n;
        if !(rows_fit && a >= self.a_len() && b >= self.b_len() && c >= self.c_len()) {
            self.refuse([a, b, c]);
        }
    }

    /// Apart from the check, which a small product would notice.
    #[cold]
    #[inline(never)]
    fn refuse(self, [a, b, c]: [usize; 3]) -> ! {
        panic!(
            "a leading dimension is shorter than a row, or A, B and C, of {a}, {b} and {c} elements, are too small: {self:?}"
        );
    }
}

/// Elements from the first to the last of `rows` rows.
#[inline(always)]
fn extent(rows: usize, columns: usize, stride: usize) -> usize {
    // Saturation keeps an overflowing size larger than any slice.
    if rows == 0 || columns == 0 { 0 } else { (rows - 1).saturating_mul(stride).saturating_add(columns) }
}
