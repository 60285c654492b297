//! Which logical processors are hardware threads of one core.

use crate::cpuset::CpuSet;
use crate::topology::Core;
use crate::topology::logical::Logical;

/// For each processor the index of its core; cores are numbered by their first processor.
pub fn group(logicals: &[Logical], package_of: &[usize]) -> Vec<usize> {
    let mut core_of = vec![usize::MAX; logicals.len()];
    let mut cores = 0;
    for first in 0..logicals.len() {
        if core_of[first] != usize::MAX {
            continue;
        }
        for other in first..logicals.len() {
            let free = core_of[other] == usize::MAX;
            if other == first
                || free && package_of[other] == package_of[first] && together(&logicals[first], &logicals[other])
            {
                core_of[other] = cores;
            }
        }
        cores += 1;
    }
    core_of
}

/// Whether two processors of a package are threads of one core.
///
/// Sibling lists decide, but siblings with different core numbers are the paired cores of AMD's family 15h,
/// which share a front end and are cores all the same. Without lists the numbers decide.
fn together(a: &Logical, b: &Logical) -> bool {
    let same_number = a.core_id == b.core_id;
    if !a.threads.is_empty() {
        return a.threads.contains(b.number) && same_number;
    }
    a.core_id.is_some() && same_number && a.die_id == b.die_id && a.cluster_id == b.cluster_id
}

/// The cores; all have the kind 0 until kinds are assigned.
pub fn cores(logicals: &[Logical], core_of: &[usize], package_of: &[usize]) -> Vec<Core> {
    let mut cores = vec![Core::default(); core_of.iter().max().map_or(0, |last| last + 1)];
    for ((logical, core), package) in logicals.iter().zip(core_of).zip(package_of) {
        let core = &mut cores[*core];
        if core.cpus.is_empty() {
            *core = Core {
                id: logical.core_id,
                package: *package,
                die: logical.die_id,
                cluster: logical.cluster_id,
                cpus: CpuSet::new(),
                kind: 0,
            };
        }
        core.cpus.insert(logical.number);
    }
    cores
}
