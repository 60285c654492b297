//! All entries of a product at once: Freivalds' test (1979), in n² steps instead of n³.

use paw_data::outcome::{Check, CheckVerdict};

use super::double_double::DoubleDouble;
use super::{Product, RandomIndexes, SUSPICIOUS, finite};

/// Standard deviations of a row's tolerance; more than the largest of a million rows of healthy errors reaches.
const DEVIATIONS: f64 = 4.0;

/// The largest row sum of signed errors ÷ its tolerance for suspicious errors; beyond 1 the row is wrong, and the failure names
/// the row and its worst entry.
///
/// Signs t are independent of the errors, so a row's sum Σ tⱼ errᵢⱼ has the variance Σ errᵢⱼ². With errors of e units of
/// u sᵢⱼ it is at most e² u² Σ sᵢⱼ² ≤ e² u² maxⱼ sᵢⱼ Σ sᵢⱼ, and both factors are found in n² steps.
pub(super) fn wrong_row<A: Copy + Into<f64>, B: Copy + Into<f64>, C: Copy + Into<f64>>(
    product: &Product<'_, A, B, C>,
) -> Result<f64, Check> {
    let sums = signed_sums(product);
    let units = units(product);
    let ratios = sums.iter().zip(&units).map(|(sum, unit)| match sum.abs() {
        0.0 => 0.0,
        off => finite(off / (DEVIATIONS * SUSPICIOUS * unit)),
    });
    let (row, ratio) = ratios.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
    if ratio <= 1.0 {
        return Ok(ratio);
    }
    let worst = product.worst((0..product.c.columns()).map(|column| (row, column)));
    let note = format!("wrong: row {row} is {ratio:.3e} × the tolerance off; its {}", worst.place);
    let method = "all entries by Freivalds' test".to_owned();
    Err(Check { method, error: ratio, bound: 1.0, verdict: CheckVerdict::Fail, note, accuracy: None })
}

/// C t − α op(A)(op(B) t) − β C₀ t.
fn signed_sums<A: Copy + Into<f64>, B: Copy + Into<f64>, C: Copy + Into<f64>>(
    product: &Product<'_, A, B, C>,
) -> Vec<f64> {
    let mut dice = RandomIndexes::of(1);
    let mut signs = Vec::with_capacity(product.c.columns());
    signs.resize_with(product.c.columns(), || DoubleDouble::from(if dice.next() >> 63 == 0 { 1.0 } else { -1.0 }));
    let found = product.c.times(&signs);
    let expected = product.a.times(&product.b.times(&signs));
    let mut off: Vec<DoubleDouble> =
        found.iter().zip(&expected).map(|(found, expected)| found.plus(expected.times(-product.alpha))).collect();
    if product.beta != 0.0 {
        for (off, before) in off.iter_mut().zip(product.c0.times(&signs)) {
            *off = off.plus(before.times(-product.beta));
        }
    }
    off.into_iter().map(DoubleDouble::value).collect()
}

/// u √(maxⱼ sᵢⱼ Σ sᵢⱼ) of each row, s being the size of an entry's terms.
fn units<A: Copy + Into<f64>, B: Copy + Into<f64>, C: Copy + Into<f64>>(product: &Product<'_, A, B, C>) -> Vec<f64> {
    let Product { a, b, c0, .. } = product;
    let (alpha, beta) = (product.alpha.abs(), product.beta.abs());
    let ones = vec![1.0; c0.columns()];
    let mut sums = a.sizes_times(&b.sizes_times(&ones));
    let mut largest = a.sizes_times(&b.largest());
    sums.iter_mut().chain(&mut largest).for_each(|size| *size *= alpha);
    if beta != 0.0 {
        sums.iter_mut().zip(c0.sizes_times(&ones)).for_each(|(sum, before)| *sum += beta * before);
        largest.iter_mut().zip(c0.largest()).for_each(|(largest, before)| *largest += beta * before);
    }
    sums.iter().zip(&largest).map(|(sum, largest)| product.roundoff * (sum * largest).sqrt()).collect()
}
