//! Kinds of core on hybrid machines: performance and efficiency cores.
//!
//! The evidence, the strongest first: the kernel's own event sources (`cpu_core`, `cpu_atom`), Arm's identification register,
//! frequency together with structure (favoured cores of one kind differ in frequency alone; a sibling switched off changes
//! structure alone), the kernel's capacities, and the sizes of private caches (Lakefield's kernel tells of nothing else).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use paw_sort::OrderBy;

use crate::cpuset::CpuSet;
use crate::root::Root;
use crate::topology::logical::Logical;
use crate::topology::{Cache, CacheKind, Core};

/// Favoured cores of one kind differ by less than a tenth (Raptor Lake: 5.2 and 5.0 GHz, its other kind 3.9 GHz).
const SAME_KIND_RATIO: f64 = 0.9;

/// The kernel's event source of each kind, and the kind's name.
const EVENT_SOURCES: &[(&str, &str)] =
    &[("cpu_core", "performance"), ("cpu_atom", "efficiency"), ("cpu_lowpower", "low-power")];

/// One kind of core.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoreKind {
    /// `core` where all are alike; else `performance`, `middle`, `efficiency` …
    pub name: String,
    /// The property that distinguishes the kinds.
    pub evidence: String,
    /// Indices of its cores in [`Topology::cores`](crate::topology::Topology::cores).
    pub cores: Vec<usize>,
}

/// Finds the kinds, the most capable first, and writes each core's kind into it.
pub fn assign(
    sources: &[(String, CpuSet)],
    cores: &mut [Core],
    caches: &[Cache],
    logicals: &[Logical],
) -> Vec<CoreKind> {
    let traits: Vec<Traits> = cores.iter().map(|core| traits(core, caches, cores, logicals)).collect();
    let by_source = by_event_source(sources, cores);
    let kinds = by_source
        .or_else(|| by_midr(&traits))
        .or_else(|| by_structure(&traits))
        .or_else(|| by_capacity(&traits))
        .or_else(|| by_cache(&traits))
        .unwrap_or_else(|| {
            let cores = (0..traits.len()).collect();
            vec![CoreKind { name: "core".to_owned(), evidence: "all cores are alike".to_owned(), cores }]
        });
    for (index, kind) in kinds.iter().enumerate() {
        for core in &kind.cores {
            cores[*core].kind = index;
        }
    }
    kinds
}

/// Evidence of a core's kind.
#[derive(Debug)]
struct Traits {
    capacity: Option<u32>,
    khz: Option<u64>,
    threads: usize,
    /// Cores that share its second-level cache, and the sizes of its first- and second-level data caches.
    structure: (usize, u64, u64),
    /// Sizes of the first-level instruction cache, the first-level data cache and the second-level cache.
    caches: [u64; 3],
    midr: Option<u64>,
}

fn traits(core: &Core, caches: &[Cache], cores: &[Core], logicals: &[Logical]) -> Traits {
    let first = core.cpus.first().unwrap_or(0);
    let level =
        |level| caches.iter().find(|c| c.level == level && c.kind != CacheKind::Instruction && c.cpus.contains(first));
    let instructions = caches.iter().find(|c| c.kind == CacheKind::Instruction && c.cpus.contains(first));
    let size = |cache: Option<&Cache>| cache.map_or(0, |c| c.size_bytes);
    let sharers = |set: &CpuSet| cores.iter().filter(|c| c.cpus.intersects(set)).count();
    let members = || logicals.iter().filter(|l| core.cpus.contains(l.number));
    Traits {
        capacity: members().filter_map(|l| l.capacity).max(),
        khz: members().filter_map(|l| l.frequency_max_khz).max(),
        threads: core.cpus.len(),
        structure: (level(2).map_or(0, |c| sharers(&c.cpus)), size(level(1)), size(level(2))),
        caches: [size(instructions), size(level(1)), size(level(2))],
        midr: members().find_map(|l| l.midr.as_deref().and_then(part)),
    }
}

/// Implementer and part number of the register, without variant and revision (Arm ARM, MIDR_EL1).
fn part(midr: &str) -> Option<u64> {
    let value = u64::from_str_radix(midr.trim_start_matches("0x"), 16).ok()?;
    Some(value & 0xff00_fff0)
}

/// The kernel's event sources of kinds of core, with their processors.
pub fn event_sources(root: &Root) -> Vec<(String, CpuSet)> {
    let source = |(name, _): &(&str, &str)| {
        let list = root.word(&format!("/sys/devices/{name}/cpus"))?;
        Some(((*name).to_owned(), list.parse().ok()?))
    };
    EVENT_SOURCES.iter().filter_map(source).collect()
}

fn by_event_source(sources: &[(String, CpuSet)], cores: &[Core]) -> Option<Vec<CoreKind>> {
    let kind = |(source, name): &(&str, &str)| {
        let (_, cpus) = sources.iter().find(|(other, _)| other == source)?;
        let members: Vec<usize> = (0..cores.len()).filter(|i| cores[*i].cpus.intersects(cpus)).collect();
        let evidence = format!("the kernel's event source {source}");
        (!members.is_empty()).then(|| CoreKind { name: (*name).to_owned(), evidence, cores: members })
    };
    let kinds: Vec<CoreKind> = EVENT_SOURCES.iter().filter_map(kind).collect();
    let complete = kinds.iter().map(|k| k.cores.len()).sum::<usize>() == cores.len();
    (kinds.len() > 1 && complete).then_some(kinds)
}

fn by_midr(traits: &[Traits]) -> Option<Vec<CoreKind>> {
    let keys: Option<Vec<u64>> = traits.iter().map(|t| t.midr).collect();
    named(traits, &keys?, "the part number in midr_el1")
}

/// Kinds by structure; `None` unless both frequency and structure differ, and in the same way.
fn by_structure(traits: &[Traits]) -> Option<Vec<CoreKind>> {
    let speeds: Option<Vec<f64>> = traits.iter().map(|t| t.khz.map(|khz| khz as f64)).collect();
    let bands = bands(&speeds?);
    let shape = |t: &Traits| (t.threads, t.structure);
    let same_shape_in_two_bands = traits
        .iter()
        .zip(&bands)
        .any(|(t, band)| traits.iter().zip(&bands).any(|(u, other)| other != band && shape(u) == shape(t)));
    if same_shape_in_two_bands {
        return None;
    }
    named(traits, &bands, "highest frequency together with threads and caches")
}

fn by_capacity(traits: &[Traits]) -> Option<Vec<CoreKind>> {
    let capacities: Option<Vec<f64>> = traits.iter().map(|t| t.capacity.map(f64::from)).collect();
    named(traits, &bands(&capacities?), "the kernel's cpu_capacity")
}

/// Kinds by the sizes of the caches next to a core; named after them where no core is known to be faster.
fn by_cache(traits: &[Traits]) -> Option<Vec<CoreKind>> {
    // A cache that is listed for some cores alone is one that the kernel does not tell of.
    let is_told = |slot: usize| traits.iter().all(|t| (t.caches[slot] == 0) == (traits[0].caches[slot] == 0));
    if !(0..3).all(is_told) {
        return None;
    }
    let shapes: BTreeSet<[u64; 3]> = traits.iter().map(|t| t.caches).collect();
    let keys: Vec<u64> = traits.iter().map(|t| shapes.range(..t.caches).count() as u64).collect();
    let mut kinds = named(traits, &keys, "sizes of the first- and second-level caches")?;
    let speed = |kind: &CoreKind| kind.cores.iter().map(|i| (traits[*i].capacity, traits[*i].khz)).max();
    if kinds.windows(2).any(|pair| speed(&pair[0]) == speed(&pair[1])) {
        for kind in &mut kinds {
            let [instructions, data, second] = traits[kind.cores[0]].caches.map(|bytes| bytes >> 10);
            kind.name = format!("L1i {instructions} KiB, L1d {data} KiB, L2 {second} KiB");
        }
    }
    Some(kinds)
}

/// For each value the number of its band: values sorted downwards fall into a new band where one is clearly less than its neighbour.
fn bands(values: &[f64]) -> Vec<u64> {
    let mut sorted = values.to_vec();
    sorted.order_by(|a, b| b.total_cmp(a));
    let edges: Vec<f64> = sorted.windows(2).filter(|w| w[1] < SAME_KIND_RATIO * w[0]).map(|w| w[1]).collect();
    values.iter().map(|value| edges.iter().filter(|edge| value <= *edge).count() as u64).collect()
}

/// Kinds by key, the most capable first; `None` where all keys are equal.
fn named(traits: &[Traits], keys: &[u64], evidence: &str) -> Option<Vec<CoreKind>> {
    let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (index, key) in keys.iter().enumerate() {
        groups.entry(*key).or_default().push(index);
    }
    if groups.len() < 2 {
        return None;
    }
    let strength = |cores: &Vec<usize>| {
        let best = |of: fn(&Traits) -> u64| cores.iter().map(|i| of(&traits[*i])).max();
        (best(|t| t.capacity.unwrap_or(0).into()), best(|t| t.khz.unwrap_or(0)), best(|t| t.threads as u64))
    };
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.order_by_key(|cores| Reverse(strength(cores)));
    let last = groups.len() - 1;
    let name = |rank: usize| match rank {
        0 => "performance".to_owned(),
        _ if rank == last => "efficiency".to_owned(),
        1 if last == 2 => "middle".to_owned(),
        _ => format!("middle-{rank}"),
    };
    let kind = |(rank, cores)| CoreKind { name: name(rank), evidence: evidence.to_owned(), cores };
    Some(groups.into_iter().enumerate().map(kind).collect())
}
