//! Nodes of known figures.

use paw_data::cluster::node_run::NodeRun;
use paw_data::cluster::{Cluster, Expected};
use paw_data::history::{CellFigure, Measure, RunDigest};
use paw_data::machine::Identity;
use paw_data::point::Point;
use paw_data::quantity::Quantity;

pub const STEP: &str = "alone";

pub fn expected() -> Expected {
    Expected { steps: vec![STEP.to_owned()], nodes: Vec::new(), is_setting: |name| name != "load_1min" }
}

pub fn figure(benchmark: &str, quantity: Quantity, value: f64) -> CellFigure {
    CellFigure {
        benchmark: benchmark.into(),
        provider: "native".into(),
        program: String::new(),
        point: Point::new().with("threads", 4),
        measure: Measure::Quantity(quantity),
        value,
        low: Some(value * 0.999),
        high: Some(value * 1.001),
        samples: 16,
        trust: "good".into(),
    }
}

/// A run of the node numbered `number`, on a machine without hypervisor whose clock is free: one percent from run to run.
pub fn node(number: usize, figures: Vec<CellFigure>) -> NodeRun {
    let identity = Identity {
        cpu: "Some CPU 7".into(),
        host: format!("n{number:02}"),
        kernel: "6.1".into(),
        ..Identity::default()
    };
    let digest = RunDigest {
        schema: String::new(),
        run: format!("run-{number}"),
        utc: String::new(),
        source: String::new(),
        tool: "paw 0.1.0".into(),
        state: [("governor", "performance"), ("boost", "on")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        identity,
        circumstances: Default::default(),
        resumed: None,
        figures,
    };
    NodeRun { step: STEP.into(), node: format!("n{number:02}"), digest, failures: Vec::new(), is_whole: true }
}

pub fn cluster(runs: &[NodeRun]) -> Cluster {
    Cluster::of(runs, &expected())
}
