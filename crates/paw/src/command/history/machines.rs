//! The machines of a history, and the one that is looked at.

use std::collections::BTreeMap;

use paw_data::history::RunDigest;

use crate::amount::counted;
use crate::failure::Failure;
use crate::host_facts;

/// The entries of one machine.
#[derive(Debug)]
pub struct MachineEntries<'e> {
    /// Its hash; empty where the processor is not known, as of imported runs.
    pub hash: String,
    /// Its entries, the oldest first.
    pub entries: Vec<&'e RunDigest>,
}

impl MachineEntries<'_> {
    /// The machine in words: hosts, processor, hash, runs.
    pub fn title(&self) -> String {
        let mut hosts: Vec<&str> = self.entries.iter().map(|entry| entry.identity.host.as_str()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts.retain(|host| !host.is_empty());
        let hosts = if hosts.len() > 3 { counted(hosts.len() as u64, "host") } else { hosts.join(", ") };
        let cpu = self.entries.last().map_or("", |entry| entry.identity.cpu.as_str());
        let hash = if self.hash.is_empty() {
            "a machine that is not known".to_owned()
        } else {
            format!("machine {}", self.hash)
        };
        let runs = counted(self.entries.len() as u64, "run");
        [hosts.as_str(), cpu, &hash, &runs].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    }

    fn is_called(&self, name: &str) -> bool {
        let is_prefix = !name.is_empty() && self.hash.starts_with(name);
        is_prefix || self.entries.iter().any(|e| e.identity.host == name || e.identity.fingerprint == name)
    }
}

/// The machine called `name`; without a name this one, or the only one there is.
pub fn chosen<'e>(entries: &'e [RunDigest], name: Option<&str>) -> Result<MachineEntries<'e>, Failure> {
    let mut machines = machines(entries);
    let all = machines.iter().map(|machine| format!("  {}", machine.title())).collect::<Vec<_>>().join("\n");
    let at = match name {
        Some(name) => machines.iter().position(|machine| machine.is_called(name)).ok_or_else(|| {
            Failure::nothing(format!("the history has no machine `{name}`")).hint(format!("it has\n{all}"))
        })?,
        None if machines.len() == 1 => 0,
        None => {
            let here = host_facts::read().map(|facts| facts.machine.identity.hardware()).unwrap_or_default();
            machines.iter().position(|machine| !here.is_empty() && machine.hash == here).ok_or_else(|| {
                Failure::nothing("the history has several machines, and this is none of them")
                    .hint(format!("choose one with --machine HOST or its hash:\n{all}"))
            })?
        }
    };
    Ok(machines.swap_remove(at))
}

/// The machines of `entries`.
pub fn machines(entries: &[RunDigest]) -> Vec<MachineEntries<'_>> {
    let mut by_hash: BTreeMap<String, Vec<&RunDigest>> = BTreeMap::new();
    for entry in entries {
        by_hash.entry(entry.machine()).or_default().push(entry);
    }
    by_hash
        .into_iter()
        .map(|(hash, mut entries)| {
            entries.sort_by(|a, b| (&a.utc, &a.run).cmp(&(&b.utc, &b.run)));
            MachineEntries { hash, entries }
        })
        .collect()
}
