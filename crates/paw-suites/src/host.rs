//! The machine as a plan sees it: processors, caches, memory, libraries.

use std::collections::BTreeMap;
use std::path::Path;

use paw_data::axis;
use paw_data::point::Point;
use paw_foreign::blas::discovery::{self, FoundBlas, Search};
use paw_machine::idle::{self, CpuActivity};
use paw_machine::root::Root;
use paw_machine::threads::{ThreadCount, ThreadFit, ThreadRules, cpus_for, cpus_in};
use paw_machine::topology::{CacheKind, MachineMemory, Topology};
use paw_native::isa::Isa;
use paw_native::peak::{Mix, Peak};

use crate::choice::{ThreadPlacement, Threads};
use crate::device_inventory::DeviceInventory;
use crate::mpi_job::MpiJob;
use crate::placement::Placement;

/// The machine as a plan sees it.
#[derive(Debug, Clone)]
pub struct Host {
    /// Processors, caches and memory, and the part that this process may use.
    pub topology: Topology,
    /// How busy each processor is, if that was measured.
    pub activity: Option<CpuActivity>,
    /// Threads that a batch system grants, and the variable that holds the number.
    pub granted: Option<(u32, &'static str)>,
    /// BLAS libraries found; empty if none were looked for.
    pub blas: Vec<FoundBlas>,
    /// Linux's names of the processor's vector extensions.
    pub isa: Vec<String>,
    /// The ranks of the job this process belongs to.
    pub ranks: MpiJob,
    /// Bytes of memory that were free when the host was read: all arrays of a plan are sized by it.
    pub free_bytes: f64,
    /// Devices; empty if none were looked for.
    pub devices: DeviceInventory,
}

/// Largest share of free memory that the arrays of one worker may take: the workers of one thread and of all threads hold arrays
/// at the same time, and the system and libraries need the rest.
const MEMORY_SHARE: f64 = 0.25;
/// Assumed cache size if the system lists none: the largest of common desktop processors.
const CACHE_UNKNOWN_BYTES: f64 = 32.0 * 1024.0 * 1024.0;

impl Host {
    /// This machine, of which neither libraries nor devices are known.
    pub fn here(topology: Topology, activity: Option<CpuActivity>, isa: Vec<String>) -> Self {
        let granted = paw_machine::environment::granted_threads(&paw_machine::environment::current());
        let free_bytes = free_bytes(&topology);
        Self {
            free_bytes,
            topology,
            activity,
            granted,
            blas: Vec::new(),
            isa,
            ranks: MpiJob::none(),
            devices: DeviceInventory::default(),
        }
    }

    /// Looks for BLAS libraries by name, in some ten thousand calls of the system; opens none.
    pub fn look_for_libraries(&mut self) {
        self.blas = discovery::find_all(&Search::here());
    }

    /// Bytes of the largest outermost cache.
    pub fn last_cache_bytes(&self) -> f64 {
        self.topology.last_level_cache().map_or(CACHE_UNKNOWN_BYTES, |cache| cache.size_bytes as f64)
    }

    /// Bytes of all outermost caches of allowed processors together.
    pub fn all_last_caches_bytes(&self) -> f64 {
        let Some(last) = self.topology.last_level_cache() else { return CACHE_UNKNOWN_BYTES };
        let allowed = self.topology.allowed();
        let outermost =
            self.topology.caches.iter().filter(|c| c.kind != CacheKind::Instruction && c.level == last.level);
        outermost.filter(|c| c.cpus.intersects(&allowed)).map(|c| c.size_bytes as f64).sum()
    }

    /// Bytes of a cache of each level that holds data, nearest first.
    pub fn data_caches_bytes(&self) -> Vec<f64> {
        let mut levels = BTreeMap::new();
        for cache in self.topology.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction) {
            let size = levels.entry(cache.level).or_insert(0.0_f64);
            *size = size.max(cache.size_bytes as f64);
        }
        levels.into_values().collect()
    }

    /// Bytes of memory free now, not counting the operands of open cells.
    pub fn available_bytes(&self) -> f64 {
        free_bytes(&self.topology)
    }

    /// `wanted` bytes for each of `arrays` arrays, or as much as memory allows, in whole pages.
    pub fn memory_bytes_for(&self, wanted: f64, arrays: u32) -> u64 {
        let most = self.free_bytes * MEMORY_SHARE / f64::from(arrays);
        (wanted.min(most) / 4096.0).floor().max(1.0) as u64 * 4096
    }

    /// The point of a peak benchmark that a BLAS is compared with: the widest instruction set.
    pub fn peak_point(&self) -> Point {
        let widest = Peak::widest::<f64>(Mix::MultiplyAdd).map_or(Isa::best().name(), |peak| peak.isa());
        Point::new().with(axis::ISA, widest)
    }

    /// The thread counts asked for, without repetition, with their processors.
    pub fn placements(&self, wanted: &[Threads], place: ThreadPlacement) -> Vec<Placement> {
        let mut rules = ThreadRules::new(&self.topology);
        if let Some((threads, by)) = self.granted {
            rules = rules.granted(threads, by);
        }
        let mut placements: Vec<Placement> = Vec::new();
        for count in wanted.iter().flat_map(|threads| counts(*threads, &rules)) {
            if !placements.iter().any(|p| p.threads == count.count) {
                placements.push(self.placed(count, place));
            }
        }
        placements
    }

    /// Placement of the thread that drives a device: the worker that opens the device moves its thread near it.
    pub fn beside(&self) -> Placement {
        Placement { threads: 1, cpus: Vec::new(), rule: "near the device".to_owned(), fit: ThreadFit::Within }
    }

    fn placed(&self, count: ThreadCount, place: ThreadPlacement) -> Placement {
        let idlest = self.activity.as_ref().filter(|_| count.count == 1).and_then(|a| idle::idlest(&self.topology, a));
        let cpus = match place {
            ThreadPlacement::Default => idlest.map_or_else(|| cpus_for(&self.topology, count.count), |cpu| vec![cpu]),
            ThreadPlacement::Order(order) => cpus_in(&self.topology, order, count.count),
            ThreadPlacement::Unbound => Vec::new(),
        };
        Placement { threads: count.count, cpus, rule: count.rule, fit: count.fit }
    }

    /// The library found at `path`, if any.
    pub fn found_at(&self, path: &Path) -> Option<&FoundBlas> {
        self.blas.iter().find(|found| found.path == path)
    }
}

fn free_bytes(topology: &Topology) -> f64 {
    (MachineMemory::read(&Root::host()).available_bytes as f64).min(topology.effective_memory_bytes() as f64)
}

fn counts(threads: Threads, rules: &ThreadRules) -> Vec<ThreadCount> {
    match threads {
        Threads::Count(1) => vec![rules.one()],
        Threads::Count(count) => vec![rules.count(count)],
        Threads::Socket => vec![rules.socket()],
        Threads::Cores => vec![rules.cores()],
        Threads::All => vec![rules.all()],
        Threads::Topology => rules.topology(),
        Threads::Oversubscribed => vec![rules.oversubscribed()],
    }
}
