//! Cachegrind: its group of counters, and the caches of this machine as it can have them.

use paw_kernels::cachegrind::{self, SimulatedCache, SimulatedCaches};
use paw_machine::topology::{CacheKind, Topology};

use crate::counter_groups::{self, AskedGroup};
use crate::failure::Failure;

/// The simulated group, where the simulator is installed.
pub fn group() -> Result<AskedGroup, Failure> {
    cachegrind::version().map_err(Failure::missing)?;
    counter_groups::simulated()
}

/// The caches of the first processor, as cachegrind can have them.
pub fn caches(topology: &Topology) -> SimulatedCaches {
    let found = |level: u32, kinds: &[CacheKind]| {
        topology.caches.iter().find(|cache| cache.level == level && kinds.contains(&cache.kind))
    };
    let near = |kind: CacheKind| match found(1, &[kind, CacheKind::Unified]) {
        Some(cache) => SimulatedCache::near(cache.size_bytes, cache.ways, cache.line_bytes),
        None => SimulatedCache::near(32 << 10, Some(8), Some(64)),
    };
    let last =
        topology.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction).max_by_key(|cache| cache.level);
    let last = last.map_or_else(
        || SimulatedCache::last(8 << 20, Some(16), Some(64)),
        |cache| SimulatedCache::last(cache.size_bytes, cache.ways, cache.line_bytes),
    );
    SimulatedCaches { instructions: near(CacheKind::Instruction), data: near(CacheKind::Data), last }
}
