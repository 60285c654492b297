//! The plots of a family of benchmarks: one of times and one of rates, or small multiples.

use paw_data::quantity::Quantity;

use crate::axis::{Axis, TickLabels};
use crate::family::FamilyMembers;
use crate::model::{Multiple, Picture};
use crate::number::Scale;
use crate::plot::RowLinks;
use crate::plot::curve::{ladder_axis, line, looks, values};
use crate::plot::lines::{DASHES, DIRECT_LABELS, HUES, Line, LinePlot, plot};
use crate::section::Section;
use crate::series::series;

struct Drawn<'s, 'r> {
    section: &'s Section<'r>,
    lines: Vec<Line>,
}

/// The plots of `members`: times, and the rate they have; empty where nothing has a curve.
pub fn multiples(members: &FamilyMembers<'_, '_>, links: &RowLinks) -> Vec<Multiple> {
    members.quantities().into_iter().filter_map(|quantity| multiple(members, quantity, links)).collect()
}

/// All lines in one plot where they can be distinguished, else a plot for each benchmark, on the same axes.
fn multiple(members: &FamilyMembers<'_, '_>, quantity: Quantity, links: &RowLinks) -> Option<Multiple> {
    let mut drawn: Vec<Drawn<'_, '_>> =
        members.sections.iter().map(|s| Drawn { section: s, lines: lines(s, quantity, links) }).collect();
    drawn.retain(|d| d.lines.iter().flat_map(Line::dots).nth(1).is_some());
    let all: Vec<&Line> = drawn.iter().flat_map(|d| &d.lines).collect();
    let axes = Axes::of(drawn.first()?.section, &all, quantity)?;
    let plots = if all.len() <= DIRECT_LABELS {
        vec![axes.view(&together(drawn), members.title, "")]
    } else {
        drawn.iter().map(|d| axes.view(&d.lines, &d.section.title(), &d.section.title())).collect()
    };
    Some(Multiple { title: heading(quantity), plots })
}

fn heading(quantity: Quantity) -> String {
    let (name, better) = match quantity {
        Quantity::Time => ("Time of one message or call", "lower is better"),
        Quantity::Messages => ("Message rate", "higher is better"),
        Quantity::Updates => ("Random updates", "higher is better"),
        _ => ("Bandwidth", "higher is better"),
    };
    format!("{name}, {better}")
}

/// The axes that all plots of a quantity have in common.
struct Axes {
    x: Axis,
    x_name: String,
    y: Axis,
    unit: String,
}

impl Axes {
    fn of(section: &Section<'_>, all: &[&Line], quantity: Quantity) -> Option<Self> {
        let lines = || all.iter().copied();
        let scale = Scale::between(lines().flat_map(Line::dots).map(|dot| dot.y), quantity)?;
        let positive = values(lines()).filter(|v| *v > 0.0);
        let (low, high) = positive.fold((f64::INFINITY, 0.0), |(low, high), v: f64| (v.min(low), v.max(high)));
        let unit = scale.unit.clone();
        let y = Axis::decades(low, high, TickLabels::Scaled(scale));
        Some(Self { x: ladder_axis(section, lines()), x_name: section.ladder_name().to_owned(), y, unit })
    }

    fn view(&self, lines: &[Line], shows: &str, title: &str) -> Picture {
        let label = format!("{shows} in {} over {}, {} curves", self.unit, self.x_name, lines.len());
        let (x, y) = (self.x.clone(), self.y.clone());
        let svg = plot(
            lines,
            LinePlot {
                x,
                x_name: &self.x_name,
                y,
                y_name: &self.unit,
                ideal: Vec::new(),
                boundaries: &[],
                level: None,
                label,
            },
        );
        let crowded = lines.len() > DIRECT_LABELS;
        let legend = lines.iter().filter(|_| crowded).map(|line| (line.look.0, line.look.1, line.label.clone()));
        Picture { svg, title: title.to_owned(), caption: String::new(), legend: legend.collect() }
    }
}

fn lines(section: &Section<'_>, quantity: Quantity, links: &RowLinks) -> Vec<Line> {
    let all = series(section);
    let lines = all.iter().zip(looks(section, &all)).map(|(one, look)| line(section, one, look, quantity, links));
    lines.filter(|line| line.dots().next().is_some()).collect()
}

/// The lines of all benchmarks as one: the hue is the benchmark's, the dash shows what else differs.
fn together(drawn: Vec<Drawn<'_, '_>>) -> Vec<Line> {
    let alike = alike(&drawn);
    let mut lines = Vec::new();
    for (hue, Drawn { section, lines: own }) in drawn.into_iter().enumerate() {
        let is_single = own.len() == 1;
        for (dash, line) in own.into_iter().enumerate() {
            let name = section.title().replacen(&alike, "", 1);
            let label = if is_single || line.label == name { name } else { format!("{name}, {}", line.label) };
            lines.push(Line { label, look: (hue % HUES, dash % DASHES), ..line });
        }
    }
    lines
}

/// The first word that all titles of a family begin with, with its underline: `p2p_`.
fn alike(drawn: &[Drawn<'_, '_>]) -> String {
    let first = |d: &Drawn<'_, '_>| d.section.title().split_once('_').map(|(word, _)| format!("{word}_"));
    let mut words = drawn.iter().map(first);
    let word = words.next().flatten();
    word.filter(|word| words.all(|other| other.as_ref() == Some(word))).unwrap_or_default()
}
