//! The machines of a history, and the one that is looked at.

use std::collections::BTreeMap;

use paw_data::history::RunDigest;
use paw_data::machine::Identity;
use paw_sort::OrderBy;

use crate::amount::counted;
use crate::cli::HistoryArgs;
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
        let begins = |hash: &str| !name.is_empty() && hash.starts_with(name);
        let is_of =
            |identity: &Identity| identity.host == name || identity.fingerprint == name || begins(&identity.hardware());
        begins(&self.hash) || self.entries.iter().any(|entry| is_of(&entry.identity))
    }

    fn is(&self, here: &Identity, by: Sameness) -> bool {
        let hash = by.hash(here);
        !hash.is_empty() && self.entries.iter().any(|entry| by.hash(&entry.identity) == hash)
    }
}

/// What makes two runs runs of one machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sameness {
    /// Hardware and host name.
    Host,
    /// Hardware alone: nodes that are alike are one.
    Hardware,
}

impl Sameness {
    /// What the flags ask for.
    pub fn of(args: &HistoryArgs) -> Self {
        if args.alike { Self::Hardware } else { Self::Host }
    }

    fn hash(self, identity: &Identity) -> String {
        match self {
            Self::Host => identity.machine(),
            Self::Hardware => identity.hardware(),
        }
    }

    /// What tells machines apart, also where the processor is not known.
    fn key(self, identity: &Identity) -> (String, &str) {
        let host = if self == Self::Host { identity.host.as_str() } else { "" };
        (self.hash(identity), host)
    }
}

/// The machine called `name`; without a name this one, or the only one there is.
pub fn chosen<'e>(entries: &'e [RunDigest], name: Option<&str>, by: Sameness) -> Result<MachineEntries<'e>, Failure> {
    let machines = machines(entries, by);
    let all = machines.iter().map(|machine| format!("  {}", machine.title())).collect::<Vec<_>>().join("\n");
    let mut found = machines;
    match name {
        Some(name) => found.retain(|machine| machine.is_called(name)),
        None if found.len() == 1 => {}
        None => {
            let here = host_facts::read().map(|facts| facts.machine.identity).unwrap_or_default();
            let alike = found.iter().filter(|machine| machine.is(&here, Sameness::Hardware)).count();
            found.retain(|machine| machine.is(&here, by));
            if found.is_empty() {
                return Err(elsewhere(alike, &all));
            }
        }
    }
    match (found.pop(), found.len()) {
        (Some(machine), 0) => Ok(machine),
        (None, _) => {
            let name = name.unwrap_or_default();
            Err(Failure::nothing(format!("the history has no machine `{name}`")).hint(format!("it has\n{all}")))
        }
        (Some(last), _) => Err(several(name.unwrap_or_default(), found.into_iter().chain([last]))),
    }
}

/// No entry is of this machine.
fn elsewhere(alike: usize, all: &str) -> Failure {
    let way = "choose one with --machine HOST or its hash";
    let hint = match alike {
        0 => format!("{way}:\n{all}"),
        n => format!("{way}, or with --alike all that have this hardware ({n}):\n{all}"),
    };
    Failure::nothing("the history has several machines, and this is none of them").hint(hint)
}

fn several<'e>(name: &str, found: impl Iterator<Item = MachineEntries<'e>>) -> Failure {
    let titles: Vec<String> = found.map(|machine| format!("  {}", machine.title())).collect();
    Failure::nothing(format!("the history has several machines called `{name}`")).hint(format!(
        "choose one with --machine and its hash; --alike takes those with the same hardware for one:\n{}",
        titles.join("\n")
    ))
}

/// The machines of `entries`.
pub fn machines(entries: &[RunDigest], by: Sameness) -> Vec<MachineEntries<'_>> {
    let mut by_key: BTreeMap<(String, &str), Vec<&RunDigest>> = BTreeMap::new();
    for entry in entries {
        by_key.entry(by.key(&entry.identity)).or_default().push(entry);
    }
    by_key
        .into_iter()
        .map(|((hash, _), mut entries)| {
            entries.order_by(|a, b| (&a.utc, &a.run).cmp(&(&b.utc, &b.run)));
            MachineEntries { hash, entries }
        })
        .collect()
}
