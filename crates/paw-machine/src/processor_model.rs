//! What processors say they are: name, family, model, stepping, microcode; and the name of their design.

use std::collections::BTreeMap;

use paw_data::machine::hardware::ProcessorModel;

use crate::cpuinfo::{CpuInfo, arm_name, arm_numbers};
use crate::microarchitecture;

/// The models of a machine, each with the hardware threads that say so, by their first one.
pub fn models(cpuinfo: &CpuInfo) -> Vec<ProcessorModel> {
    let mut models: Vec<ProcessorModel> = Vec::new();
    for block in &cpuinfo.blocks {
        // On s390 and old Arm kernels `processor` also names the model.
        let Some(cpu) = block.get("processor").and_then(|text| text.parse::<u32>().ok()) else { continue };
        let seen = model(block);
        match models.iter_mut().find(|known| ProcessorModel { cpus: Vec::new(), ..(*known).clone() } == seen) {
            Some(known) => known.cpus.push(cpu),
            None => models.push(ProcessorModel { cpus: vec![cpu], ..seen }),
        }
    }
    models
}

type Block = BTreeMap<String, String>;

fn model(block: &Block) -> ProcessorModel {
    let text = |key: &str| block.get(key).cloned().unwrap_or_default();
    match arm_numbers(block) {
        Some((implementer, part)) => arm(implementer, part, block),
        None if block.contains_key("cpu family") => x86(block),
        None => {
            // LoongArch, POWER and RISC-V say a name alone.
            let name = ["Model Name", "cpu", "uarch"].iter().find_map(|key| block.get(*key)).cloned();
            let design = text("uarch");
            ProcessorModel { name: name.unwrap_or_default(), microarchitecture: design, ..ProcessorModel::default() }
        }
    }
}

fn arm(implementer: u32, part: u32, block: &Block) -> ProcessorModel {
    let design = arm_name(implementer, part).or_else(|| microarchitecture::arm(implementer, part)).unwrap_or_default();
    let number = |key: &str, digits: &str, radix| {
        block.get(key).and_then(|text| u32::from_str_radix(text.trim_start_matches(digits), radix).ok())
    };
    let stepping = match (number("CPU variant", "0x", 16), number("CPU revision", "", 10)) {
        (Some(variant), Some(revision)) => format!("r{variant}p{revision}"),
        _ => String::new(),
    };
    let name = block.get("model name").cloned().unwrap_or_else(|| design.to_owned());
    ProcessorModel {
        name,
        vendor: format!("{implementer:#04x}"),
        microarchitecture: design.to_owned(),
        model: Some(part),
        stepping,
        ..ProcessorModel::default()
    }
}

fn x86(block: &Block) -> ProcessorModel {
    let text =
        |key: &str| block.get(key).map(|t| t.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default();
    let number = |key: &str| block.get(key).and_then(|text| text.parse::<u32>().ok());
    let (family, model) = (number("cpu family"), number("model"));
    let mut seen = ProcessorModel {
        name: text("model name"),
        vendor: text("vendor_id"),
        family,
        model,
        stepping: text("stepping"),
        microcode: text("microcode"),
        ..ProcessorModel::default()
    };
    seen.microarchitecture = design(&seen).to_owned();
    seen
}

/// The name of an x86 design, by its numbers; empty if unknown.
pub fn design(seen: &ProcessorModel) -> &'static str {
    let (Some(family), Some(model)) = (seen.family, seen.model) else { return "" };
    let stepping = seen.stepping.parse().unwrap_or(0);
    microarchitecture::x86(&seen.vendor, family, model, stepping).unwrap_or_default()
}
