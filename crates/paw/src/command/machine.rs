//! `paw machine`: identity, structure, resources of this process, and caveats of the machine.

use paw_data::machine::Machine;
use paw_machine::caveats::caveats;
use paw_machine::environment;
use paw_machine::identity::machine as look;
use paw_machine::root::Root;
use paw_machine::threads::ThreadRules;
use paw_machine::topology::Topology;
use paw_suites::device_inventory::DeviceInventory;

use crate::cli::{Format, MachineArgs};
use crate::command::libraries::device_sentence;
use crate::exit::Code;
use crate::failure::Failure;
use crate::host_facts;
use crate::machine_description;
use crate::print;
use crate::table::Table;

/// Shows this machine.
pub fn machine(args: &MachineArgs) -> Result<Code, Failure> {
    let root = Root::host();
    let topology = Topology::read(&root).map_err(|error| Failure::io(error.to_string()))?;
    let mut machine = look(&root, &topology);
    let inventory = host_facts::devices()?;
    machine.devices = inventory.recorded();
    let text = match args.format {
        Format::Text => text(&machine, &topology) + &devices(&inventory),
        Format::Json => format!("{:#}\n", serde_json::json!(machine)),
        Format::Csv | Format::Md => facts(&machine).written(args.format, print::width()),
    };
    print::show(&text)?;
    Ok(Code::Done)
}

fn text(machine: &Machine, topology: &Topology) -> String {
    let identity = &machine.identity;
    let counts = ThreadRules::new(topology).topology();
    let counts: Vec<_> = counts.iter().map(|c| format!("{} ({})", c.count, c.rule)).collect();
    let mut text = machine_description::identity(identity);
    text += &format!("vector extensions: {}\n\n", identity.isa.join(" "));
    text += &machine_description::structure(topology);
    text += &machine_description::allowance(topology);
    text += &format!("thread counts worth a look: {}\n\n", counts.join(", "));
    text += &format!("host {}, kernel {}, fingerprint {}\n", identity.host, identity.kernel, identity.fingerprint);
    for (name, value) in environment::captured(&environment::current()) {
        text += &format!("variable that changes results: {name}={value}\n");
    }
    for caveat in caveats(topology, &machine.state, &environment::current()) {
        text += &format!("warning: [{}] {}\n  {}\n", caveat.id, caveat.cause, caveat.action);
    }
    for note in &topology.notes {
        text += &format!("note: {note}\n");
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

/// Identity, state and devices, one fact per row.
fn facts(machine: &Machine) -> Table {
    let mut table = Table::new(&["part", "fact", "value"]);
    let identity = serde_json::json!(machine.identity);
    for (name, value) in identity.as_object().into_iter().flatten() {
        let plain = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let written = if name == "caches" { machine_description::caches(&machine.identity.caches) } else { plain };
        table.row(["identity", name, &written]);
    }
    for (name, value) in &machine.state {
        table.row(["state", name, value]);
    }
    for device in &machine.devices {
        table.row(["device", &device.id, &device.product]);
    }
    table
}
