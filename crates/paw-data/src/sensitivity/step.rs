//! Where the data no longer fit a cache: what an iteration takes on both sides of its end.

use paw_stats::comparison::{self, Ratio};

use crate::kernel::Kernel;
use crate::quantity::Quantity;
use crate::rounds::Rounds;
use crate::sensitivity::curve::{Curve, Spot};
use crate::summary::{CONFIDENCE, times_s};

/// Fewest complete rounds that are compared as rounds.
const ROUNDS_MIN: usize = 6;

/// The end of a cache, as a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boundary<'run> {
    /// The cache: `L1`.
    pub name: &'run str,
    /// The largest size whose data its rule lets in.
    pub n: u64,
    /// Its bytes.
    pub capacity_bytes: u64,
}

impl<'run> Boundary<'run> {
    /// The caches of `kernel`, smallest first: not memory, which no size leaves.
    pub(super) fn of(kernel: &'run Kernel) -> Vec<Self> {
        let is_cache = |name: &str| !name.eq_ignore_ascii_case("ram") && !name.contains('=');
        let caches = kernel.levels.iter().filter(|level| is_cache(&level.name) && level.n_max > 0);
        let mut found: Vec<Self> =
            caches.map(|l| Self { name: &l.name, n: l.n_max, capacity_bytes: l.capacity_bytes }).collect();
        found.sort_by_key(|boundary| boundary.n);
        found
    }
}

/// One end of a cache in one build.
#[derive(Debug, Clone, PartialEq)]
pub struct Step<'run> {
    /// The end.
    pub boundary: Boundary<'run>,
    /// The build with its variant.
    pub build: String,
    /// The largest size that fits.
    pub below: Spot<'run>,
    /// The smallest size that does not.
    pub above: Spot<'run>,
    /// Time of an iteration above ÷ below, with its interval; `None` where one has no number.
    pub ratio: Option<Ratio>,
}

/// The steps of a curve over sizes.
pub(super) fn steps<'run>(curve: &Curve<'run>, boundaries: &[Boundary<'run>]) -> Vec<Step<'run>> {
    let step = |boundary: &Boundary<'run>| {
        let fits = |spot: &&Spot<'run>| spot.x <= boundary.n as f64;
        let below = curve.spots.iter().rfind(fits)?.clone();
        let above = curve.spots.iter().find(|spot| !fits(spot))?.clone();
        let ratio = ratio(&below, &above);
        Some(Step { boundary: *boundary, build: curve.name(), below, above, ratio })
    };
    boundaries.iter().filter_map(step).collect()
}

/// Of one iteration, of which calls of different sizes have different numbers.
fn ratio(below: &Spot<'_>, above: &Spot<'_>) -> Option<Ratio> {
    let (a, b) = (&below.record, &above.record);
    let one = |record: &crate::run::Record, times: Vec<f64>| -> Vec<f64> {
        times.into_iter().map(|seconds| record.cell.work.value(Quantity::Time, seconds)).collect()
    };
    let value = above.timing?.median_s.value / below.timing?.median_s.value;
    let rounds = Rounds::of(&a.samples, &b.samples);
    let found = if a.cell.group == b.cell.group && rounds.len() >= ROUNDS_MIN {
        comparison::paired(&one(a, rounds.a_s), &one(b, rounds.b_s), CONFIDENCE)
    } else {
        comparison::unpaired(&one(a, times_s(&a.samples).0), &one(b, times_s(&b.samples).0), CONFIDENCE)
    };
    found.map(|ratio| Ratio { value, ..ratio })
}
