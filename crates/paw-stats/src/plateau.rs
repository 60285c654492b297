//! Plateaus: the position (knee) from which a curve stays level, and the level.

use std::fmt;

use crate::interval::Bounds;
use crate::quantile;

/// Fewest points that make a curve.
const POINTS_MIN: usize = 3;
/// Fewest points that make a level: one alone agrees with itself.
const LEVEL_MIN: usize = 2;

/// One point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Its position; points are ordered by it, the smallest first.
    pub x: f64,
    /// The value there.
    pub value: f64,
    /// The interval of the value, where there is one.
    pub interval: Option<Bounds>,
    /// How far its samples spread, relative: (median - minimum) ÷ minimum.
    pub spread: f64,
}

/// The limits that values on a level keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlateauRule {
    /// Relative distance from the level within which a value lies on it; where the intervals of a level's values are wider, half of their median
    /// width counts instead.
    pub tolerance: f64,
    /// Relative spread below which a value can be trusted.
    pub spread: f64,
    /// How many times the knee is recommended.
    pub margin: f64,
}

impl Default for PlateauRule {
    /// 1 % is what moves from one window of a quiet machine to the next; 5 % is where the stability of a series ceases to be
    /// good; half as much again keeps clear of a knee that lies between two points.
    fn default() -> Self {
        Self { tolerance: 0.01, spread: 0.05, margin: 1.5 }
    }
}

/// A curve that becomes level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plateau {
    /// The median of the values from the knee on.
    pub level: f64,
    /// Relative distance from the level within which they lie: that of the rule, or more where their intervals are wider.
    pub tolerance: f64,
    /// The smallest x from which on every value lies on the level.
    pub knee: f64,
    /// The recommended position: the knee with a margin, as a whole number of two digits and zeros.
    pub recommended: f64,
}

/// Why a curve has no plateau.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unsettled {
    /// The curve has too few points.
    Few {
        /// Points.
        points: usize,
    },
    /// A value is not above zero, not a number, or x does not rise.
    Odd,
    /// The curve still moves at its end.
    Moving {
        /// The last value ÷ the one before it, less one.
        change: f64,
    },
    /// Values at its end spread too wide for an answer.
    Unsteady {
        /// The larger spread of the last two values.
        spread: f64,
    },
}

/// One sentence without its full stop.
impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsettled::Few { points: 1 } => write!(f, "one point is no curve"),
            Unsettled::Few { points } => write!(f, "{points} points are too few for a curve"),
            Unsettled::Odd => write!(f, "a value is missing or not above zero"),
            Unsettled::Moving { change } => {
                write!(f, "the last two values still differ by {:.1}%", change.abs() * 100.0)
            }
            Unsettled::Unsteady { spread } => {
                write!(f, "the last values are unsteady: their median lies {:.0}% above the minimum", spread * 100.0)
            }
        }
    }
}

/// The plateau of `points`: its knee is the smallest x from which on every value lies within the tolerance of the median of the values from there
/// on, has an interval that is no more than twice as wide as the tolerance, and spreads less than the rule allows. A value whose own interval alone
/// is wide is not on the level: it may be anywhere. At least two points make a level.
pub fn plateau(points: &[Point], rule: &PlateauRule) -> Result<Plateau, Unsettled> {
    if points.len() < POINTS_MIN {
        return Err(Unsettled::Few { points: points.len() });
    }
    let sound = |p: &Point| p.value > 0.0 && p.value.is_finite() && p.x.is_finite() && !p.spread.is_nan();
    if !points.iter().all(sound) || !points.is_sorted_by(|a, b| a.x < b.x) {
        return Err(Unsettled::Odd);
    }
    let from = |first: usize| level(&points[first..], rule);
    (0..=points.len() - LEVEL_MIN).find_map(from).ok_or_else(|| unsettled(points, rule))
}

/// The level of `tail`; `None` if its values do not agree.
fn level(tail: &[Point], rule: &PlateauRule) -> Option<Plateau> {
    let half = |p: &Point| p.interval.map_or(0.0, |i| (i.high - i.low) / 2.0);
    let level = quantile::median(&tail.iter().map(|p| p.value).collect::<Vec<_>>())?;
    let typical = quantile::median(&tail.iter().map(half).collect::<Vec<_>>())?;
    let tolerance = rule.tolerance.max(typical / level);
    // The factor keeps rounding from separating values that differ by exactly the tolerance.
    let limit = tolerance * level * (1.0 + 1e-12);
    let on = |p: &Point| (p.value - level).abs() <= limit && half(p) <= 2.0 * limit && p.spread < rule.spread;
    let knee = tail[0].x;
    tail.iter().all(on).then(|| Plateau { level, tolerance, knee, recommended: two_digits_up(knee * rule.margin) })
}

fn unsettled(points: &[Point], rule: &PlateauRule) -> Unsettled {
    let last = &points[points.len() - LEVEL_MIN..];
    let spread = last.iter().map(|p| p.spread).fold(0.0, f64::max);
    if spread >= rule.spread {
        return Unsettled::Unsteady { spread };
    }
    Unsettled::Moving { change: last[1].value / last[0].value - 1.0 }
}

/// The next whole number that has two digits and else zeros: 150, 2900, 15, 2.
fn two_digits_up(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    let step = 10f64.powf((value.log10().floor() - 1.0).max(0.0));
    // 1.5 × 100 must stay 150 whatever its rounding.
    (value / step - 1e-9).ceil() * step
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(values: &[(f64, f64)]) -> Vec<Point> {
        values.iter().map(|(x, value)| Point { x: *x, value: *value, interval: None, spread: 0.01 }).collect()
    }

    fn within(tolerance: f64) -> PlateauRule {
        PlateauRule { tolerance, ..PlateauRule::default() }
    }

    /// Ticks over warm-up calls of a kernel without its exponential, as a report published them, with its choice of 150.
    const PUBLISHED: [(f64, f64); 6] =
        [(1.0, 7.54), (10.0, 7.48), (20.0, 7.46), (100.0, 7.43), (300.0, 7.43), (400.0, 7.43)];

    #[test]
    fn the_published_curve_has_its_knee_at_100_and_150_is_recommended() {
        let found = plateau(&curve(&PUBLISHED), &within(0.001)).unwrap();
        assert_eq!(found, Plateau { level: 7.43, tolerance: 0.001, knee: 100.0, recommended: 150.0 });
        let found = plateau(&curve(&PUBLISHED), &PlateauRule::default()).unwrap();
        assert_eq!((found.knee, found.recommended), (10.0, 15.0), "within 1 % ten calls are as good");
    }

    #[test]
    fn a_level_is_as_wide_as_the_intervals_of_its_values_but_not_as_that_of_one() {
        let mut points = curve(&[(1.0, 110.0), (2.0, 103.0), (4.0, 100.0), (8.0, 100.0), (16.0, 100.0)]);
        let knee =
            |points: &[Point]| plateau(points, &PlateauRule::default()).map(|found| (found.knee, found.tolerance));
        let around = |value: f64, half: f64| Some(Bounds { low: value - half, high: value + half });
        assert_eq!(knee(&points), Ok((4.0, 0.01)));
        points[1].interval = around(103.0, 4.0);
        assert_eq!(knee(&points), Ok((4.0, 0.01)), "two may do, and may not");
        (points[1].value, points[1].interval) = (100.0, around(100.0, 30.0));
        assert_eq!(knee(&points), Ok((4.0, 0.01)), "a median that happens to lie there shows nothing");
        points.iter_mut().for_each(|point| point.interval = around(point.value, 4.0));
        points[1].value = 103.0;
        assert_eq!(knee(&points), Ok((2.0, 0.04)));
    }

    #[test]
    fn a_curve_that_does_not_settle_says_why() {
        let still = |points: &[Point]| plateau(points, &PlateauRule::default()).unwrap_err().to_string();
        let mut points = curve(&[(1.0, 120.0), (2.0, 106.0), (4.0, 103.0), (8.0, 100.0)]);
        assert_eq!(still(&points), "the last two values still differ by 2.9%");
        points[3].spread = 0.08;
        assert_eq!(still(&points), "the last values are unsteady: their median lies 8% above the minimum");
        assert_eq!(still(&points[..2]), "2 points are too few for a curve");
        points[0].value = f64::NAN;
        assert_eq!(plateau(&points, &PlateauRule::default()), Err(Unsettled::Odd));
        let fallen = curve(&[(2.0, 1.0), (1.0, 1.0), (3.0, 1.0)]);
        assert_eq!(plateau(&fallen, &PlateauRule::default()), Err(Unsettled::Odd));
    }

    #[test]
    fn an_unsteady_point_lies_before_the_knee() {
        let mut points = curve(&[(1.0, 100.0), (2.0, 100.0), (4.0, 100.0), (8.0, 100.0)]);
        assert_eq!(plateau(&points, &PlateauRule::default()).unwrap().knee, 1.0);
        points[1].spread = 0.2;
        assert_eq!(plateau(&points, &PlateauRule::default()).unwrap().knee, 4.0);
    }

    #[test]
    fn recommendations_are_whole_numbers_of_two_digits() {
        for (value, expected) in
            [(150.0, 150.0), (1.5, 2.0), (15.0, 15.0), (2850.0, 2900.0), (1801.0, 1900.0), (0.0, 0.0)]
        {
            assert_eq!(two_digits_up(value), expected, "{value}");
        }
    }
}
