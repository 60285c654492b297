//! Clusters of positive numbers on a line.

use paw_sort::OrderBy;

use crate::mean::arithmetic;

/// The most clusters that are looked for.
const CLUSTERS_MAX: usize = 8;
/// Widest gaps between neighbours at which a line may be cut.
const CUTS_MAX: usize = 24;
/// Fewest members of a cluster, so that one odd value makes none; a cluster of less is what two or three values can have.
const MEMBERS_MIN: usize = 2;
/// Ashman's D of neighbours that are two clusters; one normal cluster cut in the middle has 2.6, a uniform one 3.5.
const SEPARATION: f64 = 5.0;
/// Deviation of a logarithm at least, however near the members of a cluster are: what repeats on a virtual machine differ by.
const DEVIATION_MIN: f64 = 0.025;

/// The cluster of each of `values`, from 0 for the least ones: all 0 where nothing divides them.
///
/// Of logarithms. For each number of clusters the partition with the least squares within them (W. D. Fisher, "On grouping for maximum
/// homogeneity", Journal of the American Statistical Association 53, 1958); of these the finest one whose neighbours are all
/// 5 apart by D = |m₁ - m₂| / √((s₁² + s₂²)/2) (K. M. Ashman, C. M. Bird, S. E. Zepf, "Detecting bimodality in astronomical
/// datasets", Astronomical Journal 108, 1994).
///
/// `None` where a value is no positive finite number.
pub fn clusters(values: &[f64]) -> Option<Vec<usize>> {
    if !values.iter().all(|value| value.is_finite() && *value > 0.0) {
        return None;
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.order_by(|a, b| values[*a].total_cmp(&values[*b]));
    let logs: Vec<f64> = order.iter().map(|at| values[*at].ln()).collect();
    let mut found = vec![0; values.len()];
    for (cluster, range) in parts(&logs).windows(2).enumerate() {
        order[range[0]..range[1]].iter().for_each(|at| found[*at] = cluster);
    }
    Some(found)
}

/// Where clusters of ascending `logs` begin, and the end.
fn parts(logs: &[f64]) -> Vec<usize> {
    let candidates = candidates(logs);
    let most = CLUSTERS_MAX.min(candidates.len() - 1);
    let finest = (2..=most).rev().map(|count| partition(logs, &candidates, count)).find(|parts| are_apart(logs, parts));
    finest.unwrap_or_else(|| vec![0, logs.len()])
}

/// Ends and widest gaps of `logs`, ascending.
fn candidates(logs: &[f64]) -> Vec<usize> {
    let mut gaps: Vec<usize> = (1..logs.len()).collect();
    gaps.order_by(|a, b| (logs[*b] - logs[b - 1]).total_cmp(&(logs[*a] - logs[a - 1])));
    gaps.truncate(CUTS_MAX);
    gaps.extend([0, logs.len()]);
    gaps.sort_unstable();
    gaps.dedup();
    // Of no values too, so that there are two ends.
    if gaps.len() < 2 { vec![0, 0] } else { gaps }
}

/// The `count` parts with the least squares within them, cut at `candidates`.
fn partition(logs: &[f64], candidates: &[usize], count: usize) -> Vec<usize> {
    let last = candidates.len() - 1;
    // The best partition of the values before each candidate, and where its last part begins.
    let mut best: Vec<(f64, Vec<usize>)> = candidates.iter().map(|end| (squares(&logs[..*end]), vec![0])).collect();
    for _ in 1..count {
        let step = |end: usize| {
            let with = |begin: usize| {
                let (before, parts) = &best[begin];
                let own = squares(&logs[candidates[begin]..candidates[end]]);
                (before + own, parts.iter().copied().chain([candidates[begin]]).collect())
            };
            let all = (0..end).map(with);
            all.min_by(|a: &(f64, Vec<usize>), b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, vec![0]))
        };
        best = (0..=last).map(step).collect();
    }
    let mut parts = best[last].1.clone();
    parts.push(logs.len());
    parts
}

/// Whether all parts are clusters.
fn are_apart(logs: &[f64], parts: &[usize]) -> bool {
    let least = MEMBERS_MIN.min(logs.len() / 2);
    let members: Vec<&[f64]> = parts.windows(2).map(|ends| &logs[ends[0]..ends[1]]).collect();
    let is_apart = |two: &[&[f64]]| {
        let variance = |part: &[f64]| (squares(part) / part.len() as f64).max(DEVIATION_MIN * DEVIATION_MIN);
        let distance = arithmetic(two[1])? - arithmetic(two[0])?;
        Some(distance > SEPARATION * f64::midpoint(variance(two[0]), variance(two[1])).sqrt())
    };
    let is_apart = |two: &[&[f64]]| is_apart(two).unwrap_or(false);
    members.iter().all(|part| part.len() >= least.max(1)) && members.windows(2).all(is_apart)
}

/// Squared distances of `part` from its mean, added up.
fn squares(part: &[f64]) -> f64 {
    let middle = arithmetic(part).unwrap_or(0.0);
    part.iter().map(|value| (value - middle).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::clusters;
    use crate::rng::Rng;

    /// `count` values around `middle` with a deviation of `relative`.
    fn around(middle: f64, relative: f64, count: usize, rng: &mut Rng) -> Vec<f64> {
        (0..count).map(|_| middle * (relative * rng.normal()).exp()).collect()
    }

    #[test]
    fn groups_of_latencies_are_found_however_many_and_unequal_they_are() {
        let mut rng = Rng::new(7);
        let sizes = [(25.0, 8), (80.0, 100), (105.0, 12), (310.0, 1000)];
        let values: Vec<f64> =
            sizes.iter().flat_map(|(middle, count)| around(*middle, 0.03, *count, &mut rng)).collect();
        let expected: Vec<usize> = sizes.iter().enumerate().flat_map(|(group, size)| vec![group; size.1]).collect();
        assert_eq!(clusters(&values), Some(expected.clone()));
        let backwards: Vec<f64> = values.iter().rev().copied().collect();
        assert_eq!(clusters(&backwards), Some(expected.iter().rev().copied().collect()));
    }

    #[test]
    fn one_group_is_not_divided() {
        let mut rng = Rng::new(3);
        let mut divided = 0;
        for _ in 0..200 {
            let normal = around(100.0, 0.1, 60, &mut rng);
            let uniform: Vec<f64> = (0..60).map(|_| 50.0 + 100.0 * rng.uniform()).collect();
            divided += [normal, uniform]
                .iter()
                .filter(|values| clusters(values).is_some_and(|found| found.contains(&1)))
                .count();
        }
        assert!(divided <= 4, "{divided} of 400");
    }

    #[test]
    fn few_or_odd_values_are_no_groups_of_their_own() {
        let found =
            |values: &[f64]| clusters(values).map(|found| found.iter().map(ToString::to_string).collect::<String>());
        let check = |values: &[f64], expected: &str| assert_eq!(found(values).as_deref(), Some(expected), "{values:?}");
        check(&[], "");
        check(&[50.0], "0");
        check(&[50.0, 51.0, 50.5, 90.0, 50.2], "00000");
        check(&[50.0, 51.0, 200.0, 210.0], "0011");
        check(&[50.0, 200.0], "01");
        check(&[10.0; 40], &"0".repeat(40));
        for odd in [f64::NAN, -1.0, 0.0, f64::INFINITY] {
            assert_eq!(found(&[50.0, odd]), None);
        }
    }
}
