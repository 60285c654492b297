//! Linear least squares of a few columns.

/// The factors of the columns whose sum comes closest to `target`, by modified Gram-Schmidt with the target as the last column
/// (Å. Björck, *Solving linear least squares problems by Gram-Schmidt orthogonalization*, BIT 7, 1967).
///
/// `None` where the columns depend on each other, or a number overflows. All have the target's length.
pub(crate) fn solve(columns: &[&[f64]], target: &[f64]) -> Option<Vec<f64>> {
    let count = columns.len();
    let mut basis: Vec<Vec<f64>> = columns.iter().map(|c| c.to_vec()).collect();
    let mut rest = target.to_vec();
    let mut upper = vec![vec![0.0; count]; count];
    let mut right = vec![0.0; count];
    for k in 0..count {
        let length = dot(&basis[k], &basis[k]);
        // The remainder of a column must exceed the rounding of the projections taken from it.
        if !(length > 1e-26 * dot(columns[k], columns[k]) && length.is_finite()) {
            return None;
        }
        let (done, later) = basis.split_at_mut(k + 1);
        for (l, column) in later.iter_mut().enumerate() {
            upper[k][k + 1 + l] = remove(&done[k], length, column);
        }
        right[k] = remove(&done[k], length, &mut rest);
    }
    for k in (0..count).rev() {
        let known: f64 = (k + 1..count).map(|l| upper[k][l] * right[l]).sum();
        right[k] -= known;
    }
    right.iter().all(|f| f.is_finite()).then_some(right)
}

/// Subtracts from `column` its projection onto `unit`, and returns the factor of `unit`.
fn remove(unit: &[f64], length: f64, column: &mut [f64]) -> f64 {
    let factor = dot(unit, column) / length;
    column.iter_mut().zip(unit).for_each(|(c, u)| *c -= factor * u);
    factor
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_through_its_own_points_comes_back() {
        let (one, x, y) = ([1.0; 4], [0.0, 1.0, 2.0, 5.0], [1.0, 0.0, 3.0, -1.0]);
        let target: Vec<f64> = x.iter().zip(&y).map(|(x, y)| 2.0 - 3.0 * x + 0.5 * y).collect();
        let found = solve(&[&one, &x, &y], &target).unwrap();
        for (found, expected) in found.iter().zip([2.0, -3.0, 0.5]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_line_through_scattered_points_is_that_of_the_textbook() {
        // Means 2.5 and 3.5, slope Σ(x - x̄)(y - ȳ) ÷ Σ(x - x̄)² = 3 ÷ 5.
        let found = solve(&[&[1.0; 4], &[1.0, 2.0, 3.0, 4.0]], &[3.0, 3.0, 3.0, 5.0]).unwrap();
        assert!((found[1] - 0.6).abs() < 1e-12 && (found[0] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn columns_that_depend_on_each_other_are_refused() {
        assert_eq!(solve(&[&[1.0, 1.0, 1.0], &[2.0, 2.0, 2.0]], &[1.0, 2.0, 3.0]), None);
        assert_eq!(solve(&[&[0.0, 0.0]], &[1.0, 2.0]), None);
        assert_eq!(solve(&[&[1e200, 1e200]], &[1.0, 2.0]), None);
    }
}
