//! Caches, and which processors share them.

use std::collections::BTreeSet;

use paw_sort::OrderBy;

use crate::cpuset::CpuSet;
use crate::root::Root;
use crate::topology::Core;
use crate::topology::logical::CPUS;
use crate::topology::mask::{self, Contradiction};

/// The contents of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CacheKind {
    /// Data alone.
    Data,
    /// Instructions alone.
    Instruction,
    /// Both.
    Unified,
}

impl CacheKind {
    /// The word used in runs: `data`, `instruction`, `unified`.
    pub fn word(self) -> &'static str {
        match self {
            CacheKind::Data => "data",
            CacheKind::Instruction => "instruction",
            CacheKind::Unified => "unified",
        }
    }

    /// The letter after the level in `L1d`, `L1i`; nothing for a unified cache.
    pub fn letter(self) -> &'static str {
        match self {
            CacheKind::Data => "d",
            CacheKind::Instruction => "i",
            CacheKind::Unified => "",
        }
    }
}

/// One cache, as the kernel reports it. A virtual machine may be shown a slice of the true one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    /// 1, 2, 3 …
    pub level: u32,
    /// The contents of the cache.
    pub kind: CacheKind,
    /// Bytes.
    pub size_bytes: u64,
    /// Bytes of a line; `None` if unknown.
    pub line_bytes: Option<u32>,
    /// Ways of associativity; `None` if unknown or fully associative.
    pub ways: Option<u32>,
    /// Sets; `None` if unknown.
    pub sets: Option<u32>,
    /// Processors online that share it.
    pub cpus: CpuSet,
}

impl Cache {
    /// `L1d`, `L2` …
    pub fn name(&self) -> String {
        format!("L{}{}", self.level, self.kind.letter())
    }
}

/// Reads the caches of all cores.
pub fn read(
    root: &Root,
    cores: &[Core],
    online: &CpuSet,
    contradictions: &mut Vec<Contradiction>,
    notes: &mut Vec<String>,
) -> Vec<Cache> {
    let mut caches: Vec<Cache> = Vec::new();
    // Processors that have their cache of this level and kind already.
    let mut served: BTreeSet<(u32, CacheKind, u32)> = BTreeSet::new();
    for cpu in online.iter() {
        for index in root.numbered(&format!("{CPUS}/cpu{cpu}/cache"), "index") {
            let directory = format!("{CPUS}/cpu{cpu}/cache/index{index}");
            let Some(mut cache) = described(root, &directory) else { continue };
            if served.contains(&(cache.level, cache.kind, cpu)) {
                continue;
            }
            cache.cpus = sharers(root, &directory, cpu, (cores, online), contradictions);
            let free: CpuSet = cache.cpus.iter().filter(|c| !served.contains(&(cache.level, cache.kind, *c))).collect();
            if free != cache.cpus {
                notes.push(format!(
                    "{} of processor {cpu} claims processors {} that another {} has: they are left to the first",
                    cache.name(),
                    cache.cpus.difference(&free),
                    cache.name(),
                ));
                cache.cpus = free;
            }
            served.extend(cache.cpus.iter().map(|c| (cache.level, cache.kind, c)));
            caches.push(cache);
        }
    }
    caches.order_by_key(|c| (c.level, c.kind, c.cpus.first()));
    caches
}

/// The processors that share a cache; those of the core where the maps are empty or all zero.
fn sharers(
    root: &Root,
    directory: &str,
    cpu: u32,
    (cores, online): (&[Core], &CpuSet),
    contradictions: &mut Vec<Contradiction>,
) -> CpuSet {
    let told = mask::set(root, directory, &["shared_cpu"], contradictions).intersection(online);
    if told.contains(cpu) {
        return told;
    }
    cores.iter().find(|core| core.cpus.contains(cpu)).map_or_else(|| CpuSet::from([cpu]), |core| core.cpus.clone())
}

/// Level, kind and size; `None` where one is missing, or is of a kind without a name.
fn described(root: &Root, directory: &str) -> Option<Cache> {
    let file = |name: &str| format!("{directory}/{name}");
    let kind = match root.text(&file("type"))?.as_str() {
        "Data" => CacheKind::Data,
        "Instruction" => CacheKind::Instruction,
        "Unified" => CacheKind::Unified,
        _ => return None,
    };
    Some(Cache {
        level: root.number(&file("level"))?,
        kind,
        size_bytes: size(&root.text(&file("size"))?).filter(|bytes| *bytes > 0)?,
        line_bytes: root.number(&file("coherency_line_size")).filter(|bytes| *bytes > 0),
        ways: root.number(&file("ways_of_associativity")).filter(|ways| *ways > 0),
        sets: root.number(&file("number_of_sets")).filter(|sets| *sets > 0),
        cpus: CpuSet::new(),
    })
}

/// Bytes of `48K`, `32768K`, `2M`: the kernel's units are binary.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) => (digits, text.chars().last()),
        None => (text, None),
    };
    let factor = match unit {
        Some('K') => 1 << 10,
        Some('M') => 1 << 20,
        Some('G') => 1 << 30,
        _ => 1,
    };
    digits.trim().parse::<u64>().ok()?.checked_mul(factor)
}
