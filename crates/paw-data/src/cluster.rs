//! Nodes of a cluster against their like: which differ, by how much, and what else differs there.

pub mod deviation;
pub mod node;
pub mod node_run;
pub mod state;

use std::collections::BTreeMap;

use paw_sort::OrderBy;

use deviation::{Deviation, Spread, deviations};
use node::{Node, Standing};
use node_run::NodeRun;

/// Nodes that did the same steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// The nodes, by name.
    pub nodes: Vec<Node>,
    /// How far the nodes of one model agree in each figure, the widest first.
    pub spreads: Vec<Spread>,
    /// Figures that too few nodes of a model have for any of them to be odd.
    pub unjudged: usize,
}

impl Cluster {
    /// The cluster of these runs. `expected` are the steps that every node was to do, and the nodes whose names are known beforehand.
    pub fn of(runs: &[NodeRun], expected: &Expected) -> Self {
        let found = deviations(runs);
        let mut by_node: BTreeMap<&str, Vec<&NodeRun>> = BTreeMap::new();
        for name in &expected.nodes {
            by_node.entry(name).or_default();
        }
        for run in runs {
            by_node.entry(&run.node).or_default().push(run);
        }
        let mut by_name: BTreeMap<&str, Vec<Deviation>> = BTreeMap::new();
        for (run, deviation) in found.deviations {
            by_name.entry(&runs[run].node).or_default().push(deviation);
        }
        let usual = state::Usual::of(runs, expected.is_setting);
        let node = |(name, own): (&str, Vec<&NodeRun>)| {
            let mut node = Node::of(name, &own, &expected.steps, by_name.remove(name).unwrap_or_default());
            if node.standing != Standing::Alike {
                node.differs = own.first().map_or_else(Vec::new, |run| usual.differences(run));
            }
            node
        };
        Self { nodes: by_node.into_iter().map(node).collect(), spreads: found.spreads, unjudged: found.unjudged }
    }

    /// The nodes, those that need somebody first: by standing, then by the size of their largest deviation.
    pub fn ranked(&self) -> Vec<&Node> {
        let mut ranked: Vec<&Node> = self.nodes.iter().collect();
        ranked.order_by(|a, b| {
            a.standing.cmp(&b.standing).then(b.worst().total_cmp(&a.worst())).then(a.name.cmp(&b.name))
        });
        ranked
    }

    /// How many nodes have a standing.
    pub fn count(&self, standing: Standing) -> usize {
        self.nodes.iter().filter(|node| node.standing == standing).count()
    }
}

/// What was to be measured.
#[derive(Debug, Clone)]
pub struct Expected {
    /// Steps of every node.
    pub steps: Vec<String>,
    /// Names of nodes, where they are known.
    pub nodes: Vec<String>,
    /// Whether a reading of the machine's state, by its name, says how a node is set up, and not how busy it was.
    pub is_setting: fn(&str) -> bool,
}
