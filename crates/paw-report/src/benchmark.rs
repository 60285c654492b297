//! A benchmark as a chapter of the page: its plots, its table with an overview of a long one, and its alternatives.

pub mod absence;
pub mod comparison;
mod core_pairs;
mod device_pairs;
mod intensity_curve;
mod load_curve;
mod load_over_time;
mod measured_groups;
pub mod multiples;
mod node_matrix;
mod noise_curve;
mod overview;
mod plots;
mod references;
pub mod roofline;
mod table;

pub use references::{references, unmeasured};
pub use table::{key_columns, key_fields};

use paw_data::machine::Machine;

use crate::benchmark::core_pairs::CorePairs;
use crate::benchmark::device_pairs::DevicePairs;
use crate::benchmark::node_matrix::NodeMatrix;
use crate::benchmark::overview::{bests, is_long, levels, overview};
use crate::family::is_of_ranks;
use crate::model::{Chapter, LongTable, Overview, Part, Plots};
use crate::number;
use crate::plot::RowLinks;
use crate::section::Section;
use crate::series::series;

/// The chapter of `section`, measured on `machine`.
pub fn chapter<'a>(section: &'a Section<'a>, machine: &'a Machine) -> Chapter<'a> {
    let devices = || DevicePairs::of(section).map(|pairs| device_parts(section, pairs));
    let cores = || CorePairs::of(section, &machine.processors).map(|pairs| pair_parts(section, pairs));
    let nodes = || NodeMatrix::of(section, &machine.nodes).map(|nodes| node_parts(section, nodes));
    let parts = devices().or_else(cores).or_else(nodes).unwrap_or_else(|| parts(section, machine));
    Chapter {
        subject: section.suite.to_owned(),
        title: section.title(),
        note: section.note(),
        unit: section.unit().to_owned(),
        facts: Vec::new(),
        parts,
    }
}

fn parts<'a>(section: &'a Section<'a>, machine: &'a Machine) -> Vec<Part<'a>> {
    let all = series(section);
    let identity = &machine.identity;
    let is_long = is_long(section, &all);
    let overview = if is_long { overview(section, &all) } else { Default::default() };
    let is_loaded = load_curve::is_loaded(section);
    let is_noise = noise_curve::is_noise(section);
    let is_swept = intensity_curve::is_swept(section);
    let lasts = load_over_time::lasts(section);
    let drawn = move |links: &RowLinks| match is_loaded {
        true => load_curve::pictures(section, links),
        false if is_noise => noise_curve::pictures(section, links),
        false if is_swept => intensity_curve::pictures(section, links),
        false if lasts => load_over_time::pictures(section, links),
        // Benchmarks of ranks are drawn with their family.
        false if is_of_ranks(section) => Vec::new(),
        false => plots::plots(section, identity, links),
    };
    let bests = match is_loaded {
        // The least latency is that of the least load.
        true => Vec::new(),
        false if section.levels.is_empty() => bests(section, &all),
        false => levels(section),
    };
    let mut parts = vec![Part::Plots(Plots::new(drawn), bests)];
    parts.push(Part::Long(Box::new(long(section, is_long, overview))));
    parts.extend(is_noise.then(|| Part::Table(noise_curve::histogram(section), None)));
    parts.extend(comparison::alternatives_table(section).map(Part::Pairs));
    let told = match (is_loaded, is_swept, lasts) {
        (true, ..) => load_curve::sentences(section),
        (_, true, _) => intensity_curve::sentences(section),
        (.., true) => load_over_time::sentences(section),
        _ => Vec::new(),
    };
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
