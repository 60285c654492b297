//! The nodes of a cluster against their like, as one HTML file.

use paw_data::cluster::deviation::{Deviation, Spread};
use paw_data::cluster::node::{Node, Standing};
use paw_sort::OrderBy;
use serde::Serialize;

use crate::html;
use crate::plot::spread;

/// The page of a cluster: the words of the terminal's, and every node and figure as a picture.
#[derive(Debug, Serialize)]
pub struct ClusterPage {
    title: String,
    word: &'static str,
    class: &'static str,
    answer: String,
    notes: Vec<String>,
    nodes: Vec<NodeSquare>,
    odd: Vec<OddNode>,
    figures: Vec<FigureView>,
    left: String,
}

/// The square of a node.
#[derive(Debug, Serialize)]
struct NodeSquare {
    name: String,
    word: &'static str,
    class: &'static str,
    /// Its row in the table; empty where it has none.
    anchor: String,
}

/// The row of a node that is not like the others.
#[derive(Debug, Serialize)]
struct OddNode {
    anchor: String,
    name: String,
    word: &'static str,
    class: &'static str,
    change: String,
    z: String,
    evidence: Vec<String>,
}

/// The row of a figure.
#[derive(Debug, Serialize)]
struct FigureView {
    figure: String,
    nodes: usize,
    median: String,
    spread: String,
    least: String,
    most: String,
    is_wide: bool,
    svg: String,
}

/// The words of a figure's row.
#[derive(Debug)]
pub struct FigureWords {
    /// Step and subject.
    pub figure: String,
    /// The median with its unit.
    pub median: String,
    /// The robust relative deviation.
    pub spread: String,
    /// The smallest and the largest value, in the median's unit.
    pub ends: [String; 2],
}

/// The words of an odd node's row.
#[derive(Debug)]
pub struct NodeWords {
    /// The relative difference of its largest deviation; empty where it has none.
    pub change: String,
    /// The robust z of that.
    pub z: String,
    /// What failed, deviates and differs, a line each.
    pub evidence: Vec<String>,
}

impl ClusterPage {
    /// The word for a node of which nobody can tell whether it is odd, and for a page of such nodes.
    pub const UNJUDGED: &str = "not judged";

    /// A page with a title, the gravest standing of what was judged, the answer in one sentence, and notes.
    pub fn new(title: &str, gravest: Option<Standing>, answer: String, notes: Vec<String>) -> Self {
        Self {
            title: title.to_owned(),
            word: gravest.map_or(Self::UNJUDGED, Standing::word),
            class: gravest.map_or(UNJUDGED, class),
            answer,
            notes,
            nodes: Vec::new(),
            odd: Vec::new(),
            figures: Vec::new(),
            left: String::new(),
        }
    }

    /// The nodes, the gravest first; `is_unjudged` tells one that nobody can judge, `words` has those of one that is not like the others.
    pub fn nodes(&mut self, ranked: &[&Node], is_unjudged: impl Fn(&Node) -> bool, words: impl Fn(&Node) -> NodeWords) {
        for (place, node) in ranked.iter().enumerate() {
            let is_odd = node.standing != Standing::Alike;
            let (word, class) = match is_unjudged(node) {
                true => (Self::UNJUDGED, UNJUDGED),
                false => (node.standing.word(), class(node.standing)),
            };
            let anchor = if is_odd { format!("node{place}") } else { String::new() };
            if is_odd {
                let NodeWords { change, z, evidence } = words(node);
                let (anchor, name) = (anchor.clone(), node.name.clone());
                self.odd.push(OddNode { anchor, name, word, class, change, z, evidence });
            }
            self.nodes.push(NodeSquare { name: node.name.clone(), word, class, anchor });
        }
        self.nodes.order_by(|a, b| a.name.cmp(&b.name));
    }

    /// The figures in their order, with the nodes that are odd in them; `left` says what is not shown.
    pub fn figures(
        &mut self,
        spreads: &[Spread],
        nodes: &[&Node],
        words: impl Fn(&Spread) -> FigureWords,
        left: String,
    ) {
        let odd: Vec<&Deviation> = nodes.iter().flat_map(|node| &node.deviations).collect();
        let figure = |own: &Spread| {
            let here =
                odd.iter().filter(|odd| odd.step == own.step && odd.subject == own.subject && odd.median == own.median);
            let points: Vec<(f64, bool)> = here.map(|odd| (odd.value / odd.median, odd.is_worse())).collect();
            let FigureWords { figure, median, spread, ends: [least, most] } = words(own);
            let svg = spread::spread(own.least / own.median, own.most / own.median, &points);
            FigureView { figure, nodes: own.nodes, median, spread, least, most, is_wide: own.is_wide(), svg }
        };
        self.figures = spreads.iter().map(figure).collect();
        self.left = left;
    }

    /// The page as a self-contained HTML document.
    pub fn html(&self) -> String {
        html::written("cluster.html", self)
    }
}

/// The colour of what nobody can judge.
const UNJUDGED: &str = "absent";

/// The colour of a standing.
fn class(standing: Standing) -> &'static str {
    match standing {
        Standing::Failed | Standing::Slow => "poor",
        Standing::Missing => "absent",
        Standing::Doubtful | Standing::Fast => "fair",
        Standing::Alike => "good",
    }
}
