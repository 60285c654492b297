//! The host in words.

use paw_data::machine::Identity;

use crate::latency::data_caches;
use crate::number::{plural, size};

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
