//! A machine as one fact a row, and as one JSON object.

use paw_data::machine::hardware::{CacheInstance, Hardware};
use serde_json::{Value, json};

use crate::command::machine::seen::Seen;
use crate::machine_description;
use crate::table::Table;

/// Identity, state, parts and devices in one object.
pub fn json(seen: &Seen) -> String {
    let mut whole = json!(seen.machine);
    whole["hardware"] = json!(seen.hardware);
    format!("{whole:#}\n")
}

/// Identity, state and devices, a fact a row.
pub fn table(seen: &Seen) -> Table {
    let machine = &seen.machine;
    let mut table = Table::new(&["part", "fact", "value"]);
    for (name, value) in json!(machine.identity).as_object().into_iter().flatten() {
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
    let models = hardware.models.iter().map(|model| (format!("processor {}", model.name), json!(model)));
    let threads = hardware.threads.iter().map(|thread| (format!("thread {}", thread.cpu), json!(thread)));
    let first = |cache: &CacheInstance| cache.cpus.first().map(|cpu| format!(" of cpu {cpu}")).unwrap_or_default();
    let caches = hardware.caches.iter().map(|cache| (cache.name() + &first(cache), json!(cache)));
    let nodes = hardware.nodes.iter().map(|node| (format!("node {}", node.number), json!(node)));
    let adapters = hardware.adapters.iter().map(|adapter| (format!("adapter {}", adapter.bus_id), json!(adapter)));
    models.chain(threads).chain(caches).chain(nodes).chain(adapters).collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
