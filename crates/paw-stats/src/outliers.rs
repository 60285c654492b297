//! Outliers by Tukey's fences: counted, never removed.
//!
//! J. W. Tukey, *Exploratory Data Analysis*, 1977, section 2D.

use crate::quantile;
use crate::rank::sorted;

/// Interquartile ranges beyond a quartile where a value becomes a mild outlier.
const MILD: f64 = 1.5;

/// Interquartile ranges beyond a quartile where a value becomes a severe outlier.
const SEVERE: f64 = 3.0;

/// How many values lie beyond the fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outliers {
    /// Below Q1 - 3 IQR.
    pub severe_low: usize,
    /// From Q1 - 3 IQR to below Q1 - 1.5 IQR.
    pub mild_low: usize,
    /// Above Q3 + 1.5 IQR, up to Q3 + 3 IQR.
    pub mild_high: usize,
    /// Above Q3 + 3 IQR.
    pub severe_high: usize,
}

impl Outliers {
    /// Mild outliers on both sides.
    pub fn mild(&self) -> usize {
        self.mild_low + self.mild_high
    }

    /// Severe outliers on both sides.
    pub fn severe(&self) -> usize {
        self.severe_low + self.severe_high
    }
}

/// Counts the values beyond the fences.
pub fn outliers(values: &[f64]) -> Option<Outliers> {
    let fences = Fences::of(values)?;
    let mut found = Outliers::default();
    for v in values {
        match *v {
            v if v < fences.severe.0 => found.severe_low += 1,
            v if v < fences.mild.0 => found.mild_low += 1,
            v if v > fences.severe.1 => found.severe_high += 1,
            v if v > fences.mild.1 => found.mild_high += 1,
            _ => {}
        }
    }
    Some(found)
}

/// Tukey's fences around the quartiles (type 7): lower and upper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fences {
    /// 1.5 interquartile ranges beyond the quartiles.
    pub mild: (f64, f64),
    /// 3 interquartile ranges beyond the quartiles.
    pub severe: (f64, f64),
}

impl Fences {
    /// The fences of these values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values)?;
        let (q1, q3) = (quantile::at(&sorted, 0.25)?, quantile::at(&sorted, 0.75)?);
        let range = if q1 == q3 { 0.0 } else { q3 - q1 };
        let beyond = |times: f64| (q1 - times * range, q3 + times * range);
        Some(Self { mild: beyond(MILD), severe: beyond(SEVERE) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_and_class_is_counted() {
        // Quartiles 3 and 7 of 1 … 9, range 4: fences -3 and 13, -9 and 19. The four added values keep them in place.
        let mut values: Vec<f64> = (0..101).map(|i| 1.0 + 0.08 * f64::from(i)).collect();
        assert_eq!(Fences::of(&values).unwrap().mild, (-3.0, 13.0));
        values.extend([-20.0, -5.0, 15.0, 16.0, 40.0]);
        let found = outliers(&values).unwrap();
        assert_eq!(found, Outliers { severe_low: 1, mild_low: 1, mild_high: 2, severe_high: 1 });
        assert_eq!((found.mild(), found.severe()), (3, 2));
    }

    #[test]
    fn among_equal_values_any_other_is_severe() {
        let mut values = vec![5.0; 15];
        values.push(5.1);
        assert_eq!(outliers(&values), Some(Outliers { severe_high: 1, ..Outliers::default() }));
    }

    #[test]
    fn odd_values_are_answered_or_refused() {
        assert_eq!(outliers(&[1.0]), Some(Outliers::default()));
        assert_eq!(outliers(&[f64::INFINITY; 4]), Some(Outliers::default()));
        assert_eq!(outliers(&[1.0, 1.0, 1.0, 1.0, f64::INFINITY]).unwrap().severe_high, 1);
        assert_eq!(outliers(&[]), None);
        assert_eq!(outliers(&[f64::NAN]), None);
    }
}
