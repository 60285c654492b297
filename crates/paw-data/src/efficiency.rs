//! Metrics of MAQAO's ONE View over the loops of a program, by formulas recovered from its published reports.
//!
//! Recovered by regression over 127 public reports of the 2.15 series; other versions may define them otherwise.

use paw_sort::OrderBy;

/// A loop, as the metrics need it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeasuredLoop {
    /// Its share of the run's time, 0 to 1.
    pub coverage: f64,
    /// Streams (accesses to memory in its code) of stride 0, of stride 1, of a constant stride, of unknown stride, and indirect ones.
    pub streams: [u32; 5],
    /// Ways through it; `None` if they are not known.
    pub paths: Option<u64>,
    /// Its time if only floating-point arithmetic were left, ÷ its time; `None` if that was not measured.
    pub arithmetic_alone: Option<f64>,
}

/// Points of a stream of each stride, in percent.
const POINTS: [f64; 5] = [100.0, 100.0, 75.0, 50.0, 0.0];

/// Array access efficiency in percent, higher is better: the mean over loops, weighted by coverage, of the points of their streams.
/// `None` without a loop that has streams.
pub fn array_access(loops: &[MeasuredLoop]) -> Option<f64> {
    let one = |found: &MeasuredLoop| {
        let all: u32 = found.streams.iter().sum();
        let points: f64 = found.streams.iter().zip(POINTS).map(|(count, points)| f64::from(*count) * points).sum();
        (all > 0 && found.coverage > 0.0).then(|| (found.coverage, points / f64::from(all)))
    };
    weighted(loops.iter().filter_map(one))
}

/// Mean number of ways through a loop, weighted by coverage, lower is better; `None` if they are known of no loop.
pub fn flow_complexity(loops: &[MeasuredLoop]) -> Option<f64> {
    weighted(loops.iter().filter_map(|found| Some((found.coverage, found.paths? as f64))))
}

/// The speed-up of the whole if each loop took `ratio` of its time: 1 ÷ (1 − Σ coverage · (1 − ratio)). `None` if no ratio is known.
pub fn potential_speedup(loops: &[MeasuredLoop]) -> Option<f64> {
    let saved = gains(loops);
    (!saved.is_empty()).then(|| 1.0 / (1.0 - saved.iter().sum::<f64>()))
}

/// The fewest loops, those that gain most first, whose speed-up together exceeds 1 by 80 % of what all reach; `None` without a gain.
pub fn loops_to_80(loops: &[MeasuredLoop]) -> Option<usize> {
    let mut saved = gains(loops);
    saved.order_by(|a, b| b.total_cmp(a));
    let all = 1.0 / (1.0 - saved.iter().sum::<f64>());
    let mut sum = 0.0;
    let enough = saved.iter().position(|gain| {
        sum += gain;
        1.0 / (1.0 - sum) - 1.0 >= 0.8 * (all - 1.0)
    });
    enough.filter(|_| all > 1.0).map(|at| at + 1)
}

/// The share of the whole time that each loop with a known ratio saves; a loop that would take longer saves nothing.
fn gains(loops: &[MeasuredLoop]) -> Vec<f64> {
    loops.iter().filter_map(|found| Some(found.coverage * (1.0 - found.arithmetic_alone?.clamp(0.0, 1.0)))).collect()
}

fn weighted(values: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (weight, sum) = values.fold((0.0, 0.0), |(w, s), (weight, value)| (w + weight, s + weight * value));
    (weight > 0.0).then(|| sum / weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(coverage: f64, streams: [u32; 5]) -> MeasuredLoop {
        MeasuredLoop { coverage, streams, ..MeasuredLoop::default() }
    }

    #[test]
    fn streams_have_100_100_75_50_and_0_points() {
        for (kind, points) in [100.0, 100.0, 75.0, 50.0, 0.0].into_iter().enumerate() {
            let mut streams = [0; 5];
            streams[kind] = 3;
            assert_eq!(array_access(&[of(0.4, streams)]), Some(points));
        }
        let mixed = [of(0.6, [0, 1, 0, 0, 1]), of(0.2, [0, 0, 4, 0, 0]), of(0.1, [0; 5])];
        assert_eq!(array_access(&mixed), Some((0.6 * 50.0 + 0.2 * 75.0) / 0.8));
        assert_eq!(array_access(&[]), None);
    }

    #[test]
    fn a_speedup_is_that_of_the_whole() {
        let ratio =
            |coverage, ratio| MeasuredLoop { coverage, arithmetic_alone: Some(ratio), ..MeasuredLoop::default() };
        let loops = [ratio(0.5, 0.5), ratio(0.25, 0.2), ratio(0.1, 1.4)];
        assert!((potential_speedup(&loops).unwrap() - 1.0 / (1.0 - 0.25 - 0.2)).abs() < 1e-12);
        // 1.333 and 1.818: the first loop reaches 0.407 of the gain, both reach all of it.
        assert_eq!(loops_to_80(&loops), Some(2));
        assert_eq!(loops_to_80(&[ratio(0.5, 1.0)]), None);
        assert_eq!(potential_speedup(&[of(0.5, [0; 5])]), None);
    }

    #[test]
    fn complexity_is_the_mean_number_of_ways() {
        let ways = |coverage, paths| MeasuredLoop { coverage, paths: Some(paths), ..MeasuredLoop::default() };
        assert_eq!(flow_complexity(&[ways(0.75, 1), ways(0.25, 5)]), Some(2.0));
    }
}
