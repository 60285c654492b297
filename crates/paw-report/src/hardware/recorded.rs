//! The parts of a machine by what a run recorded of it.

use std::collections::BTreeMap;

use paw_data::machine::hardware::{CacheInstance, Hardware, HardwareThread};
use paw_data::machine::{CacheLevel, Machine, Processor};

/// The parts that `machine` tells of; `None` where it does not say where its processors lie.
pub fn recorded(machine: &Machine) -> Option<Hardware> {
    if machine.processors.is_empty() {
        return None;
    }
    let levels = machine.identity.caches.iter();
    let nodes = machine.nodes.clone();
    let threads = machine.processors.iter().map(thread).collect();
    Some(Hardware {
        threads,
        caches: levels.flat_map(|level| caches(level, machine)).collect(),
        nodes,
        ..Hardware::default()
    })
}

fn thread(processor: &Processor) -> HardwareThread {
    let Processor { cpu, core, package, node, .. } = *processor;
    HardwareThread { cpu, core, package, node, available: true, ..HardwareThread::default() }
}

/// The caches of a level; none where they are not as many as the machine says, since their sizes may differ then.
fn caches(level: &CacheLevel, machine: &Machine) -> Vec<CacheInstance> {
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for processor in &machine.processors {
        let first = match level.level {
            1 => Some(processor.core),
            2 => processor.l2,
            3 => processor.l3,
            _ => None,
        };
        if let Some(first) = first {
            groups.entry(first).or_default().push(processor.cpu);
        }
    }
    let is_told = groups.len() == level.instances as usize;
    let cache = |cpus: Vec<u32>| CacheInstance {
        level: level.level,
        kind: level.kind.clone(),
        size_bytes: level.size_bytes,
        cpus,
        ..CacheInstance::default()
    };
    if is_told { groups.into_values().map(cache).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use paw_data::machine::{CacheLevel, Machine, Processor};

    use super::recorded;

    /// Two packages of two cores with two hardware threads each, and an L3 for each package.
    fn machine() -> Machine {
        let place = |cpu: u32| {
            let package = cpu / 4;
            Processor { cpu, core: cpu / 2, l2: Some(cpu & !1), l3: Some(4 * package), package, node: None }
        };
        let level = |level: u32, kind: &str, instances: u32| CacheLevel {
            level,
            kind: kind.to_owned(),
            size_bytes: 1 << (15 + 5 * level),
            instances,
            shared_by: 8 / instances,
        };
        let mut machine = Machine { processors: (0..8).map(place).collect(), ..Machine::default() };
        machine.identity.caches = vec![level(1, "data", 4), level(2, "unified", 4), level(3, "unified", 2)];
        machine
    }

    #[test]
    fn what_holds_what_follows_from_the_record() {
        let hardware = recorded(&machine()).expect("processors are placed");
        let told = |cache: &paw_data::machine::hardware::CacheInstance| format!("{} {:?}", cache.name(), cache.cpus);
        let caches: Vec<String> = hardware.caches.iter().map(told).collect();
        assert_eq!(caches.len(), 10);
        assert_eq!([&caches[0], &caches[5], &caches[9]], ["L1d [0, 1]", "L2 [2, 3]", "L3 [4, 5, 6, 7]"]);
        assert_eq!((hardware.threads.len(), hardware.threads[5].core, hardware.threads[5].package), (8, 2, 1));
    }

    #[test]
    fn caches_that_do_not_add_up_are_left_out_and_a_machine_without_places_is_not_drawn() {
        let mut machine = machine();
        machine.identity.caches[2].instances = 4;
        assert!(recorded(&machine).expect("processors are placed").caches.iter().all(|cache| cache.level < 3));
        machine.processors.clear();
        assert_eq!(recorded(&machine), None);
    }
}
