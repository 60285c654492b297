//! One loop count for the cells of a group that are compared with each other, so that a paired round compares equal regions.

use paw_data::application::SUITE as PROGRAMS;
use paw_data::axis::{COPIES, THREADS};
use paw_data::cell::{Cell, Role};
use paw_data::point::AxisValue;

/// Longest region, in seconds, of a slow cell that shares the loop count of a faster one: a hundred floors of a millisecond.
const REGION_MAX_S: f64 = 0.1;

/// Longest region of a cell as a multiple of that of the cell with most loops: calibration on a busy machine is no more precise.
const EQUAL_WITHIN: f64 = 2.0;

/// A cell after its own calibration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OwnLoops {
    /// Iterations of a region.
    pub loops: u64,
    /// Seconds of an iteration.
    pub per_loop_s: f64,
}

/// The loop count that compared cells share: the largest of all cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedLoops {
    /// Iterations of a region.
    pub loops: u64,
    /// Seconds that a region of them may last: 0.1, or twice as long as that of the cell which asks for it.
    pub region_max_s: f64,
}

impl SharedLoops {
    /// The count that these cells share; `None` without a cell.
    pub fn of(own: &[OwnLoops]) -> Option<Self> {
        let most = own.iter().max_by_key(|cell| cell.loops)?;
        let region_max_s = REGION_MAX_S.max(EQUAL_WITHIN * most.loops as f64 * most.per_loop_s);
        Some(Self { loops: most.loops, region_max_s })
    }

    /// The loops of a cell: the shared count, or its own where that would last too long: a cell that takes a hundred times as long
    /// needs no paired regions.
    pub fn of_cell(&self, own: &OwnLoops) -> u64 {
        if self.loops as f64 * own.per_loop_s <= self.region_max_s { self.loops } else { own.loops }
    }
}

/// The key that compared cells of a group share: their benchmark, and their point without the axis of alternatives; programs of a group
/// differ in their width, and in alternatives alone. `None` for references.
pub(crate) fn task(cell: &Cell) -> Option<(&str, Vec<(&str, &AxisValue)>)> {
    let alternatives = cell.report_place().and_then(|place| place.alternatives).map(|axis| axis.axis);
    let is_common = |name: &str| match cell.suite.as_str() {
        PROGRAMS => [THREADS, COPIES].contains(&name),
        _ => alternatives.as_deref() != Some(name),
    };
    let common = cell.point.iter().filter(|(name, _)| is_common(name)).collect();
    matches!(cell.role, Role::Subject | Role::Base).then_some((cell.benchmark.as_str(), common))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(own: &[(u64, f64)], expected: &[u64]) {
        let own: Vec<_> =
            own.iter().map(|(loops, per_loop_s)| OwnLoops { loops: *loops, per_loop_s: *per_loop_s }).collect();
        let shared = SharedLoops::of(&own);
        let found: Vec<_> = own.iter().map(|cell| shared.unwrap().of_cell(cell)).collect();
        assert_eq!(found, expected, "{own:?}");
    }

    #[test]
    fn equal_cells_take_the_larger_count() {
        check(&[(24_000, 42e-9), (1500, 42e-9)], &[24_000, 24_000]);
        check(&[(1500, 42e-9)], &[1500]);
        assert_eq!(SharedLoops::of(&[]), None);
    }

    #[test]
    fn a_cell_that_would_take_too_long_keeps_its_own() {
        check(&[(24_000, 42e-9), (250, 4e-6), (1, 2.0)], &[24_000, 24_000, 1]);
        check(&[(24_000, 42e-9), (250, 5e-6)], &[24_000, 250]);
        check(&[(6_000_000, 42e-9), (24_000, 50e-9)], &[6_000_000, 6_000_000]);
    }
}
