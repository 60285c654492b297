//! A machine as text: identity, structure, and the resources of this process.

use paw_data::machine::hardware::{Hardware, ProcessorModel};
use paw_data::machine::{CacheLevel, Identity};
use paw_machine::cpuset::CpuSet;
use paw_machine::topology::Topology;

use crate::amount::{binary, counted};

/// The machine's identity in two lines.
pub fn identity(identity: &Identity) -> String {
    let virtual_machine = match identity.hypervisor.as_str() {
        "" => String::new(),
        name => format!(", virtual machine ({name})"),
    };
    let counts = [
        counted(identity.packages, "package"),
        counted(identity.cores, "core"),
        counted(identity.threads, "hardware thread"),
        counted(identity.numa_nodes, "memory node"),
    ];
    let with = |mark: &str, text: &str| if text.is_empty() { String::new() } else { format!("{mark}{text}") };
    let first = format!("{}{}{virtual_machine}", identity.cpu, with(", ", &identity.arch));
    let (memory, os) = (memory(identity), with("; ", &identity.os));
    format!("{first}\n{}, {memory}{os}\n", counts.join(", "))
}

fn memory(identity: &Identity) -> String {
    if identity.memory_bytes == 0 {
        "memory unknown".to_owned()
    } else {
        format!("{} of memory", binary(identity.memory_bytes))
    }
}

/// `L2 1 MiB × 2`, for every level.
pub fn caches(levels: &[CacheLevel]) -> String {
    let one = |cache: &CacheLevel| {
        let times = if cache.instances > 1 { format!(" × {}", cache.instances) } else { String::new() };
        format!("L{}{} {}{times}", cache.level, letter(&cache.kind), binary(cache.size_bytes))
    };
    levels.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What the processors say they are: design, numbers, microcode; a line for each kind.
pub fn models(hardware: &Hardware, identity: &Identity) -> String {
    let several = hardware.models.len() > 1;
    let line = |model: &ProcessorModel| {
        let design = match (model.microarchitecture.as_str(), several) {
            ("", false) => "design unknown".to_owned(),
            (design, false) => design.to_owned(),
            (design, true) if design.is_empty() || model.name == design => model.name.clone(),
            (design, true) => format!("{}, {design}", model.name),
        };
        let number =
            |name: &str, value: Option<u32>| value.map(|value| format!("{name} {value}{}", hexadecimal(value)));
        let word = |name: &str, value: &str| (!value.is_empty()).then(|| format!("{name} {value}"));
        let shown = if identity.hypervisor.is_empty() { "" } else { " (as the hypervisor shows it)" };
        let facts = [
            number("family", model.family),
            number(if model.family.is_some() { "model" } else { "part" }, model.model),
            word("stepping", &model.stepping),
            word("microcode", &model.microcode).map(|fact| fact + shown),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let where_ =
            if several { format!(", cpu {}", model.cpus.iter().copied().collect::<CpuSet>()) } else { String::new() };
        let colon = if facts.is_empty() { "" } else { ": " };
        format!("{design}{colon}{}{where_}\n", facts.join(", "))
    };
    hardware.models.iter().map(line).collect()
}

/// A number as vendors' tables have it, where that differs.
fn hexadecimal(number: u32) -> String {
    if number < 10 { String::new() } else { format!(" ({number:#x})") }
}

/// The machine in a line: processor and counts.
pub fn title(identity: &Identity) -> String {
    let counts = [
        counted(identity.packages, "package"),
        counted(identity.cores, "core"),
        counted(identity.threads, "hardware thread"),
        memory(identity),
    ];
    format!("{}: {}", identity.cpu, counts.join(", "))
}

/// The resources of this process: processors, quota, memory.
pub fn allowance(topology: &Topology) -> String {
    let allowed = topology.allowed();
    let mut text = format!("may use: cpu {allowed}");
    if topology.memory.total_bytes > 0 || topology.allowance.memory.is_some() {
        text += &format!(", {} of memory", binary(topology.effective_memory_bytes()));
    }
    if let Some(quota) = &topology.allowance.quota {
        text += &format!(", {} processors' worth of time ({})", quota.cpus, quota.path);
    }
    text + "\n"
}

fn letter(kind: &str) -> &'static str {
    match kind {
        "data" => "d",
        "instruction" => "i",
        _ => "",
    }
}
