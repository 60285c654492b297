//! Messages between every two nodes as a matrix: what a message takes on each link, and which links and nodes lie apart.

use paw_data::axis;
use paw_data::cell::Combine;
use paw_data::links::{Likeness, Link, Links, NODES_MIN};
use paw_data::quantity::Quantity;
use paw_data::run::Run;
use paw_sort::OrderBy;
use paw_stats::dissimilar::APART;
use paw_stats::quantile::median;

use crate::benchmark::absence::absences;
use crate::model::{Align, Column, Field, Overview, Picture, Row, Sentence, Table, Tone};
use crate::number::{self, Scale};
use crate::plot::heat_map::{HeatMap, STEPS, step_of};
use crate::reading::Reading;
use crate::section::Section;

/// The most nodes that are shown as a matrix of numbers.
const NUMBERS_MAX: usize = 12;
/// The most nodes that are drawn.
const DRAWN_MAX: usize = 128;
/// Nodes that a table of many lists: those with the slowest links.
const LISTED: usize = 20;
/// Nodes and links that a sentence names.
const NAMED: usize = 4;

/// The links of a section, for each of the points that its axes beside the round make.
pub struct RankPairs {
    matrices: Vec<Matrix>,
    absent: Vec<String>,
}

struct Matrix {
    /// What varies beside the round: `size=8 B load=none`; empty where nothing does.
    name: String,
    links: Links,
    scale: Scale,
}

impl RankPairs {
    /// The links of `section` of `run`; `None` where its cells are not rounds of a tournament of ranks.
    pub fn of(section: &Section<'_>, run: &Run) -> Option<Self> {
        let is_round = |reading: &Reading<'_>| {
            let cell = &reading.record.cell;
            cell.combine == Combine::Pairs && cell.point.int(axis::ROUND).is_some()
        };
        if section.rows.is_empty() || !section.rows.iter().all(is_round) {
            return None;
        }
        let mut points: Vec<(String, Vec<&Reading<'_>>)> = Vec::new();
        for reading in &section.rows {
            let others = section.ladder.iter().chain(&section.axes).filter(|axis| **axis != axis::ROUND);
            let name = others.map(|axis| format!("{}={}", section.axis_name(axis), section.at(reading, axis)));
            let name = name.collect::<Vec<_>>().join(" ");
            match points.iter_mut().find(|(own, _)| *own == name) {
                Some((_, readings)) => readings.push(reading),
                None => points.push((name, vec![reading])),
            }
        }
        let matrix = |(name, readings): (String, Vec<&Reading<'_>>)| {
            let team = run.team(&readings[0].record.cell)?;
            let links = Links::of(readings.iter().map(|reading| reading.record), &team.ranks);
            let scale = Scale::of(links.usual_s()?, Quantity::Time);
            Some(Matrix { name, links, scale })
        };
        let absent = absences(section).into_iter().map(|absence| {
            let round = section.at(absence.first, axis::ROUND);
            format!("{}, the first round {round}: {}", number::plural(absence.cells, "cell"), absence.why)
        });
        let absent = absent.collect();
        Some(Self { matrices: points.into_iter().filter_map(matrix).collect(), absent })
    }

    /// Every link in a matrix; of many nodes, those with the slowest links.
    pub fn tables(&self) -> Vec<Table> {
        self.matrices.iter().map(Matrix::table).collect()
    }

    /// Nothing in place of the rows, which are rounds; cells without a number in words.
    pub fn overview(&self) -> Overview {
        Overview { absent: self.absent.clone(), ..Overview::default() }
    }

    /// Which nodes and links lie apart, and what other pairs cost a message.
    pub fn sentences(&self) -> Vec<Sentence> {
        let told = self.matrices.iter().flat_map(|matrix| {
            let sentence = |text: String| Sentence { label: matrix.name.clone(), text };
            matrix.told().into_iter().map(sentence).collect::<Vec<_>>()
        });
        told.collect()
    }

    /// A heat map of each point.
    pub fn pictures(&self) -> Vec<Picture> {
        let drawn = self.matrices.iter().filter(|matrix| (3..=DRAWN_MAX).contains(&matrix.links.names.len()));
        drawn.map(Matrix::picture).collect()
    }
}

impl Matrix {
    fn what(&self) -> &'static str {
        if self.links.are_nodes { "node" } else { "rank" }
    }

    fn title(&self) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!(", {}", self.name) };
        format!("a message between two {}s, in {}{name}", self.what(), self.scale.unit)
    }

    fn table(&self) -> Table {
        if self.links.names.len() <= NUMBERS_MAX { self.numbers() } else { self.slowest() }
    }

    fn numbers(&self) -> Table {
        let names = &self.links.names;
        let mut columns = vec![Column::new(self.what(), Align::Left, Column::ALWAYS)];
        columns.extend(names.iter().map(|name| Column::new(name.clone(), Align::Right, Column::ALWAYS)));
        let field = |link: Link| self.links.median(link).map_or("".into(), |time| Field::from(self.digits(time)));
        let row = |(at, name): (usize, &String)| {
            let fields = (0..names.len()).map(|other| field((at.min(other), at.max(other))));
            Row { fields: std::iter::once(name.clone().into()).chain(fields).collect(), ..Row::default() }
        };
        Table::new(self.title(), columns, names.iter().enumerate().map(row).collect()).of_one_scale()
    }

    /// The nodes with the slowest links, by the median of each.
    fn slowest(&self) -> Table {
        let node = |node: usize| {
            let links = self.links.of_node(node);
            let all: Vec<f64> = links.iter().map(|(_, time)| *time).collect();
            let slowest = links.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
            Some((node, median(&all)?, slowest))
        };
        let mut nodes: Vec<_> = (0..self.links.names.len()).filter_map(node).collect();
        nodes.order_by(|a, b| b.1.total_cmp(&a.1));
        let row = |(node, middle, (other, most)): &(usize, f64, (usize, f64))| {
            let name = |at: usize| Field::from(self.links.names[at].clone());
            let middle = Field::new(self.digits(*middle), Tone::Strong);
            Row { fields: vec![name(*node), middle, self.digits(*most).into(), name(*other)], ..Row::default() }
        };
        let columns = vec![
            Column::new(self.what(), Align::Left, Column::ALWAYS),
            Column::new("median", Align::Right, Column::ALWAYS),
            Column::new("slowest link", Align::Right, Column::ALWAYS),
            Column::new("to", Align::Left, Column::ALWAYS),
        ];
        let title = format!("{}; the {LISTED} of {} with the slowest links", self.title(), self.links.names.len());
        Table::new(title, columns, nodes.iter().take(LISTED).map(row).collect())
    }

    fn digits(&self, time_s: f64) -> String {
        self.scale.digits(time_s, None)
    }

    fn told(&self) -> Vec<String> {
        let (links, percent) = (number::plural(self.links.times.len(), "link"), number::percent(APART));
        let list = |what: &str, found: Vec<(String, f64)>| {
            let more = found.len().saturating_sub(NAMED);
            let named = found.into_iter().take(NAMED).map(|(name, ratio)| format!("{name} {ratio:.2} ×"));
            let more = (more > 0).then(|| format!("and {more} more"));
            let named = named.chain(more).collect::<Vec<_>>().join(", ");
            (!named.is_empty())
                .then(|| format!("{what} lie apart from the others in this job: {named} the usual time."))
        };
        let mut told = match self.links.likeness() {
            Likeness::Alike => vec![format!("none of {links} lies more than {percent} apart from the others.")],
            Likeness::Unknown => {
                vec![format!("whether any of {links} lies apart is not known: few samples, or samples that move.")]
            }
            Likeness::Apart { nodes, links } => {
                let nodes = nodes.into_iter().map(|(node, ratio)| (self.links.names[node].clone(), ratio));
                let links = links.into_iter().map(|(link, ratio)| (self.links.name(link), ratio));
                let nodes = list(&format!("most links of these {}s", self.what()), nodes.collect());
                nodes.into_iter().chain(list("these links", links.collect())).collect()
            }
        };
        if self.links.are_nodes && self.links.names.len() < NODES_MIN && self.links.times.len() > 1 {
            told.push(format!("a slow node is told from slow links among {NODES_MIN} nodes or more."));
        }
        told
    }

    fn picture(&self) -> Picture {
        let medians: Vec<f64> = self.links.times.keys().filter_map(|link| self.links.median(*link)).collect();
        let ends = |(least, most): (f64, f64), time: &f64| (least.min(*time), most.max(*time));
        let (least, most) = medians.iter().fold((f64::INFINITY, 0.0), ends);
        let cell = |row: usize, column: usize| {
            let time = self.links.median((row.min(column), row.max(column)))?;
            Some((step_of(time, least, most, STEPS), self.digits(time), String::new()))
        };
        let names = self.links.names.clone();
        let label = format!("{}: {} {}s", self.name, names.len(), self.what());
        let svg = HeatMap { rows: names.clone(), columns: names, apart: Vec::new(), label, cell: &cell }.svg();
        let (least, most) = (self.digits(least), self.digits(most));
        let caption = format!("A message from {least} (lightest) to {most} {} (darkest).", self.scale.unit);
        Picture { svg, title: self.name.clone(), caption, legend: Vec::new() }
    }
}
