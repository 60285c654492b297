//! Which logical processors share a package.

use std::collections::BTreeSet;

use crate::cpuset::CpuSet;
use crate::topology::Package;
use crate::topology::logical::Logical;

/// For each processor the index of its package; packages are numbered by their first processor.
///
/// The sets of siblings decide where they make sense, since numbers may be missing (−1 on s390 and POWER)
/// or given twice by broken firmware; else the numbers decide.
pub fn group(logicals: &[Logical], notes: &mut Vec<String>) -> Vec<usize> {
    let told = logicals.iter().any(|l| !l.package_cpus.is_empty());
    let whole = is_partition(logicals);
    if told && !whole {
        notes.push(
            "the kernel's lists of processors in a package contradict each other: package numbers are used".to_owned(),
        );
    }
    let key = |l: &Logical| if whole { (None, l.package_cpus.first()) } else { (l.package_id, None) };
    let mut keys: Vec<(Option<i64>, Option<u32>)> = Vec::new();
    let index = |l: &Logical| {
        let key = key(l);
        keys.iter().position(|k| *k == key).unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        })
    };
    logicals.iter().map(index).collect()
}

/// Whether the sets of siblings are there for every processor and do not overlap.
fn is_partition(logicals: &[Logical]) -> bool {
    let sets: BTreeSet<&CpuSet> = logicals.iter().map(|l| &l.package_cpus).collect();
    // Sets that cover all processors and have no more members than there are processors are disjoint.
    let covered = logicals.iter().all(|l| l.package_cpus.contains(l.number));
    covered && sets.iter().map(|set| set.len()).sum::<usize>() == logicals.len()
}

/// The packages, still without their cores.
pub fn packages(logicals: &[Logical], package_of: &[usize]) -> Vec<Package> {
    let mut packages = vec![Package::default(); package_of.iter().max().map_or(0, |last| last + 1)];
    for (logical, index) in logicals.iter().zip(package_of) {
        packages[*index].id = packages[*index].id.or(logical.package_id);
        packages[*index].cpus.insert(logical.number);
    }
    packages
}
