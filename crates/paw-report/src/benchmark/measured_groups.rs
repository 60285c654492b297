//! Groups of pairs of processors by what they take, held against what the processors share by the topology.

use std::collections::BTreeMap;

use paw_data::machine::{Processor, Sharing};
use paw_stats::clusters::clusters;

/// The most sets of processors that a sentence lists.
const SETS_MAX: usize = 8;

/// Pairs in groups that their times tell apart, the fastest group first.
#[derive(Debug, Default)]
pub struct MeasuredGroups {
    /// The group of each pair.
    groups: BTreeMap<(u32, u32), usize>,
    /// Their number.
    count: usize,
}

impl MeasuredGroups {
    /// The groups of pairs with these times.
    pub fn of(pairs: &BTreeMap<(u32, u32), f64>) -> Self {
        let times: Vec<f64> = pairs.values().copied().collect();
        let Some(found) = clusters(&times) else { return Self::default() };
        let count = found.iter().max().map_or(0, |last| last + 1);
        Self { groups: pairs.keys().copied().zip(found).collect(), count }
    }

    /// Whether times tell groups apart.
    pub fn are_several(&self) -> bool {
        self.count > 1
    }

    /// Each group with its pairs.
    pub fn all(&self) -> Vec<Vec<(u32, u32)>> {
        let of = |group: usize| self.groups.iter().filter(move |(_, own)| **own == group).map(|(pair, _)| *pair);
        (0..self.count).map(|group| of(group).collect()).collect()
    }

    /// For each of `cpus` the first one, in their order, that it reaches by pairs of each group and faster ones: of the slowest group but
    /// one first, so that a sort by it puts those side by side that are near each other.
    pub fn places(&self, cpus: &[u32]) -> BTreeMap<u32, Vec<usize>> {
        let mut places: BTreeMap<u32, Vec<usize>> = cpus.iter().map(|cpu| (*cpu, Vec::new())).collect();
        for group in (0..self.count.saturating_sub(1)).rev() {
            for (cpu, first) in cpus.iter().zip(self.joined(cpus, group)) {
                places.entry(*cpu).or_default().push(first);
            }
        }
        places
    }

    /// The place in `cpus` of the first processor that each one reaches by pairs of `group` and faster ones.
    fn joined(&self, cpus: &[u32], group: usize) -> Vec<usize> {
        let at: BTreeMap<u32, usize> = cpus.iter().enumerate().map(|(at, cpu)| (*cpu, at)).collect();
        let mut first: Vec<usize> = (0..cpus.len()).collect();
        for (pair, _) in self.groups.iter().filter(|(_, own)| **own <= group) {
            let (Some(a), Some(b)) = (at.get(&pair.0), at.get(&pair.1)) else { continue };
            let (low, high) = (first[*a].min(first[*b]), first[*a].max(first[*b]));
            first.iter_mut().filter(|own| **own == high).for_each(|own| *own = low);
        }
        first
    }

    /// How often pairs of each kind of sharing are in each group.
    fn counts(&self, known: &[Processor]) -> BTreeMap<Sharing, BTreeMap<usize, usize>> {
        let place = |cpu: u32| known.iter().find(|known| known.cpu == cpu);
        let mut counts: BTreeMap<Sharing, BTreeMap<usize, usize>> = BTreeMap::new();
        for ((a, b), group) in &self.groups {
            if let (Some(a), Some(b)) = (place(*a), place(*b)) {
                *counts.entry(Sharing::of(a, b)).or_default().entry(*group).or_default() += 1;
            }
        }
        counts
    }

    /// What the pairs of `group` share by the topology: `same L3 12, across packages 2`.
    pub fn sharing(&self, group: usize, known: &[Processor]) -> String {
        let counts = self.counts(known);
        let own = counts.iter().filter_map(|(sharing, groups)| Some((sharing, groups.get(&group)?)));
        own.map(|(sharing, count)| format!("{} {count}", sharing.words())).collect::<Vec<_>>().join(", ")
    }

    /// Whether pairs that share the same by the topology are of several groups.
    pub fn is_finer(&self, known: &[Processor]) -> bool {
        self.counts(known).values().any(|groups| groups.len() > 1)
    }

    /// Where groups and topology disagree, in sentences, `cpus` in the order of the topology.
    pub fn disagreements(&self, known: &[Processor], cpus: &[u32]) -> Vec<String> {
        let counts = self.counts(known);
        let split = counts.iter().filter(|(_, groups)| groups.len() > 1).map(|(sharing, groups)| {
            let fastest = groups.keys().next().copied().unwrap_or(0);
            let pairs: Vec<String> =
                groups.iter().map(|(group, count)| format!("{count} in group {}", group + 1)).collect();
            format!(
                "The topology calls {} pairs \"{}\", and as measured they are not alike: {}. Near each other are {}; firmware or a hypervisor \
                 may tell less than there is.",
                groups.values().sum::<usize>(),
                sharing.words(),
                pairs.join(", "),
                self.sets(cpus, fastest)
            )
        });
        let merged = (0..self.count).filter_map(|group| {
            let words: Vec<&str> =
                counts.iter().filter(|(_, own)| own.contains_key(&group)).map(|(sharing, _)| sharing.words()).collect();
            let is_merged = words.len() > 1 && !self.is_finer(known);
            is_merged
                .then(|| format!("Time does not tell \"{}\" apart (group {}).", words.join("\" and \""), group + 1))
        });
        split.chain(merged).collect()
    }

    /// The processors that pairs of `group` and faster ones join: `0, 1 | 2, 3`.
    fn sets(&self, cpus: &[u32], group: usize) -> String {
        let mut sets: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (cpu, first) in cpus.iter().zip(self.joined(cpus, group)) {
            sets.entry(first).or_default().push(cpu.to_string());
        }
        let more =
            if sets.len() > SETS_MAX { format!(" and {} sets more", sets.len() - SETS_MAX) } else { String::new() };
        sets.values().take(SETS_MAX).map(|set| set.join(", ")).collect::<Vec<_>>().join(" | ") + &more
    }
}
