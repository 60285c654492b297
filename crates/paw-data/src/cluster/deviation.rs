//! Figures that lie too far from those of the same model of node.
//!
//! A node is odd by the generalised extreme studentised deviate of logarithms (B. Rosner, Percentage Points for a Generalized ESD
//! Many-Outlier Procedure, Technometrics 25, 1983), which finds several odd nodes without one hiding another, and calls any of equal nodes
//! odd in one cluster of a hundred. Its robust z, the distance from the median in robust standard deviations (1.4826 × the median absolute
//! deviation; B. Iglewicz and D. Hoaglin, How to Detect and Handle Outliers, 1993), is shown with it.

use std::collections::BTreeMap;

use paw_sort::OrderBy;
use paw_stats::{normal, quantile, student};

use crate::between_runs::BetweenRuns;
use crate::cluster::node_run::NodeRun;
use crate::history::{CellFigure, Measure};
use crate::machine::Machine;
use crate::point::Point;

/// Fewest nodes of a model among which one can be odd: of three, one that lies apart leaves two whose agreement may be chance.
pub const NODES_MIN: usize = 4;

/// Smallest relative difference that is a finding, however sure it is.
pub const MARGIN: f64 = 0.01;

/// The share of clusters of equal nodes in which any node is called odd: where two may be taken away of eight, half as many again are, which
/// makes one of a hundred.
const ALARMS: f64 = 0.006;

/// Standard deviations of a normal distribution in a median absolute deviation.
const MAD: f64 = 1.4826;

/// A figure of a node that is not like the others'.
#[derive(Debug, Clone, PartialEq)]
pub struct Deviation {
    /// The step in which it was measured.
    pub step: String,
    /// What was measured.
    pub subject: Subject,
    /// The node's value, in the unit of the measure.
    pub value: f64,
    /// The median of the nodes of its model.
    pub median: f64,
    /// How many these are.
    pub nodes: usize,
    /// The robust z, on logarithms: negative where the value is smaller than the median.
    pub z: f64,
    /// Why the number cannot be relied on; empty: it can.
    pub doubt: String,
}

impl Deviation {
    /// The relative difference from the median.
    pub fn change(&self) -> f64 {
        self.value / self.median - 1.0
    }

    /// Whether the node is on the bad side.
    pub fn is_worse(&self) -> bool {
        (self.z < 0.0) == self.subject.measure.more_is_better()
    }
}

/// What was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The benchmark.
    pub benchmark: String,
    /// The provider.
    pub provider: String,
    /// The point.
    pub point: Point,
    /// What the value counts.
    pub measure: Measure,
}

impl Subject {
    fn of(figure: &CellFigure) -> Self {
        let CellFigure { benchmark, provider, point, measure, .. } = figure.clone();
        Self { benchmark, provider, point, measure }
    }

    /// `dgemm openblas n=1024 threads=4`.
    pub fn title(&self) -> String {
        let metric = self.measure.metric().to_owned();
        let parts = [self.benchmark.clone(), metric, self.provider.clone(), self.point.to_string()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// How far the nodes of one model agree in one figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// The step.
    pub step: String,
    /// What was measured.
    pub subject: Subject,
    /// The processor of the model.
    pub cpu: String,
    /// Its nodes.
    pub nodes: usize,
    /// Their median, in the unit of the measure.
    pub median: f64,
    /// The smallest value.
    pub least: f64,
    /// The largest value.
    pub most: f64,
    /// Their robust relative standard deviation.
    pub deviation: f64,
    /// The relative standard deviation that such machines have from run to run.
    pub expected: f64,
}

impl Spread {
    /// Whether the nodes differ more than one such machine does from run to run: three times as much.
    pub fn is_wide(&self) -> bool {
        self.deviation > 3.0 * self.expected.max(MARGIN / 3.0)
    }
}

/// What runs of nodes show of each other.
pub(super) struct Found {
    /// The number of a run, and a figure of it that is odd.
    pub deviations: Vec<(usize, Deviation)>,
    pub spreads: Vec<Spread>,
    pub unjudged: usize,
}

/// One figure of every node of a model: the number of the run, and the figure.
type Peers<'r> = Vec<(usize, &'r CellFigure)>;

/// Holds every figure against those of the same step, point and hardware.
pub(super) fn deviations(runs: &[NodeRun]) -> Found {
    let mut groups: BTreeMap<String, Peers<'_>> = BTreeMap::new();
    for (number, run) in runs.iter().enumerate() {
        let (step, hardware) = (&run.step, run.digest.identity.hardware());
        for figure in run.digest.figures.iter().filter(|figure| figure.value > 0.0) {
            let key = format!("{step}\0{hardware}\0{}", figure.subject());
            groups.entry(key).or_default().push((number, figure));
        }
    }
    let (judged, few): (Vec<_>, Vec<_>) = groups.into_values().partition(|peers| peers.len() >= NODES_MIN);
    let mut found = Found { deviations: Vec::new(), spreads: Vec::new(), unjudged: few.len() };
    for peers in &judged {
        judge(runs, peers, judged.len(), &mut found);
    }
    found.spreads.order_by(|a, b| b.deviation.total_cmp(&a.deviation));
    found
}

fn judge(runs: &[NodeRun], peers: &Peers<'_>, figures: usize, found: &mut Found) {
    let (first, figure) = peers[0];
    let run = &runs[first];
    let logs: Vec<f64> = peers.iter().map(|(_, figure)| figure.value.ln()).collect();
    let Some(median) = quantile::median(&logs) else { return };
    let distances: Vec<f64> = logs.iter().map(|log| (log - median).abs()).collect();
    let deviation = MAD * quantile::median(&distances).unwrap_or(0.0);
    let digest = &run.digest;
    let machine = Machine { identity: digest.identity.clone(), state: digest.state.clone(), ..Machine::default() };
    let expected = BetweenRuns::of(&machine).deviation;
    for at in odd(&logs, expected, ALARMS / figures as f64) {
        let (number, figure) = peers[at];
        if (logs[at] - median).abs() > MARGIN {
            let doubt = if figure.trust == "poor" { "its trust is poor".to_owned() } else { String::new() };
            let deviation = Deviation {
                step: run.step.clone(),
                subject: Subject::of(figure),
                value: figure.value,
                median: median.exp(),
                nodes: peers.len(),
                z: (logs[at] - median) / deviation.max(expected).max(f64::MIN_POSITIVE),
                doubt,
            };
            found.deviations.push((number, deviation));
        }
    }
    let ends = logs.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(*log), high.max(*log)));
    found.spreads.push(Spread {
        step: run.step.clone(),
        subject: Subject::of(figure),
        cpu: digest.identity.cpu.clone(),
        nodes: peers.len(),
        median: median.exp(),
        least: ends.0.exp(),
        most: ends.1.exp(),
        deviation,
        expected,
    });
}

/// The places of odd values: of at most a quarter of them, taken away one by one, the extreme first, the last that is too far from those
/// that are left, and all before it. `alarms` is the probability that any of equal values is found.
///
/// What such machines are `expected` to differ by is a floor of the deviation: nodes that happen to agree better prove nothing.
fn odd(values: &[f64], expected: f64, alarms: f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.order_by(|a, b| values[*a].total_cmp(&values[*b]));
    // About their middle, so that squares of small differences are not lost.
    let middle = values[order[order.len() / 2]];
    let centred = |at: usize| values[at] - middle;
    let mut sum: f64 = order.iter().map(|at| centred(*at)).sum();
    let mut squares: f64 = order.iter().map(|at| centred(*at).powi(2)).sum();
    let (mut low, mut high) = (0, order.len());
    let (mut taken, mut found) = (Vec::new(), 0);
    while taken.len() < (values.len() / 4).max(1) {
        let left = (high - low) as f64;
        let mean = sum / left;
        let deviation = ((squares - sum * mean) / (left - 1.0)).max(0.0).sqrt();
        let (least, most) = (mean - centred(order[low]), centred(order[high - 1]) - mean);
        let (at, distance) = if least > most { (order[low], least) } else { (order[high - 1], most) };
        if least > most {
            low += 1
        } else {
            high -= 1
        }
        taken.push(at);
        if is_extreme(distance, left, deviation, expected, alarms) {
            found = taken.len();
        }
        sum -= centred(at);
        squares -= centred(at).powi(2);
    }
    taken.truncate(found);
    taken
}

/// Whether the extreme of `n` values lies further from their mean than it does with probability `alarms`: than Rosner's percentage point
/// where their deviation was found from them, than the normal distribution's where it is the known floor.
fn is_extreme(distance: f64, n: f64, deviation: f64, expected: f64, alarms: f64) -> bool {
    let p = 1.0 - alarms / (2.0 * n);
    let normal = normal::quantile(p);
    if deviation <= expected {
        return distance > expected * normal * ((n - 1.0) / n).sqrt();
    }
    let point = |t: f64| deviation * (n - 1.0) * t / ((n - 2.0 + t * t) * n).sqrt();
    // Student's quantile is no smaller than the normal one, and takes a thousand times as long: a quarter of all nodes are tried.
    distance > point(normal) && student::quantile(p, n as usize - 2).is_some_and(|t| distance > point(t))
}
