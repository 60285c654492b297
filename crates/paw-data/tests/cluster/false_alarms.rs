//! How often equal nodes are called odd, and how often a slow one is seen, in simulated clusters.

use paw_data::cluster::node::Standing;
use paw_data::quantity::Quantity;
use paw_stats::rng::Rng;

use crate::constructed::{cluster, figure, node};

/// Of `trials` clusters of `nodes` nodes with `figures` figures that scatter by `deviation`: how many have an odd node where none is, and
/// how many see that the first node has `factor` of one figure.
fn count(nodes: usize, figures: usize, deviation: f64, factor: f64, trials: usize) -> (usize, usize) {
    let mut rng = Rng::new(7);
    let (mut alarms, mut seen) = (0, 0);
    for _ in 0..trials {
        let mut runs: Vec<_> = (0..nodes)
            .map(|number| {
                let value = |_| 1e9 * (deviation * rng.normal()).exp();
                let values: Vec<f64> = (0..figures).map(value).collect();
                let name = |at| format!("benchmark{at}");
                node(number, values.iter().enumerate().map(|(at, v)| figure(&name(at), Quantity::Flops, *v)).collect())
            })
            .collect();
        alarms += usize::from(cluster(&runs).count(Standing::Alike) < nodes);
        runs[0].digest.figures[0].value *= factor;
        seen += usize::from(cluster(&runs).nodes[0].standing == Standing::Slow);
    }
    (alarms, seen)
}

#[test]
fn equal_nodes_are_called_odd_in_one_cluster_of_a_hundred_at_most() {
    for (nodes, figures) in [(4, 5), (5, 5), (8, 5), (16, 10), (64, 10)] {
        // As such machines differ, less, and much more.
        for deviation in [0.003, 0.01, 0.04] {
            let trials = 600;
            let (alarms, _) = count(nodes, figures, deviation, 1.0, trials);
            // Six at most are expected, and three standard deviations more come by chance.
            assert!(alarms <= 14, "{nodes} nodes, {figures} figures, {deviation}: {alarms} of {trials}");
        }
    }
}

#[test]
fn a_node_that_is_a_tenth_slower_is_seen_where_nodes_differ_by_a_percent() {
    for nodes in [8, 16, 64] {
        let (_, seen) = count(nodes, 10, 0.008, 0.9, 200);
        assert!(seen >= 170, "{nodes} nodes: {seen} of 200");
    }
}
