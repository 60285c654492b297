//! Latency by level of the memory hierarchy, from a ladder of working sets and the sizes of the caches.

use paw_data::machine::{CacheLevel, Identity};
use paw_data::quantity::Quantity;
use paw_sort::OrderBy;

use crate::grade::Grade;
use crate::reading::Reading;
use crate::step::in_bytes;

/// Ratio of working set to last cache from which the latency counts as memory's: little of the set is cached.
const BEYOND_LAST: f64 = 2.0;

/// What is said of a cache of a virtual machine.
pub const AS_TOLD: &str = "as the guest is told";

#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// `L1`, `L2`, `L3`, `memory`.
    pub name: String,
    /// Seconds of one access.
    pub seconds: f64,
    /// Bytes of the working set that represents the level.
    pub bytes: f64,
    /// How far to trust it.
    pub grade: Grade,
    /// Whether it is the last cache as a guest is told of it: the true one may be larger, or shared with strangers.
    pub is_told: bool,
}

/// Caches that hold data, nearest first.
pub fn data_caches(identity: &Identity) -> Vec<&CacheLevel> {
    let mut caches: Vec<&CacheLevel> =
        identity.caches.iter().filter(|c| c.kind != "instruction" && c.size_bytes > 0).collect();
    caches.order_by_key(|c| c.level);
    caches
}

/// The levels that `rows` distinguish, where `ladder` is an axis of working sets; else empty.
///
/// The largest working set that fits into half of a cache represents its level, so that neither the level below nor
/// other contents of the cache weigh much; the largest working set of all represents memory.
pub fn levels(rows: &[Reading<'_>], ladder: Option<&str>, identity: &Identity) -> Vec<Level> {
    let Some(ladder) = ladder.filter(|l| in_bytes(l)) else { return Vec::new() };
    if rows.first().is_none_or(|r| r.quantity() != Quantity::Time) {
        return Vec::new();
    }
    let points: Vec<(f64, &Reading<'_>)> =
        rows.iter().filter_map(|r| Some((r.record.cell.point.float(ladder)?, r))).collect();
    let mut levels = Vec::new();
    let mut below = 0.0;
    let caches = data_caches(identity);
    let last = caches.last().map_or(0, |cache| cache.level);
    for cache in caches {
        let is_told = !identity.hypervisor.is_empty() && cache.level == last && last > 1;
        let size = cache.size_bytes as f64;
        let fits = points.iter().filter(|(bytes, _)| *bytes > below && *bytes <= size / 2.0);
        levels.extend(largest(fits).and_then(|(bytes, r)| level((format!("L{}", cache.level), is_told), bytes, r)));
        below = size;
    }
    let beyond = points.iter().filter(|(bytes, _)| below > 0.0 && *bytes >= below * BEYOND_LAST);
    levels.extend(largest(beyond).and_then(|(bytes, r)| level(("memory".to_owned(), false), bytes, r)));
    levels
}

/// The working sets of the levels, in words.
pub fn sizes(levels: &[Level]) -> String {
    let sizes: Vec<String> = levels.iter().map(|l| crate::number::size(l.bytes)).collect();
    let told = levels.iter().filter(|l| l.is_told).map(|l| format!("; {} {AS_TOLD}", l.name));
    format!("working sets {}{}", sizes.join(", "), told.collect::<String>())
}

fn largest<'p, 'r>(points: impl Iterator<Item = &'p (f64, &'p Reading<'r>)>) -> Option<(f64, &'p Reading<'r>)>
where
    'r: 'p,
{
    points.filter(|(_, r)| r.value.is_some()).max_by(|a, b| a.0.total_cmp(&b.0)).copied()
}

fn level((name, is_told): (String, bool), bytes: f64, reading: &Reading<'_>) -> Option<Level> {
    Some(Level { name, seconds: reading.value?.middle, bytes, grade: reading.grade, is_told })
}
