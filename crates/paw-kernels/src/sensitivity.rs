//! Plans a sensitivity analysis: warm-up, repetitions and size, varied one at a time.

use paw_data::kernel::{Level, REPS, WARMUP};

use crate::builds::Built;
use crate::campaign::Planned;
use crate::fit::search::SizeSearch;
use crate::plan::{CellSettings, KernelPlanner};
use crate::request::KernelRequest;
use crate::spec::{Measure, Spec};

/// A factor that is varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Factor {
    /// Calls before the first that is timed.
    Warmup,
    /// Calls of a sample.
    Reps,
    /// The size.
    Size,
}

/// All factors with their names on the command line.
pub const FACTORS: &[(&str, Factor)] = &[("warmup", Factor::Warmup), ("reps", Factor::Reps), ("n", Factor::Size)];

/// Warm-up calls from one to a thousand, three a decade: what a curve needs to show its knee.
const WARMUPS: &[u64] = &[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/// Calls of a sample, spaced like warm-ups; too few for a readable sample are refused with a reason.
const REPETITIONS: &[u64] = &[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000];

/// Footprints as shares of a cache, close together around its end.
const SHARES: &[f64] = &[0.25, 0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0];

/// Calls of a sample while warm-up is varied, unless the user fixed them. More would hide the first calls among the rest.
const REPS_OF_WARMUPS: u64 = 100;

/// A factor with the values it is varied over.
#[derive(Debug, Clone)]
pub struct Variation {
    /// The factor.
    pub factor: Factor,
    /// Its values.
    pub values: Vec<u64>,
}

impl Variation {
    /// `factor` over `values`; if there are none, over the default ones: sizes around the ends of the request's caches.
    pub fn new(factor: Factor, values: Vec<u64>, request: &KernelRequest) -> Self {
        let usual = match factor {
            Factor::Warmup => WARMUPS.to_vec(),
            Factor::Reps => REPETITIONS.to_vec(),
            Factor::Size => sizes(request),
        };
        let mut values = if values.is_empty() { usual } else { values };
        values.sort_unstable();
        values.dedup();
        Self { factor, values }
    }

    /// Its cells: one group of interleaved alternatives, one for each value.
    pub fn cells(
        &self,
        group: u32,
        built: &Built,
        n: u64,
        measure: Measure,
        planner: &mut KernelPlanner<'_>,
    ) -> Vec<Planned> {
        let cell = |(value, (n, measure)): (&u64, (u64, Measure))| {
            let axes = match self.factor {
                Factor::Warmup => vec![(WARMUP, axis(*value))],
                Factor::Reps => vec![(REPS, axis(*value))],
                Factor::Size => Vec::new(),
            };
            planner.cell(built, CellSettings { axes, ..CellSettings::new(group, n, measure) })
        };
        self.values.iter().zip(self.settings(n, measure)).map(cell).collect()
    }

    /// The size and the settings of each value, from those of the request.
    pub fn settings(&self, n: u64, measure: Measure) -> Vec<(u64, Measure)> {
        let with = |value: &u64| match self.factor {
            Factor::Warmup => {
                let reps = Some(measure.reps.unwrap_or(REPS_OF_WARMUPS));
                (n, Measure { warmup: *value, reps, ..measure })
            }
            Factor::Reps => (n, Measure { reps: Some(*value), ..measure }),
            Factor::Size => (*value, measure),
        };
        self.values.iter().map(with).collect()
    }
}

fn axis(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Sizes whose footprints lie around the end of each cache.
fn sizes(request: &KernelRequest) -> Vec<u64> {
    let largest = |bytes: f64| largest_within(&request.spec, bytes);
    let ends = request.levels.iter().filter(|level| level.name != "RAM").map(|level| level.capacity_bytes as f64);
    ends.flat_map(|end| SHARES.iter().filter_map(move |share| largest(share * end)).collect::<Vec<_>>()).collect()
}

/// The largest size of the kernel whose arrays have at most `bytes` bytes.
pub fn largest_within(spec: &Spec, bytes: f64) -> Option<u64> {
    SizeSearch::new(spec).largest(bytes)
}

/// Cells of the residency variant around each cache's end: the largest size that fits, the next one, and one a quarter past it.
pub fn residency(
    built: &Built,
    levels: &[Level],
    request: &KernelRequest,
    planner: &mut KernelPlanner<'_>,
) -> Vec<Vec<Planned>> {
    let caches = levels.iter().filter(|level| level.name != "RAM");
    let pair = |(group, level): (u32, &Level)| {
        let end = level.capacity_bytes as f64;
        let sizes = [
            largest_within(&request.spec, end),
            SizeSearch::new(&request.spec).smallest_past(end),
            largest_within(&request.spec, PAST * end),
        ];
        let measure = request.measure;
        let cell = |n: u64, planner: &mut KernelPlanner<'_>| {
            planner.cell(built, CellSettings { level: Some(&level.name), ..CellSettings::new(group, n, measure) })
        };
        sizes.into_iter().flatten().map(|n| cell(n, planner)).collect()
    };
    (0..).zip(caches).map(pair).collect()
}

/// A walk over a quarter more than a cache leaves nothing of itself in it, because the oldest line is evicted first.
const PAST: f64 = 1.25;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use paw_data::document::Document;
    use paw_data::kernel::Question;

    use super::*;

    /// Sizes around the end of a cache of 32 KiB, of a kernel with `extent` doubles.
    fn around(extent: &str, iterations: &str) -> Vec<u64> {
        let text = format!(
            "paw = \"kernel/1\"\nsources = [\"kernel.c\"]\niterations = \"{iterations}\"\n\
             signature = \"void twice(unsigned long n, double x[n])\"\n\
             [arrays]\nx = {{ type = \"f64[{extent}]\", output = true }}\n"
        );
        let spec = Spec::of(&Document { path: Path::new("templates/twice.toml"), text: &text }).unwrap();
        let cache = Level { name: "L1".to_owned(), capacity_bytes: 32 << 10, ..Level::default() };
        let measure = spec.measure;
        let request = KernelRequest {
            spec,
            question: Question::Sensitivity,
            measure,
            region_s: None,
            within: None,
            levels: vec![cache],
            seed: 0,
            budget_s: None,
            invocations: None,
            until: None,
        };
        Variation::new(Factor::Size, Vec::new(), &request).values
    }

    #[test]
    fn sizes_lie_around_the_end_of_a_cache() {
        assert_eq!(around("n", "n"), [1024, 2048, 3072, 3686, 4096, 4505, 5120, 6144, 8192]);
        assert_eq!(around("n + 5000", "n"), [120, 1144, 3192], "below a quarter past the end there is no size");
    }

    #[test]
    fn sizes_that_the_kernel_has_not_are_passed_over() {
        // Half an n of elements: even n alone.
        assert_eq!(around("n/2", "n"), [2048, 4096, 6144, 7372, 8192, 9010, 10240, 12288, 16384]);
        // Iterations are whole at powers of two alone.
        assert_eq!(around("n", "n*log2(n)"), [1024, 2048, 4096, 8192]);
        // No elements below n = 65.
        assert_eq!(around("n - 64", "n"), [1088, 2112, 3136, 3750, 4160, 4569, 5184, 6208, 8256]);
    }
}
