//! A machine as one fact a row, and as one JSON object.

use paw_data::json;
use paw_data::machine::hardware::{CacheInstance, Hardware};
use serde::Serialize;
use serde_json::Value;

use crate::command::machine::seen::Seen;
use crate::machine_description;
use crate::table::Table;

/// Identity, state, parts and devices in one object.
pub fn json(seen: &Seen) -> String {
    let mut whole = value(&seen.machine);
    whole["hardware"] = value(&seen.hardware);
    format!("{whole:#}\n")
}

/// Identity, state and devices, a fact a row.
pub fn table(seen: &Seen) -> Table {
    let machine = &seen.machine;
    let mut table = Table::new(&["part", "fact", "value"]);
    for (name, value) in value(&machine.identity).as_object().into_iter().flatten() {
        let caches = || machine_description::caches(&machine.identity.caches);
        table.row(["identity", name, &if name == "caches" { caches() } else { plain(value) }]);
    }
    for (name, value) in &machine.state {
        table.row(["state", name, value]);
    }
    for device in &machine.devices {
        table.row(["device", &device.id, &device.product]);
    }
    table
}

/// [`table`], and the facts of every part.
pub fn long_table(seen: &Seen) -> Table {
    let mut table = table(seen);
    for (name, part) in parts(&seen.hardware) {
        for (fact, value) in part.as_object().into_iter().flatten() {
            table.row([&name, fact, &plain(value)]);
        }
    }
    table
}

/// The parts of a machine, each with a name.
fn parts(hardware: &Hardware) -> Vec<(String, Value)> {
    let models = hardware.models.iter().map(|model| (format!("processor {}", model.name), value(model)));
    let threads = hardware.threads.iter().map(|thread| (format!("thread {}", thread.cpu), value(thread)));
    let first = |cache: &CacheInstance| cache.cpus.first().map(|cpu| format!(" of cpu {cpu}")).unwrap_or_default();
    let caches = hardware.caches.iter().map(|cache| (cache.name() + &first(cache), value(cache)));
    let nodes = hardware.nodes.iter().map(|node| (format!("node {}", node.number), value(node)));
    let adapters = hardware.adapters.iter().map(|adapter| (format!("adapter {}", adapter.bus_id), value(adapter)));
    models.chain(threads).chain(caches).chain(nodes).chain(adapters).collect()
}

fn value(fact: &impl Serialize) -> Value {
    json::to_value(fact).expect("facts are plain data")
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
