//! Names and numbers in hwloc's XML: processor, host, adapters.

use paw_data::machine::hardware::{Adapter, Hardware, ProcessorModel};
use paw_data::machine::{Identity, Machine};
use roxmltree::Node;

use super::object::{Object, info};
use super::of;
use crate::adapter;
use crate::hardware::parts;
use crate::identity;
use crate::processor_model;
use crate::topology::Topology;

/// The machine's identity, as far as the file tells, and where its processors lie.
pub fn machine(root: Node<'_, '_>, objects: &[Object<'_, '_>], topology: &Topology) -> Machine {
    // hwloc 3 writes what concerns the whole machine beside the objects.
    let whole = of(objects, "Machine").next().map(|object| object.node);
    let fact = |name| whole.and_then(|node| info(node, name)).or_else(|| info(root, name)).unwrap_or_default();
    let models = models(root, objects, topology);
    let mut names: Vec<String> = Vec::new();
    for model in models.iter().map(named).filter(|name| !name.is_empty()) {
        if !names.contains(&model) {
            names.push(model);
        }
    }
    let cpu = if names.is_empty() { "unknown processor".to_owned() } else { names.join(" + ") };
    let identity = Identity {
        host: fact("HostName").to_owned(),
        cpu,
        arch: fact("Architecture").to_owned(),
        packages: topology.packages.len() as u32,
        cores: topology.cores.len() as u32,
        threads: topology.cpus.len() as u32,
        numa_nodes: topology.nodes.iter().filter(|n| n.visible_bytes > 0).count().max(1) as u32,
        caches: identity::cache_levels(topology),
        memory_bytes: topology.memory.total_bytes,
        os: fact("OSName").to_owned(),
        kernel: fact("OSRelease").to_owned(),
        ..Identity::default()
    };
    Machine { identity, processors: identity::processors(topology), ..Machine::default() }
}

/// The processor's own name, or that of its design.
fn named(model: &ProcessorModel) -> String {
    if model.name.is_empty() { model.microarchitecture.clone() } else { model.name.clone() }
}

/// The machine's parts.
pub fn hardware(root: Node<'_, '_>, objects: &[Object<'_, '_>], topology: &Topology) -> Hardware {
    Hardware {
        models: models(root, objects, topology),
        adapters: of(objects, "PCIDev").filter_map(|object| adapter_of(object, topology)).collect(),
        ..parts(topology)
    }
}

/// A model for each package that says one; hwloc 1 says it of the machine.
fn models(root: Node<'_, '_>, objects: &[Object<'_, '_>], topology: &Topology) -> Vec<ProcessorModel> {
    let mut models: Vec<ProcessorModel> = Vec::new();
    let packages = of(objects, "Package").chain(of(objects, "Socket"));
    let said = packages.map(|object| (model(object.node), object.cpus.iter().collect::<Vec<u32>>()));
    let everything: Vec<u32> = topology.online().iter().collect();
    let whole = of(objects, "Machine").next().map_or(root, |object| object.node);
    for (seen, cpus) in said.chain([(model(whole), everything)]) {
        let is_said = seen != ProcessorModel::default();
        let known = models.iter_mut().find(|known| ProcessorModel { cpus: Vec::new(), ..(*known).clone() } == seen);
        match known {
            Some(known) if is_said => {
                known.cpus.extend(cpus.iter().filter(|cpu| !known.cpus.contains(cpu)).copied().collect::<Vec<_>>())
            }
            None if is_said => models.push(ProcessorModel { cpus, ..seen }),
            _ => {}
        }
    }
    models
}

fn model(node: Node<'_, '_>) -> ProcessorModel {
    let text = |name| info(node, name).unwrap_or_default();
    let number = |name| info(node, name).and_then(|text| text.parse().ok());
    let mut seen = ProcessorModel {
        name: text("CPUModel").split_whitespace().collect::<Vec<_>>().join(" "),
        vendor: text("CPUVendor").to_owned(),
        family: number("CPUFamilyNumber"),
        model: number("CPUModelNumber"),
        stepping: text("CPUStepping").to_owned(),
        ..ProcessorModel::default()
    };
    seen.microarchitecture = processor_model::design(&seen).to_owned();
    seen
}

/// An adapter; `None` where its class is none that is shown.
fn adapter_of(object: &Object<'_, '_>, topology: &Topology) -> Option<Adapter> {
    // `0200 [8086:1572] [...] 01`: class, then vendor and device.
    let mut words = object.node.attribute("pci_type")?.split([' ', '[', ']']).filter(|word| !word.is_empty());
    let class = adapter::class(words.next()?)?;
    let names = object.node.children().filter(|n| n.attribute("type") == Some("OSDev"));
    // Around a device that hangs on the whole machine no processor is nearer than another.
    let near = object.place().filter(|place| place.kind != "Machine").map(|place| place.cpus).unwrap_or_default();
    let node = topology.nodes.iter().find(|node| !near.is_empty() && node.cpus == near).map(|node| node.number);
    let speed = object.node.attribute("pci_link_speed").and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    Some(Adapter {
        bus_id: object.node.attribute("pci_busid").unwrap_or_default().to_owned(),
        class: class.to_owned(),
        id: words.next().unwrap_or_default().to_owned(),
        names: names.filter_map(|n| n.attribute("name")).map(str::to_owned).collect(),
        node,
        cpus: near.iter().collect(),
        link: if speed > 0.0 { format!("{speed:.1} GB/s") } else { String::new() },
    })
}
