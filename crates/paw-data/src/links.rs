//! What a message takes between every two nodes: the rounds of a tournament of ranks, put together.

use std::collections::{BTreeMap, HashMap};

use paw_stats::dissimilar;
use paw_stats::quantile::median;

use crate::axis;
use crate::cell::Rank;
use crate::run::Record;
use crate::secondary::MetricName;
use crate::summary::{self, Basis};
use crate::tournament::opponent;

/// Fewest nodes of which a slow one can be told from slow links: each then has four links.
pub const NODES_MIN: usize = 5;

/// Two of [`Links::names`], the lower place first.
pub type Link = (usize, usize);

/// The links of one point of a tournament.
#[derive(Debug, Clone, PartialEq)]
pub struct Links {
    /// The nodes, in the order of their first ranks; of a single node its ranks.
    pub names: Vec<String>,
    /// Whether names are those of nodes.
    pub are_nodes: bool,
    /// Seconds of a message in every clean sample, the slower side of each pair; on nodes of several ranks those of all their pairs.
    pub times: BTreeMap<Link, Vec<f64>>,
}

/// Whether the links of a point are alike.
#[derive(Debug, Clone, PartialEq)]
pub enum Likeness {
    /// All lie within a tenth of their middle.
    Alike,
    /// Some do not, with their time ÷ that of all.
    Apart {
        /// Nodes most of whose links lie apart; none of fewer than [`NODES_MIN`].
        nodes: Vec<(usize, f64)>,
        /// Links that lie apart between other nodes.
        links: Vec<(Link, f64)>,
    },
    /// Few samples, or samples that move: it is not known.
    Unknown,
}

impl Links {
    /// The links of `records`, which are rounds of one point, between `ranks`; pairs of ranks on one node are left out where there are
    /// several nodes.
    pub fn of<'r>(records: impl Iterator<Item = &'r Record>, ranks: &'r [Rank]) -> Self {
        let mut hosts: Vec<&str> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let of_host = |rank: &'r Rank| {
            *known.entry(&rank.host).or_insert_with(|| {
                hosts.push(&rank.host);
                hosts.len() - 1
            })
        };
        let of_hosts: Vec<usize> = ranks.iter().map(of_host).collect();
        let are_nodes = hosts.len() > 1;
        let (names, place): (Vec<String>, Vec<usize>) = match are_nodes {
            true => (hosts.into_iter().map(str::to_owned).collect(), of_hosts),
            false => (0..ranks.len()).map(|rank| (rank.to_string(), rank)).unzip(),
        };
        let mut times: BTreeMap<Link, Vec<f64>> = BTreeMap::new();
        for record in records {
            let round = record.cell.point.int(axis::ROUND).and_then(|round| usize::try_from(round).ok()).unwrap_or(0);
            let basis = summary::basis(&record.samples);
            for rank in 0..ranks.len() {
                let other = opponent(rank, ranks.len(), round);
                let link = (place[rank].min(place[other]), place[rank].max(place[other]));
                if rank < other && link.0 != link.1 {
                    times.entry(link).or_default().extend(messages_s(record, basis, [rank, other]));
                }
            }
        }
        times.retain(|_, times| !times.is_empty());
        Self { names, are_nodes, times }
    }

    /// The name of a link: `node1–node2`.
    pub fn name(&self, link: Link) -> String {
        format!("{}–{}", self.names[link.0], self.names[link.1])
    }

    /// The median of a link, in seconds.
    pub fn median(&self, link: Link) -> Option<f64> {
        median(self.times.get(&link)?)
    }

    /// The medians of a node's links, with the places of the other nodes.
    pub fn of_node(&self, node: usize) -> Vec<(usize, f64)> {
        let others = self.times.keys().filter(|(a, b)| *a == node || *b == node);
        others.filter_map(|link| Some((link.0 + link.1 - node, self.median(*link)?))).collect()
    }

    /// The median of all links.
    pub fn usual_s(&self) -> Option<f64> {
        median(&self.times.keys().filter_map(|link| self.median(*link)).collect::<Vec<_>>())
    }

    /// Whether the links are alike, and which are not.
    pub fn likeness(&self) -> Likeness {
        let nodes = match self.names.len() < NODES_MIN {
            true => Vec::new(),
            false => {
                let of = |node: usize| self.of_node(node).into_iter().map(|(_, time)| time).collect();
                dissimilar::apart(&(0..self.names.len()).map(of).collect::<Vec<Vec<f64>>>())
            }
        };
        let is_told = |at: usize| nodes.iter().any(|(node, _)| *node == at);
        let others: Vec<(&Link, &Vec<f64>)> =
            self.times.iter().filter(|((a, b), _)| !is_told(*a) && !is_told(*b)).collect();
        let times: Vec<Vec<f64>> = others.iter().map(|(_, times)| (*times).clone()).collect();
        let links: Vec<(Link, f64)> =
            dissimilar::apart(&times).into_iter().map(|(at, ratio)| (*others[at].0, ratio)).collect();
        if !nodes.is_empty() || !links.is_empty() {
            return Likeness::Apart { nodes, links };
        }
        if dissimilar::are_alike(&times) { Likeness::Alike } else { Likeness::Unknown }
    }
}

/// Seconds of a message between `pair` in every sample that an estimate may come from by `basis`: by the slower of the two.
fn messages_s(record: &Record, basis: Basis, pair: [usize; 2]) -> Vec<f64> {
    let samples = &record.samples;
    let [Some(first), Some(second)] = pair.map(|rank| samples.secondary(MetricName::of_rank(rank))) else {
        return Vec::new();
    };
    let messages = record.cell.work.operations.max(1.0);
    let of = |at: usize| first[at].max(second[at]) / (samples.loops[at] as f64 * messages);
    (0..samples.len())
        .filter(|at| basis.counts(samples.disturbed[*at]))
        .map(of)
        .filter(|time| time.is_finite())
        .collect()
}
