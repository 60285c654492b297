//! The points of a sweep: all combinations of the axes' values, without the excluded ones.

use paw_data::point::{AxisValue, Point};
use paw_formula::{Formula, FormulaError};
use thiserror::Error;

use paw_data::spelling::closest;

/// Why the points of a sweep cannot be computed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SweepError {
    /// An exclusion names something that is no axis.
    #[error("exclusion: `{name}` is no axis{}\n{caret}", there(name, known))]
    Name {
        /// The exclusion, and below it a caret at the name.
        caret: String,
        /// The name in it.
        name: String,
        /// The axes there are.
        known: Vec<String>,
    },
    /// An exclusion computes with an axis whose values are words.
    #[error("exclusion `{formula}`: `{name}` takes the word `{word}`, and only numbers can be calculated with")]
    Word {
        /// The exclusion.
        formula: String,
        /// The axis.
        name: String,
        /// One of its values.
        word: String,
    },
    /// An exclusion has no value at a point.
    #[error("exclusion `{}` at {point}: {fault}", fault.text)]
    Value {
        /// The point.
        point: Point,
        /// The exclusion, and why it has none.
        fault: FormulaError,
    },
    /// The sweep has more than [`MOST_POINTS`] points.
    #[error("the sweep has more than {MOST_POINTS} points: take fewer values for {}", axes.join(", "))]
    Many {
        /// The axes that have more than one value.
        axes: Vec<String>,
    },
}

/// `; there are threads, n; did you mean threads?`
fn there(name: &str, known: &[String]) -> String {
    let near = closest(name, known.iter().map(String::as_str)).map(|near| format!("; did you mean `{near}`?"));
    match known {
        [] => String::new(),
        known => format!("; there are {}{}", known.join(", "), near.unwrap_or_default()),
    }
}

/// Most points of a sweep: at a second each they take more than a day.
pub const MOST_POINTS: usize = 100_000;

/// All points of `axes`, the last axis varying fastest, without those at which one of `exclude` holds. No axis gives one
/// point; an axis without values gives none.
///
/// # Errors
/// Too many points, or an exclusion that names no axis, names an axis of words, or has no value at a point.
pub fn points(axes: &[(String, Vec<AxisValue>)], exclude: &[Formula]) -> Result<Vec<Point>, SweepError> {
    exclude.iter().try_for_each(|formula| check(formula, axes))?;
    let count = axes.iter().try_fold(1, |count: usize, (_, values)| count.checked_mul(values.len()));
    if count.is_none_or(|count| count > MOST_POINTS) {
        let several = axes.iter().filter(|(_, values)| values.len() > 1);
        return Err(SweepError::Many { axes: several.map(|(axis, _)| axis.clone()).collect() });
    }
    let mut points = vec![Point::new()];
    for (axis, values) in axes {
        let with = |point: &Point| values.iter().map(|v| point.clone().with(axis, v.clone())).collect::<Vec<_>>();
        points = points.iter().flat_map(with).collect();
    }
    let mut kept = Vec::new();
    for point in points {
        if !excluded(&point, exclude)? {
            kept.push(point);
        }
    }
    Ok(kept)
}
fn check(formula: &Formula, axes: &[(String, Vec<AxisValue>)]) -> Result<(), SweepError> {
    for name in formula.names() {
        let (typed, name) = (formula.to_string(), name.to_owned());
        let Some((_, values)) = axes.iter().find(|(axis, _)| *axis == name) else {
            let known = axes.iter().map(|(axis, _)| axis.clone()).collect();
            let caret = formula.check_names(&|other| other != name).err().map_or(typed, |error| error.caret());
            return Err(SweepError::Name { caret, name, known });
        };
        let formula = typed;
        if let Some(AxisValue::Text(word)) = values.iter().find(|value| matches!(value, AxisValue::Text(_))) {
            return Err(SweepError::Word { formula, name, word: word.to_string() });
        }
    }
    Ok(())
}

fn excluded(point: &Point, exclude: &[Formula]) -> Result<bool, SweepError> {
    for formula in exclude {
        let holds = formula.holds(&|name| point.float(name));
        let error = |fault| SweepError::Value { point: point.clone(), fault };
        if holds.map_err(error)? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn axis(name: &str, values: &[i64]) -> (String, Vec<AxisValue>) {
        (name.to_owned(), values.iter().map(|&value| AxisValue::Int(value)).collect())
    }

    fn points(axes: &[(String, Vec<AxisValue>)], exclude: &[&str]) -> Result<Vec<String>, SweepError> {
        let exclude: Vec<Formula> = exclude.iter().map(|text| Formula::parse(text).unwrap()).collect();
        Ok(super::points(axes, &exclude)?.iter().map(Point::to_string).collect())
    }

    fn refused(axes: &[(String, Vec<AxisValue>)], exclude: &str) -> String {
        points(axes, &[exclude]).unwrap_err().to_string()
    }

    #[test]
    fn every_value_meets_every_other_in_order() {
        let axes = [axis("threads", &[1, 4]), ("place".to_owned(), vec!["near".into(), "far".into()])];
        let expected = ["threads=1 place=near", "threads=1 place=far", "threads=4 place=near", "threads=4 place=far"];
        assert_eq!(points(&axes, &[]).unwrap(), expected);
        assert_eq!(points(&[], &[]).unwrap(), [""]);
        assert!(points(&[axis("n", &[])], &[]).unwrap().is_empty());
    }

    #[test]
    fn a_point_at_which_any_exclusion_holds_is_left_out() {
        let axes = [axis("threads", &[1, 64, 128]), axis("n", &[2, 8])];
        let left = points(&axes, &["threads > 64 && n < 4", "threads == 64"]).unwrap();
        assert_eq!(left, ["threads=1 n=2", "threads=1 n=8", "threads=128 n=8"]);
    }

    #[test]
    fn an_exclusion_that_cannot_be_decided_is_told() {
        let axes = [axis("threads", &[1]), axis("n", &[0]), ("place".to_owned(), vec!["near".into()])];
        assert_eq!(
            refused(&axes, "threads == 1 || thread > 2"),
            "exclusion: `thread` is no axis; there are threads, n, place; did you mean `threads`?\nthreads == 1 || thread > 2\n                ^"
        );
        assert_eq!(
            refused(&axes, "place > 1"),
            "exclusion `place > 1`: `place` takes the word `near`, and only numbers can be calculated with"
        );
        assert_eq!(
            refused(&axes, "1 / n > 2"),
            "exclusion `1 / n > 2` at threads=1 n=0 place=near: 1 / 0 has no finite value"
        );
        assert_eq!(refused(&[], "n > 2"), "exclusion: `n` is no axis\nn > 2\n^");
    }

    #[test]
    fn a_sweep_without_end_is_refused_before_it_fills_the_memory() {
        let many: Vec<i64> = (0..1000).collect();
        let axes = [axis("n", &many), axis("m", &many), axis("k", &[1])];
        let sentence = "the sweep has more than 100000 points: take fewer values for n, m";
        assert_eq!(points(&axes, &[]).unwrap_err().to_string(), sentence);
    }

    proptest! {
        #[test]
        fn an_exclusion_and_its_opposite_share_the_points_out(
            threads in proptest::collection::vec(1_i64..9, 0..5),
            n in proptest::collection::vec(1_i64..9, 0..5),
        ) {
            let axes = [axis("threads", &threads), axis("n", &n)];
            let count = |exclude: &[&str]| points(&axes, exclude).unwrap().len();
            prop_assert_eq!(count(&[]), threads.len() * n.len());
            prop_assert_eq!(count(&["threads * n > 9"]) + count(&["!(threads * n > 9)"]), count(&[]));
        }
    }
}
