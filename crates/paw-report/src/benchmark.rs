//! A benchmark as a chapter of the page: its plots, its table with an overview of a long one, and its alternatives.

pub mod absence;
pub mod comparison;
mod core_pairs;
mod device_pairs;
mod intensity_curve;
mod load_curve;
mod load_over_time;
mod loggp;
mod measured_groups;
pub mod multiples;
mod node_matrix;
mod noise_curve;
mod overview;
mod plots;
mod rank_pairs;
mod references;
pub mod roofline;
mod table;

pub use references::references;
pub use table::{key_columns, key_fields};

use paw_data::machine::Machine;
use paw_data::parts;
use paw_data::run::Run;

use crate::benchmark::core_pairs::CorePairs;
use crate::benchmark::device_pairs::DevicePairs;
use crate::benchmark::node_matrix::NodeMatrix;
use crate::benchmark::overview::{bests, is_long, levels, overview};
use crate::benchmark::rank_pairs::RankPairs;
use crate::family::is_of_ranks;
use crate::model::{Chapter, LongTable, Overview, Part, Picture, Plots, Sentence};
use crate::number;
use crate::plot::RowLinks;
use crate::section::Section;
use crate::series::series;

/// The chapter of `section`, a part of `run`.
pub fn chapter<'a>(section: &'a Section<'a>, run: &'a Run) -> Chapter<'a> {
    let machine = &run.header.machine;
    let ranks = || RankPairs::of(section, run).map(|pairs| rank_parts(section, pairs));
    let devices = || DevicePairs::of(section).map(|pairs| device_parts(section, pairs));
    let cores = || CorePairs::of(section, &machine.processors).map(|pairs| pair_parts(section, pairs));
    let nodes = || NodeMatrix::of(section, &machine.nodes).map(|nodes| node_parts(section, nodes));
    let parts = ranks().or_else(devices).or_else(cores).or_else(nodes).unwrap_or_else(|| parts(section, machine));
    Chapter {
        subject: section.suite.to_owned(),
        title: section.title(),
        note: section.note(),
        unit: section.unit().to_owned(),
        facts: Vec::new(),
        parts,
    }
}

/// What the pictures of a benchmark show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Curve {
    /// Latency by the load of the memory.
    Load,
    /// Detours by their length.
    Noise,
    /// Rate by arithmetic intensity.
    Intensity,
    /// Rate, clock and power by time.
    OverTime,
    /// Nothing, and the parameters of messages are told.
    Trains,
    /// Nothing: benchmarks of ranks are drawn with their family.
    Family,
    /// The headline by the first axis.
    Headline,
}

impl Curve {
    fn of(section: &Section<'_>) -> Self {
        if load_curve::is_loaded(section) {
            Self::Load
        } else if noise_curve::is_noise(section) {
            Self::Noise
        } else if intensity_curve::is_swept(section) {
            Self::Intensity
        } else if load_over_time::lasts(section) {
            Self::OverTime
        } else if section.is_of_trains() {
            Self::Trains
        } else if is_of_ranks(section) {
            Self::Family
        } else {
            Self::Headline
        }
    }

    fn pictures(self, section: &Section<'_>, machine: &Machine, links: &RowLinks) -> Vec<Picture> {
        match self {
            Self::Load => load_curve::pictures(section, links),
            Self::Noise => noise_curve::pictures(section, links),
            Self::Intensity => intensity_curve::pictures(section, links),
            Self::OverTime => load_over_time::pictures(section, links),
            Self::Family | Self::Trains => Vec::new(),
            Self::Headline => plots::plots(section, &machine.identity, links),
        }
    }

    /// What is read from the pictures.
    fn sentences(self, section: &Section<'_>) -> Vec<Sentence> {
        match self {
            Self::Load => load_curve::sentences(section),
            Self::Intensity => intensity_curve::sentences(section),
            Self::OverTime => load_over_time::sentences(section),
            Self::Trains => loggp::sentences(section),
            Self::Noise | Self::Family | Self::Headline => Vec::new(),
        }
    }
}

fn parts<'a>(section: &'a Section<'a>, machine: &'a Machine) -> Vec<Part<'a>> {
    let all = series(section);
    let is_long = is_long(section, &all);
    let table = || long(section, is_long, if is_long { overview(section, &all) } else { Overview::default() });
    let (alternatives, long) = parts::both(section.rows.len(), || comparison::alternatives_table(section), table);
    let curve = Curve::of(section);
    let bests = match curve {
        // The least latency is that of the least load.
        Curve::Load => Vec::new(),
        _ if section.levels.is_empty() => bests(section, &all),
        _ => levels(section),
    };
    let drawn = move |links: &RowLinks| curve.pictures(section, machine, links);
    let mut parts = vec![Part::Plots(Plots::new(drawn), bests)];
    parts.push(Part::Long(Box::new(long)));
    parts.extend((curve == Curve::Noise).then(|| Part::Table(noise_curve::histogram(section), None)));
    parts.extend(alternatives.map(Part::Pairs));
    let told = curve.sentences(section);
    parts.extend((!told.is_empty()).then_some(Part::Remarks(told)));
    parts
}

/// Pairs of processors: by what they share, by what they take, and all of them.
fn pair_parts<'a>(section: &'a Section<'a>, pairs: CorePairs<'a, 'a>) -> Vec<Part<'a>> {
    let (groups, measured, disagreements) = (pairs.groups(), pairs.measured_groups(), pairs.disagreements());
    let (is_matrix, overview) = (pairs.is_matrix(), pairs.overview());
    let drawn = Plots::new(move |links| if is_matrix { pairs.pictures(links) } else { Vec::new() });
    let all = LongTable { is_drawn: true, ..long(section, is_matrix, overview) };
    let measured = (!measured.is_empty()).then(|| Part::Table(measured, None));
    let mut parts = vec![Part::Table(groups, Some(drawn))];
    parts.extend(measured.into_iter().chain([Part::Remarks(disagreements), Part::Long(Box::new(all))]));
    parts
}

/// Pairs of ranks: the matrices, what lies apart, and the rounds.
fn rank_parts<'a>(section: &'a Section<'a>, pairs: RankPairs) -> Vec<Part<'a>> {
    let (tables, sentences, overview) = (pairs.tables(), pairs.sentences(), pairs.overview());
    let mut parts: Vec<Part<'a>> = tables.into_iter().map(|table| Part::Table(table, None)).collect();
    parts.push(Part::Remarks(sentences));
    parts.push(Part::Plots(Plots::new(move |_| pairs.pictures()), Vec::new()));
    parts.push(Part::Long(Box::new(LongTable { is_drawn: true, ..long(section, true, overview) })));
    parts
}

/// Pairs of devices: the matrices, what lies apart, and all cells.
fn device_parts<'a>(section: &'a Section<'a>, pairs: DevicePairs<'a, 'a>) -> Vec<Part<'a>> {
    let (overview, sentences) = (pairs.overview(), pairs.sentences());
    let drawn = Plots::new(move |links| pairs.pictures(links));
    let all = LongTable { is_drawn: true, ..long(section, true, overview) };
    let mut parts = vec![Part::Plots(drawn, Vec::new()), Part::Long(Box::new(all))];
    parts.extend((!sentences.is_empty()).then_some(Part::Remarks(sentences)));
    parts
}

/// Memory by nodes: the matrix, what it says, and all cells.
fn node_parts<'a>(section: &'a Section<'a>, nodes: NodeMatrix<'a, 'a>) -> Vec<Part<'a>> {
    let (table, sentences) = (nodes.table(), nodes.sentences());
    let drawn = Plots::new(move |links| nodes.pictures(links));
    let all = LongTable { is_drawn: true, ..long(section, false, Overview::default()) };
    vec![Part::Table(table, Some(drawn)), Part::Remarks(sentences), Part::Long(Box::new(all))]
}

/// The table of all cells, which `overview` replaces where it `is_long`.
fn long(section: &Section<'_>, is_long: bool, overview: Overview) -> LongTable {
    let full = table::cells(section);
    let measured = number::plural(full.rows.len(), "cell");
    let fold = format!("{measured}: interval, share, trust, samples in time order");
    LongTable { full, is_long, is_drawn: false, fold, overview }
}
