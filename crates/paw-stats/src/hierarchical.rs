//! The typical value of a program over its invocations: samples of one process resemble each other more than those of two.
//!
//! The design is that of T. Kalibera and R. Jones, *Rigorous Benchmarking in Reasonable Time*, ISMM 2013: an interval over
//! invocations, and two variances that plan the next measurement. The location is a median of medians instead of their mean of
//! means, because times have spikes and processes have modes; METHOD shows the simulated coverage.

pub mod plan;

use crate::interval::{self, Bounds};
use crate::rank::sorted;
use crate::{mean, quantile, sigma, student};

/// The fewest invocations that have an interval over invocations.
pub const INVOCATIONS_MIN: usize = 3;

/// Most samples of one invocation whose pairwise distances are compared: longer series are thinned evenly.
const PAIRED_AT_MOST: usize = 64;

/// The median distance of two normal values, as a multiple of their deviation: √2 Φ⁻¹(3/4).
const MEDIAN_DISTANCE: f64 = 0.953_873;

/// What an interval covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The median of this one process: another process may lie elsewhere.
    OneInvocation,
    /// The median over processes, of which this many were seen.
    Invocations(usize),
}

/// The variances that decide how much more measuring helps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variances {
    /// The variance of a sample within its invocation.
    pub within: f64,
    /// The variance of an invocation's true median, without what its few samples add; 0 for one invocation.
    pub between: f64,
}

/// A location with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The median of the invocations' medians.
    pub value: f64,
    /// Its interval; `None` for two invocations, and for one with too few samples.
    pub interval: Option<Bounds>,
    /// What the interval covers.
    pub scope: Scope,
}

impl Estimate {
    /// Half the interval's width relative to the value; `None` where there is no interval or the value is 0.
    pub fn half_width(&self) -> Option<f64> {
        let half = self.interval?.half_width(self.value);
        half.is_finite().then_some(half)
    }
}

/// The location of samples grouped by invocation, on the scale of the values; empty groups do not count.
///
/// One invocation has the order-statistic interval of its samples, two have none, three to five Student's t over their medians,
/// six or more the interpolated order statistics of [`interval::interpolated`]. `None` where there is no sample, or one is NaN.
pub fn location(invocations: &[&[f64]], confidence: f64) -> Option<Estimate> {
    let groups = filled(invocations);
    let medians = medians(&groups)?;
    estimate(&groups, &medians, confidence, || over_invocations(&medians, confidence))
}

/// As [`location`], for times: an interval of several invocations is that of logarithms, so that its lower end stays above zero. Times of
/// zero or below leave the scale as it is.
pub fn times(invocations: &[&[f64]], confidence: f64) -> Option<Estimate> {
    let groups = filled(invocations);
    if !groups.iter().all(|values| values.iter().all(has_logarithm)) {
        return location(&groups, confidence);
    }
    let medians = medians(&groups)?;
    let logs = || medians.iter().map(|median| median.ln()).collect::<Vec<_>>();
    let over = || over_invocations(&logs(), confidence).map(|i| Bounds { low: i.low.exp(), high: i.high.exp() });
    estimate(&groups, &medians, confidence, over)
}

/// The estimate of `groups` with these `medians`; of several groups it has the interval `over` them.
fn estimate(
    groups: &[&[f64]],
    medians: &[f64],
    confidence: f64,
    over: impl FnOnce() -> Option<Bounds>,
) -> Option<Estimate> {
    let (interval, scope) = match groups {
        [one] => (interval::median(one, confidence).map(Bounds::from), Scope::OneInvocation),
        _ => (over(), Scope::Invocations(groups.len())),
    };
    Some(Estimate { value: quantile::median(medians)?, interval, scope })
}

/// Both variances of times grouped by invocation: those of logarithms, which are squared relative deviations, or of the times themselves
/// where one is zero or below. `None` where no invocation has two samples, or one is NaN.
pub fn time_variances(invocations: &[&[f64]]) -> Option<Variances> {
    let groups = filled(invocations);
    let Some(logs) = logarithms(&groups) else { return variances(&groups) };
    variances(&slices(&logs))
}

/// The value of [`location`] and [`times`] alone, the median of the invocations' medians, without what its interval costs.
pub fn center(invocations: &[&[f64]]) -> Option<f64> {
    quantile::median(&medians(&filled(invocations))?)
}

fn filled<'a>(invocations: &[&'a [f64]]) -> Vec<&'a [f64]> {
    invocations.iter().copied().filter(|values| !values.is_empty()).collect()
}

fn medians(groups: &[&[f64]]) -> Option<Vec<f64>> {
    groups.iter().map(|values| quantile::median(values)).collect()
}

/// Logarithms of all values; `None` where one has none.
fn logarithms(invocations: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
    let log = |value: &f64| has_logarithm(value).then(|| value.ln());
    invocations.iter().map(|values| values.iter().map(log).collect()).collect()
}

fn has_logarithm(value: &f64) -> bool {
    *value > 0.0 && value.is_finite()
}

/// The values of each invocation, as [`times`] and its like take them.
pub fn slices(invocations: &[Vec<f64>]) -> Vec<&[f64]> {
    invocations.iter().map(Vec::as_slice).collect()
}

/// The values of each invocation, by ascending identifier; `ids[i]` is the invocation of `values[i]`.
pub fn grouped(values: &[f64], ids: &[u32]) -> Vec<Vec<f64>> {
    let mut groups: Vec<(u32, Vec<f64>)> = Vec::new();
    for (value, id) in values.iter().zip(ids) {
        let place = groups.binary_search_by_key(id, |(known, _)| *known).unwrap_or_else(|place| {
            groups.insert(place, (*id, Vec::new()));
            place
        });
        groups[place].1.push(*value);
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn over_invocations(medians: &[f64], confidence: f64) -> Option<Bounds> {
    if medians.len() < INVOCATIONS_MIN {
        return None;
    }
    if let Some(found) = interval::interpolated(medians, confidence) {
        return Some(found);
    }
    let (center, error) = (mean::arithmetic(medians)?, sigma::sample(medians)? / (medians.len() as f64).sqrt());
    let reach = student::quantile(f64::midpoint(1.0, confidence), medians.len() - 1)? * error;
    Some(Bounds { low: center - reach, high: center + reach })
}

fn variances(groups: &[&[f64]]) -> Option<Variances> {
    let (within, medians) = (within(groups)?, medians(groups)?);
    let Some(seen) = sigma::sample(&medians) else { return Some(Variances { within, between: 0.0 }) };
    let sizes: Vec<f64> = groups.iter().map(|values| values.len() as f64).collect();
    // What sampling alone makes medians differ by.
    let sampling = plan::median_variance(within, mean::harmonic(&sizes)?);
    Some(Variances { within, between: (seen * seen - sampling).max(0.0) })
}

/// The variance within invocations by the median distance of two samples of one invocation: one spike in four does no harm.
fn within(groups: &[&[f64]]) -> Option<f64> {
    let mut distances = vec![];
    for values in groups {
        let step = values.len().div_ceil(PAIRED_AT_MOST);
        let values: Vec<f64> = values.iter().copied().step_by(step).collect();
        let pairs = values.iter().enumerate().flat_map(|(i, a)| values[i + 1..].iter().map(move |b| (a - b).abs()));
        distances.extend(pairs);
    }
    let typical = quantile::at(&sorted(&distances)?, 0.5)? / MEDIAN_DISTANCE;
    Some(typical * typical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_invocation_has_the_interval_of_its_samples_and_says_so() {
        let values = [3.0, 1.0, 2.0, 5.0, 4.0, 6.0];
        let found = times(&[&values, &[]], 0.95).unwrap();
        assert_eq!((found.value, found.scope), (3.5, Scope::OneInvocation));
        assert_eq!(found.interval, Some(Bounds { low: 1.0, high: 6.0 }));
        assert_eq!(time_variances(&[&values, &[]]).unwrap().between, 0.0);
        assert_eq!(times(&[&values[..5]], 0.95).unwrap().interval, None);
    }

    #[test]
    fn two_invocations_have_a_value_and_no_interval() {
        let found = location(&[&[1.0; 40], &[3.0]], 0.95).unwrap();
        assert_eq!((found.value, found.interval, found.scope), (2.0, None, Scope::Invocations(2)));
        assert_eq!(found.half_width(), None);
    }

    #[test]
    fn three_have_students_interval_whatever_their_sizes() {
        let found = location(&[&[9.0, 10.0, 90.0], &[11.0], &[12.0, 12.0]], 0.95).unwrap();
        // mean 11, deviation 1, t = 4.302653 at two degrees of freedom, ÷ √3
        let half = 4.302_653 / 3.0f64.sqrt();
        assert!((found.interval.unwrap().high - 11.0 - half).abs() < 1e-5);
        assert!((found.half_width().unwrap() - half / 11.0).abs() < 1e-6);
    }

    #[test]
    fn the_value_alone_is_that_of_the_estimate() {
        let groups: [&[f64]; 4] = [&[3.0, 1.0, 2.0, 5.5], &[], &[7.0, 2.0], &[0.5]];
        for invocations in [&groups[..], &groups[..1], &groups[..3], &[&[0.0, 2.0], &[3.0]], &[]] {
            let value = |found: Option<Estimate>| found.map(|estimate| estimate.value);
            assert_eq!(center(invocations), value(times(invocations, 0.95)), "{invocations:?}");
            assert_eq!(center(invocations), value(location(invocations, 0.95)), "{invocations:?}");
        }
    }

    #[test]
    fn the_median_of_an_even_number_of_processes_is_the_middle_of_both_and_lies_in_its_interval() {
        let far: Vec<[f64; 1]> = [1.0, 1.0, 3.0, 3.0].map(|time| [time]).to_vec();
        for groups in [&far[..2], &far[..]] {
            let groups: Vec<&[f64]> = groups.iter().map(<[f64; 1]>::as_slice).chain([&[1.0, 3.0][..]; 2]).collect();
            let found = times(&groups, 0.95).unwrap();
            let interval = found.interval.unwrap();
            assert!(interval.low <= found.value && found.value <= interval.high, "{found:?}");
        }
        assert_eq!(times(&[&[1.0], &[3.0]], 0.95).unwrap().value, 2.0);
        assert_eq!(times(&[&[1.0, 3.0], &[5.0], &[2.5]], 0.95).unwrap().value, 2.5);
    }

    #[test]
    fn an_interval_of_times_stays_above_zero() {
        let groups: [&[f64]; 3] = [&[1.0], &[2.0], &[40.0]];
        assert!(location(&groups, 0.95).unwrap().interval.unwrap().low < 0.0);
        let found = times(&groups, 0.95).unwrap();
        assert!(found.interval.unwrap().low > 0.0 && (found.value - 2.0).abs() < 1e-12);
        let zero: [&[f64]; 3] = [&[0.0], &[2.0], &[40.0]];
        assert_eq!(times(&zero, 0.95), location(&zero, 0.95), "no logarithm");
    }

    #[test]
    fn the_variances_are_those_of_the_population() {
        let mut rng = crate::rng::Rng::new(3);
        let groups: Vec<Vec<f64>> = (0..400)
            .map(|_| {
                let center = 0.03 * rng.normal();
                (0..8).map(|_| center + 0.02 * rng.normal() + if rng.uniform() < 0.05 { 1.0 } else { 0.0 }).collect()
            })
            .collect();
        let slices: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
        let found = variances(&slices).unwrap();
        assert!((found.within.sqrt() - 0.02).abs() < 0.003, "{found:?}");
        assert!((found.between.sqrt() - 0.03).abs() < 0.003, "{found:?}");
    }

    #[test]
    fn values_are_grouped_by_their_invocation() {
        assert_eq!(grouped(&[1.0, 2.0, 3.0], &[7, 2, 7]), [vec![2.0], vec![1.0, 3.0]]);
    }

    #[test]
    fn nothing_and_nan_have_no_location() {
        assert_eq!(times(&[], 0.95), None);
        assert_eq!(times(&[&[]], 0.95), None);
        assert_eq!(times(&[&[1.0], &[f64::NAN]], 0.95), None);
        assert_eq!(time_variances(&[&[1.0], &[2.0]]), None);
    }
}
