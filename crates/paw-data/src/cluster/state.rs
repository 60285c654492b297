//! What most nodes of a model have in common, and what differs on one.

use std::collections::BTreeMap;

use crate::cluster::node_run::NodeRun;
use crate::history::RunDigest;

/// The settings of nodes by model: for each name, how many nodes have which value.
pub struct Usual {
    is_setting: fn(&str) -> bool,
    models: BTreeMap<String, Model>,
}

#[derive(Default)]
struct Model {
    nodes: usize,
    values: BTreeMap<String, BTreeMap<String, usize>>,
}

impl Usual {
    /// What the first run of each node tells.
    pub fn of(runs: &[NodeRun], is_setting: fn(&str) -> bool) -> Self {
        let mut models: BTreeMap<String, Model> = BTreeMap::new();
        let mut seen = std::collections::BTreeSet::new();
        for run in runs.iter().filter(|run| seen.insert(run.node.as_str())) {
            let model = models.entry(run.digest.identity.hardware()).or_default();
            model.nodes += 1;
            for (name, value) in settings(&run.digest, is_setting) {
                *model.values.entry(name).or_default().entry(value).or_default() += 1;
            }
        }
        Self { is_setting, models }
    }

    /// What `run`'s node has that at most a quarter of its like have, where more than half have another: `name: own, and usual on 15 of 16`.
    pub fn differences(&self, run: &NodeRun) -> Vec<String> {
        let Some(model) = self.models.get(&run.digest.identity.hardware()) else { return Vec::new() };
        let odd = |(name, own): (String, String)| {
            let values = model.values.get(&name)?;
            let (usual, count) = values.iter().max_by_key(|(_, count)| **count)?;
            let is_odd = 2 * count > model.nodes && 4 * values.get(&own)? <= model.nodes && *usual != own;
            is_odd.then(|| format!("{name}: {own}, and {usual} on {count} of {}", model.nodes))
        };
        settings(&run.digest, self.is_setting).filter_map(odd).collect()
    }
}

/// What a node is set to: kernel, system, memory, state, libraries.
fn settings(digest: &RunDigest, is_setting: fn(&str) -> bool) -> impl Iterator<Item = (String, String)> {
    let identity = &digest.identity;
    let fixed = [
        ("kernel", identity.kernel.clone()),
        ("os", identity.os.clone()),
        ("memory_bytes", identity.memory_bytes.to_string()),
        ("threads", identity.threads.to_string()),
        ("numa_nodes", identity.numa_nodes.to_string()),
        ("tool", digest.tool.clone()),
    ];
    let fixed = fixed.into_iter().map(|(name, value)| (name.to_owned(), value));
    let state = digest.state.iter().filter(move |(name, _)| is_setting(name));
    let others = state.chain(digest.circumstances.iter()).map(|(name, value)| (name.clone(), value.clone()));
    fixed.chain(others)
}
