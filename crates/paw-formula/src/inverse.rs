//! Inversion: the value of a name at which a formula reaches a target.

use crate::formula::Formula;

/// Bisections until both ends are neighbouring `f64`s if their magnitudes are alike; from 0 to 10³⁰⁰ less than 1 is left.
const HALVINGS_MAX: usize = 1100;

impl Formula {
    /// The value of `name` between `low` and `high` at which the formula reaches `target`, by bisection: the data size that
    /// fills a cache, for example. `lookup` gives the other names.
    ///
    /// The formula must be monotonic; it may have steps (`floor`). The result is the least value at which the formula has reached
    /// the target, exact to an `f64`, or the whole number beside it if that meets the target exactly.
    /// `None` if the target is not reached between both ends, or the formula has no value at a tried point.
    pub fn invert(
        &self,
        name: &str,
        target: f64,
        low: f64,
        high: f64,
        lookup: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<f64> {
        if !(low <= high && low.is_finite() && high.is_finite() && target.is_finite()) {
            return None;
        }
        let at = |x: f64| self.evaluate(&|asked| if asked == name { Some(x) } else { lookup(asked) }).ok();
        let (first, last) = (at(low)?, at(high)?);
        if first == target {
            return Some(low);
        }
        let rises = first < target;
        let past = |value: f64| if rises { value >= target } else { value <= target };
        if !past(last) {
            return None;
        }
        let (mut before, mut found) = (low, high);
        for _ in 0..HALVINGS_MAX {
            let middle = f64::midpoint(before, found);
            if middle <= before || middle >= found {
                break;
            }
            if past(at(middle)?) { found = middle } else { before = middle }
        }
        let whole = found.round();
        let exact = (low..=high).contains(&whole) && (whole - found).abs() < 1e-9 * found.abs() && at(whole)? == target;
        Some(if exact { whole } else { found })
    }
}
