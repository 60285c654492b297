//! A profile as a flame graph: callers above what they call, as wide as their time; below a function its loops and lines.
//!
//! Widths are percentages, so that the text keeps its size on a narrow page; each box is an `svg` of its own, which clips its label.

use std::collections::BTreeMap;
use std::fmt::Write;

use paw_data::profile::{ModuleKind, Place, Profile};
use paw_sort::OrderBy;

use crate::svg::{escape, number};

/// Height of a box, in pixels.
const HEIGHT: f64 = 18.0;
/// Distance of levels, in pixels.
const STEP: f64 = 20.0;
/// Share of all samples below which a box is not drawn.
const LEAST: f64 = 0.003;
/// Width, in per cent of the picture, below which a box has no label: two letters of it would be seen.
const LABELLED: f64 = 2.5;
/// Levels that are drawn.
const LEVELS: usize = 32;

/// A box and those under it.
#[derive(Debug, Default)]
struct Node {
    samples: u64,
    own: BTreeMap<Level, Node>,
}

/// What a box stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Function(u32),
    Loop(u32),
    Line(u32, u32),
}

/// The flame graph of `profile`; `None` without samples.
pub fn flame(profile: &Profile) -> Option<String> {
    let tree = tree(profile);
    if tree.samples == 0 {
        return None;
    }
    let mut drawing = Boxes { profile, body: String::new(), deepest: 0 };
    drawing.draw(&tree, 0, 0.0, 100.0);
    let height = number(STEP * (drawing.deepest + 1) as f64);
    let label = escape(&format!("flame graph of {}", profile.name));
    Some(format!(
        r#"<svg class="plot flame" style="height:{height}px" role="img" aria-label="{label}" xmlns="http://www.w3.org/2000/svg">{}</svg>"#,
        drawing.body
    ))
}

fn tree(profile: &Profile) -> Node {
    let mut root = Node::default();
    for stack in &profile.stacks {
        let functions = stack.places.iter().rev().filter_map(|place| Some(profile.place(*place)?.function));
        let mut path: Vec<Level> = functions.map(Level::Function).take(LEVELS).collect();
        if let Some(place) = profile.innermost(stack) {
            path.extend(place.within.map(Level::Loop));
            path.extend((place.line > 0).then_some(Level::Line(stack.places[0], place.line)));
        }
        root.samples += stack.samples;
        let mut node = &mut root;
        for level in path {
            node = node.own.entry(level).or_default();
            node.samples += stack.samples;
        }
    }
    root
}

/// Boxes as they are drawn.
struct Boxes<'a> {
    profile: &'a Profile,
    body: String,
    deepest: usize,
}

impl Boxes<'_> {
    fn draw(&mut self, node: &Node, depth: usize, left: f64, width: f64) {
        let mut own: Vec<(&Level, &Node)> = node.own.iter().collect();
        own.order_by_key(|(level, node)| (std::cmp::Reverse(node.samples), **level));
        let mut left = left;
        for (level, under) in own {
            let part = width * under.samples as f64 / node.samples.max(1) as f64;
            if part >= 100.0 * LEAST {
                self.one(*level, under.samples, depth, left, part);
                self.draw(under, depth + 1, left, part);
            }
            left += part;
        }
    }

    fn one(&mut self, level: Level, samples: u64, depth: usize, left: f64, width: f64) {
        self.deepest = self.deepest.max(depth);
        let (class, name, place) = self.words(level);
        let share = self.profile.share(samples);
        let title =
            format!("{name}{place}: {:.1} ± {:.1} %, {:.3} s", 100.0 * share.share, 100.0 * share.half, share.seconds);
        let label = if width < LABELLED { String::new() } else { escape(&name) };
        // Writing to a string cannot fail.
        let _ = write!(
            self.body,
            r#"<svg x="{left:.3}%" y="{}" width="{width:.3}%" height="{HEIGHT}"><g class="{class}"><title>{}</title><rect class="box" width="100%" height="100%"/><text class="frame" x="4" y="13">{}</text></g></svg>"#,
            number(STEP * depth as f64),
            escape(&title),
            label,
        );
    }

    /// Class, label and file of a box.
    fn words(&self, level: Level) -> (&'static str, String, String) {
        let profile = self.profile;
        match level {
            Level::Function(function) => {
                let module = profile.functions.get(function as usize).map_or(u32::MAX, |found| found.module);
                let place = format!(" ({})", profile.module_name(module));
                (self.hue(module), profile.title(function), place)
            }
            Level::Loop(index) => ("hue2", format!("loop {}", profile.loop_title(index)), String::new()),
            Level::Line(place, line) => {
                let file = profile.place(place).map_or("", |place: &Place| place.file.as_str());
                ("hue6", format!("line {line}"), format!(" of {file}"))
            }
        }
    }

    /// The colour of a module: the first file's, other files', and that of code in no file.
    fn hue(&self, module: u32) -> &'static str {
        let first = self.profile.modules.iter().position(|module| module.kind == ModuleKind::File);
        let kind = self.profile.modules.get(module as usize).map(|module| module.kind);
        match kind {
            Some(ModuleKind::File) if first == Some(module as usize) => "hue0",
            Some(ModuleKind::File) => "hue3",
            _ => "hue1",
        }
    }
}

#[cfg(test)]
mod tests {
    use paw_data::profile::{Function, Module, Sampling, Stack};

    use super::*;

    /// `main` calls `work`, whose line 7 has three quarters.
    fn profile() -> Profile {
        let function = |name: &str| Function { name: Some(name.to_owned()), address: Some(1), module: 0 };
        let place = |function, line| Place { function, line, file: "a.c".to_owned(), within: None };
        let stack = |samples, places: &[u32]| Stack { thread: 0, samples, places: places.to_vec() };
        Profile {
            sampling: Sampling { samples: 400, processor_s: 4.0, ..Sampling::default() },
            modules: vec![Module { path: "/bin/<a>".to_owned(), kind: ModuleKind::File }],
            functions: vec![function("main"), function("work<int>")],
            places: vec![place(0, 0), place(1, 7), place(0, 3)],
            stacks: vec![stack(300, &[1, 0]), stack(100, &[2]), stack(0, &[99])],
            ..Profile::default()
        }
    }

    #[test]
    fn a_flame_graph_is_xml_with_a_box_for_each_level() {
        let drawn = flame(&profile()).expect("there are samples");
        let parsed = roxmltree::Document::parse(&drawn).expect("it is XML");
        let texts: Vec<_> =
            parsed.descendants().filter(|node| node.has_tag_name("text")).filter_map(|n| n.text()).collect();
        assert_eq!(texts, ["main", "work<int>", "line 7", "line 3"]);
        assert!(drawn.contains("75.0 ± ") && drawn.contains("3.000 s"), "{drawn}");
        assert!(!drawn.contains("<script") && !drawn.contains("http-equiv"));
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(flame(&Profile::default()), None);
    }
}
