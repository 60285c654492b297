//! `paw machine`: identity, parts, resources of this process, and caveats of the machine.

mod facts;
mod seen;

use paw_machine::environment;
use paw_machine::threads::ThreadRules;
use paw_report::{hardware_boxes, hardware_markdown, hardware_svg, hardware_text};
use paw_suites::device_inventory::DeviceInventory;

use crate::cli::{Format, MachineArgs, MachineFormat};
use crate::command::libraries::device_sentence;
use crate::exit::Code;
use crate::failure::Failure;
use crate::host_facts;
use crate::machine_description;
use crate::print;
use crate::table::wrapped;
use seen::{Origin, Seen};

/// Shows this machine, or one whose files are given.
pub fn machine(args: &MachineArgs) -> Result<Code, Failure> {
    let mut seen = Seen::read(args)?;
    let inventory = if seen.origin == Origin::Host { host_facts::devices()? } else { DeviceInventory::default() };
    seen.machine.devices = inventory.recorded();
    let text = match args.format {
        MachineFormat::Text => text(&seen, &inventory),
        MachineFormat::Json => facts::json(&seen),
        MachineFormat::Csv => facts::long_table(&seen).written(Format::Csv, print::width()),
        MachineFormat::Md => {
            facts::table(&seen).written(Format::Md, print::width()) + &hardware_markdown(&seen.hardware)
        }
        MachineFormat::Svg => hardware_svg(&seen.hardware, &machine_description::title(&seen.machine.identity)),
    };
    print::show(&text)?;
    Ok(Code::Done)
}

fn text(seen: &Seen, inventory: &DeviceInventory) -> String {
    let width = print::width();
    let boxes = hardware_boxes(&seen.hardware, width);
    let tables = hardware_text(&seen.hardware, width, print::colour());
    format!("{}\n{boxes}{tables}\n{}", prose(&head(seen), width), prose(&foot(seen, inventory), width))
}

/// Lines broken between words; further lines of one are indented.
fn prose(text: &str, width: usize) -> String {
    let indent = |line: &str| line.chars().take_while(|c| *c == ' ').count();
    let broken = |line: &str| {
        let lines = wrapped(line.trim_start(), width - indent(line) - 2);
        let lines = lines
            .iter()
            .enumerate()
            .map(|(i, part)| format!("{}{part}\n", " ".repeat(indent(line) + if i == 0 { 0 } else { 2 })));
        lines.collect::<String>()
    };
    text.lines().map(broken).collect()
}

/// What the machine is.
fn head(seen: &Seen) -> String {
    let identity = &seen.machine.identity;
    let mut text = machine_description::identity(identity);
    text += &machine_description::models(&seen.hardware, identity);
    if !identity.isa.is_empty() {
        text += &format!("vector extensions: {}\n", identity.isa.join(" "));
    }
    text
}

/// What may be used of it, and what spoils measurements on it.
fn foot(seen: &Seen, inventory: &DeviceInventory) -> String {
    let identity = &seen.machine.identity;
    let mut text = resources(seen);
    let names = [("host", &identity.host), ("kernel", &identity.kernel), ("fingerprint", &identity.fingerprint)];
    let names = names.iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name} {value}"));
    text += &format!("{}\n", names.collect::<Vec<_>>().join(", "));
    if seen.origin == Origin::Host {
        text += &warnings(seen);
    }
    for note in &seen.topology.notes {
        text += &format!("note: {note}\n");
    }
    text + &devices(inventory)
}

/// What this process, or the one that wrote the files, may use.
fn resources(seen: &Seen) -> String {
    let counts = ThreadRules::new(&seen.topology).topology();
    let counts: Vec<_> = counts.iter().map(|c| format!("{} ({})", c.count, c.rule)).collect();
    let whose = if seen.origin == Origin::Host { "" } else { "captured by a process that " };
    let allowance = machine_description::allowance(&seen.topology);
    format!("{whose}{allowance}thread counts worth a look: {}\n", counts.join(", "))
}

/// Variables and caveats of this process on this machine.
fn warnings(seen: &Seen) -> String {
    let mut text = String::new();
    for (name, value) in environment::captured(&environment::current()) {
        text += &format!("variable that changes results: {name}={value}\n");
    }
    let capped = environment::capping(&environment::current());
    let capped = capped.iter().map(environment::Capping::caveat);
    for caveat in capped.chain(seen.machine.caveats.iter().cloned()) {
        text += &format!("warning: [{}] {}\n  {}\n", caveat.id, caveat.cause, caveat.action);
    }
    text
}

/// A line for each device, or one with the reason why there is none.
fn devices(inventory: &DeviceInventory) -> String {
    let here = inventory.devices().map(|facts| format!("device {}: {}\n", facts.id(), device_sentence(facts)));
    let missing =
        inventory.found().iter().filter_map(|found| found.missing.as_ref()).map(|why| format!("no device: {why}\n"));
    here.chain(missing).collect()
}
