//! Values of axes: those that were set, else the defaults of the benchmark or the machine.

use std::collections::BTreeMap;

use paw_data::point::{AxisValue, Point};

use crate::benchmark::{Axis, Benchmark, Values};
use crate::host::Host;

/// From `first` to `last` by doubling; `last` is always the end, even if doubling skips it.
pub fn doubling(first: i64, last: i64) -> Vec<i64> {
    let mut values = Vec::new();
    let mut value = first;
    while value < last {
        values.push(value);
        value = value.saturating_mul(2);
    }
    values.push(last);
    values
}

/// The points of a benchmark: one group for each value of its first axis (the ladder), with all alternatives in it.
///
/// An axis at its default is left out of the point, unless it is the ladder, has several values, or names parts of the machine.
pub fn points(benchmark: &Benchmark, set: &BTreeMap<String, Vec<AxisValue>>, host: &Host) -> Vec<Vec<Point>> {
    let Some((ladder, others)) = benchmark.common.axes.split_first() else { return vec![vec![Point::new()]] };
    let steps = values(ladder, set, host).into_iter();
    steps.map(|value| alternatives(Point::new().with(ladder.name, value), others, set, host)).collect()
}

fn alternatives(start: Point, axes: &[Axis], set: &BTreeMap<String, Vec<AxisValue>>, host: &Host) -> Vec<Point> {
    axes.iter().fold(vec![start], |points, axis| {
        let values = values(axis, set, host);
        let is_told = set.contains_key(axis.name) || matches!(axis.values, Values::Sampled { .. } | Values::Told(_));
        if values.is_empty() || (values.len() == 1 && !is_told) {
            return points;
        }
        let spread = |point: Point| values.clone().into_iter().map(move |v| point.clone().with(axis.name, v));
        points.into_iter().flat_map(spread).collect()
    })
}

/// The values of `axis`: those set, else its defaults; none where it follows another axis.
pub fn values(axis: &Axis, set: &BTreeMap<String, Vec<AxisValue>>, host: &Host) -> Vec<AxisValue> {
    if let Some(values) = set.get(axis.name) {
        return values.clone();
    }
    listed(&axis.values, host)
}

/// The list that `values` describes.
pub fn listed(values: &Values, host: &Host) -> Vec<AxisValue> {
    match values {
        Values::Doubling(first, last) => doubling(*first, *last).into_iter().map(AxisValue::Int).collect(),
        Values::Ints(values) => values.iter().copied().map(AxisValue::Int).collect(),
        Values::Floats(values) => values.iter().copied().map(AxisValue::Float).collect(),
        Values::Words(words) => words.first().map(|w| AxisValue::from(*w)).into_iter().collect(),
        Values::Giving { words, .. } => words.first().map(|(w, _)| AxisValue::from(*w)).into_iter().collect(),
        Values::Each(words) => words.iter().map(|w| AxisValue::from(*w)).collect(),
        Values::Follows(_) => Vec::new(),
        Values::Machine(of) | Values::Told(of) | Values::Sampled { some: of, .. } => of(host),
    }
}

#[cfg(test)]
mod tests {
    use super::doubling;

    #[test]
    fn the_endpoint_is_always_measured() {
        assert_eq!(doubling(8, 100), [8, 16, 32, 64, 100]);
        assert_eq!(doubling(8, 64), [8, 16, 32, 64]);
        assert_eq!(doubling(5, 5), [5]);
    }
}
