//! The host in words, and what differs between two hosts.

use std::collections::BTreeSet;

use paw_data::machine::{CacheLevel, Device, Identity, Machine};
use paw_data::quantity::Quantity;
use paw_data::run::Run;

use crate::latency::data_caches;
use crate::number::{self, plural, size};

/// The identity as named facts, those unknown left out.
pub fn named_facts(identity: &Identity) -> Vec<(&'static str, String)> {
    let count = |n: u32, what: &str| if n > 0 { plural(n as usize, what) } else { String::new() };
    let cores = [count(identity.packages, "package"), count(identity.cores, "core")];
    let cores = [cores.join(", "), count(identity.threads, "hardware thread")].join(", ");
    let instances = |c: &CacheLevel| format!("L{} {} × {}", c.level, size(c.size_bytes as f64), c.instances.max(1));
    let memory = if identity.memory_bytes > 0 { size(identity.memory_bytes as f64) } else { String::new() };
    let nodes = if identity.numa_nodes > 1 { format!(" in {} NUMA nodes", identity.numa_nodes) } else { String::new() };
    let all = [
        ("Processor", identity.cpu.clone()),
        ("Architecture", identity.arch.clone()),
        ("Cores", if identity.threads > 0 { cores } else { String::new() }),
        ("Caches", data_caches(identity).into_iter().map(instances).collect::<Vec<_>>().join(", ")),
        ("Memory", if memory.is_empty() { memory } else { memory + &nodes }),
        ("System", [identity.os.as_str(), identity.kernel.as_str()].join(" ").trim().to_owned()),
        ("Hypervisor", identity.hypervisor.clone()),
        ("Fingerprint", identity.fingerprint.clone()),
        ("Extensions", identity.isa.join(" ")),
    ];
    all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// Name and description of each device of `run`'s machine that was measured, or of all where none was.
pub fn device_facts(run: &Run) -> Vec<(String, String)> {
    let words = |device: &Device| {
        let memory =
            format!("{} memory{}", size(device.memory_bytes as f64), if device.unified { " of the host" } else { "" });
        let link =
            device.link_bytes_s.map(|rate| format!(", {} at most", number::quantity(rate, Quantity::Bytes, None)));
        let parts = [
            device.product.clone(),
            if device.memory_bytes > 0 { memory } else { String::new() },
            device.bus_id.clone(),
            format!("{}{}", device.link, link.unwrap_or_default()),
            device.api.clone(),
            if device.driver.is_empty() { String::new() } else { format!("driver {}", device.driver) },
        ];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    };
    let all = &run.header.machine.devices;
    let measured = run.records.iter().filter(|record| !record.samples.elapsed_s.is_empty());
    let providers: BTreeSet<&str> = measured.map(|record| record.cell.provider.as_str()).collect();
    let named: BTreeSet<String> = providers.into_iter().flat_map(members).collect();
    let is_measured = |device: &&Device| named.contains(&device.id);
    let any = all.iter().any(|device| is_measured(&device));
    all.iter().filter(|device| !any || is_measured(device)).map(|device| (device.id.clone(), words(device))).collect()
}

/// The devices that a provider names: `cuda0` and `cuda1` of `cuda0+1`.
pub fn members(provider: &str) -> Vec<String> {
    let mut parts = provider.split('+');
    let first = parts.next().unwrap_or_default();
    let backend = first.trim_end_matches(|c: char| c.is_ascii_digit());
    std::iter::once(first.to_owned()).chain(parts.map(|index| format!("{backend}{index}"))).collect()
}

/// A command line, quoted for a shell.
pub fn command_line(argv: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@%+".contains(c);
    let word = |w: &String| {
        if !w.is_empty() && w.chars().all(plain) { w.clone() } else { format!("'{}'", w.replace('\'', r"'\''")) }
    };
    argv.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// The identity as short facts, those unknown left out.
pub fn facts(identity: &Identity) -> Vec<String> {
    let mut facts: Vec<String> =
        [&identity.cpu, &identity.arch].into_iter().filter(|s| !s.is_empty()).cloned().collect();
    if identity.threads > 0 {
        let packages = plural(identity.packages as usize, "package");
        let cores = plural(identity.cores as usize, "core");
        facts.push(format!("{packages}, {cores}, {}", plural(identity.threads as usize, "hardware thread")));
    }
    let caches = data_caches(identity);
    facts.extend(caches.iter().map(|c| format!("L{} {}", c.level, size(c.size_bytes as f64))));
    if identity.memory_bytes > 0 {
        facts.push(format!("{} memory", size(identity.memory_bytes as f64)));
    }
    let rest = [&identity.hypervisor, &identity.os, &identity.kernel];
    facts.extend(rest.into_iter().filter(|s| !s.is_empty()).cloned());
    facts
}

/// Whether nothing is recorded of a machine, as of that of an imported run.
pub fn is_unknown(identity: &Identity) -> bool {
    facts(identity).is_empty() && identity.fingerprint.is_empty()
}

/// The differences of two identities, as `cpu: A ≠ B`; host names may differ.
pub fn identity_differences(a: &Identity, b: &Identity) -> Vec<String> {
    let list = |items: Vec<String>| items.join(", ");
    let count = |n: u32| if n > 0 { n.to_string() } else { String::new() };
    let memory = |i: &Identity| if i.memory_bytes > 0 { size(i.memory_bytes as f64) } else { String::new() };
    let caches = |i: &Identity| {
        list(data_caches(i).iter().map(|c| format!("L{} {}", c.level, size(c.size_bytes as f64))).collect())
    };
    let rows: [(&str, String, String); 12] = [
        ("cpu", a.cpu.clone(), b.cpu.clone()),
        ("arch", a.arch.clone(), b.arch.clone()),
        ("isa", list(a.isa.clone()), list(b.isa.clone())),
        ("packages", count(a.packages), count(b.packages)),
        ("cores", count(a.cores), count(b.cores)),
        ("threads", count(a.threads), count(b.threads)),
        ("NUMA nodes", count(a.numa_nodes), count(b.numa_nodes)),
        ("caches", caches(a), caches(b)),
        ("memory", memory(a), memory(b)),
        ("os", a.os.clone(), b.os.clone()),
        ("kernel", a.kernel.clone(), b.kernel.clone()),
        ("hypervisor", a.hypervisor.clone(), b.hypervisor.clone()),
    ];
    rows.iter().filter(|(_, a, b)| a != b).map(|(name, a, b)| difference(name, a, b)).collect()
}

/// Readings of the state that two machines disagree on.
pub fn state_differences(a: &Machine, b: &Machine) -> Vec<String> {
    let names: BTreeSet<&String> = a.state.keys().chain(b.state.keys()).collect();
    let read = |machine: &Machine, name: &String| machine.state.get(name).cloned().unwrap_or_default();
    let rows = names.into_iter().map(|name| (name, read(a, name), read(b, name)));
    rows.filter(|(_, a, b)| a != b).map(|(name, a, b)| difference(name, &a, &b)).collect()
}

/// `name: a ≠ b`, with a word where one of them is missing.
pub fn difference(name: &str, a: &str, b: &str) -> String {
    let word = |text: &str| if text.is_empty() { "not known".to_owned() } else { text.to_owned() };
    format!("{name}: {} ≠ {}", word(a), word(b))
}

#[cfg(test)]
mod tests {
    use super::members;

    #[test]
    fn a_device_is_among_those_that_a_provider_names() {
        let is_among = |id: &str, provider: &str| members(provider).iter().any(|member| member == id);
        assert!(["opencl1", "opencl0+1", "opencl0+1+2"].iter().all(|provider| is_among("opencl1", provider)));
        assert!(
            ["opencl0", "cuda1", "cuda0+1", "opencl11", "opencl0+11", ""]
                .iter()
                .all(|provider| !is_among("opencl1", provider))
        );
    }
}
