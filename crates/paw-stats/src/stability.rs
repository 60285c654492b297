//! How far the median lies above the minimum: the stability grade of kernel reports.

use crate::quantile;
use crate::rank;

/// Below this share of the minimum a series is good.
const GOOD: f64 = 0.05;

/// Below this share of the minimum a series is average; above it is bad.
const AVERAGE: f64 = 0.10;

/// The grade of a stability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grade {
    /// Below 5 %.
    Good,
    /// From 5 % to below 10 %.
    Average,
    /// From 10 %.
    Bad,
}

impl Grade {
    /// The word reports print.
    pub fn word(self) -> &'static str {
        match self {
            Grade::Good => "GOOD",
            Grade::Average => "AVERAGE",
            Grade::Bad => "BAD",
        }
    }
}

/// How far the median lies above the minimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stability {
    /// (median - minimum) ÷ minimum.
    pub spread: f64,
    /// The grade of `spread`.
    pub grade: Grade,
}

/// The stability of times; `None` where the smallest is not above zero or is infinite.
pub fn stability(values: &[f64]) -> Option<Stability> {
    let min = rank::min(values)?;
    if !(min > 0.0 && min.is_finite()) {
        return None;
    }
    let spread = (quantile::median(values)? - min) / min;
    Some(Stability { spread, grade: grade(spread) })
}

/// The grade of a spread: GOOD < 5 % ≤ AVERAGE < 10 % ≤ BAD.
pub fn grade(spread: f64) -> Grade {
    match spread {
        s if s < GOOD => Grade::Good,
        s if s < AVERAGE => Grade::Average,
        _ => Grade::Bad,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grades_begin_at_five_and_ten_percent() {
        for (median, word) in [(104.99, "GOOD"), (105.0, "AVERAGE"), (109.99, "AVERAGE"), (110.0, "BAD")] {
            let found = stability(&[100.0, median, 300.0]).unwrap();
            assert_eq!(found.grade.word(), word, "{median}");
        }
        assert_eq!(stability(&[100.0, 105.0, 300.0]).unwrap().spread, 0.05);
    }

    #[test]
    fn odd_values_are_answered_or_refused() {
        assert_eq!(stability(&[2.0]), Some(Stability { spread: 0.0, grade: Grade::Good }));
        assert_eq!(stability(&[2.0, f64::INFINITY]).unwrap().grade, Grade::Bad);
        for values in [&[][..], &[f64::NAN], &[0.0, 1.0], &[-1.0, 1.0], &[f64::INFINITY]] {
            assert_eq!(stability(values), None);
        }
    }
}
