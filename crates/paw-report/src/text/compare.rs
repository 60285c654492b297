//! Two runs point by point.

use paw_data::run::Run;

use crate::benchmark::comparison::comparison;
use crate::colour::{BAD, Colour, DOUBT, FAINT, STRONG};
use crate::number::plural;
use crate::pairs::{Pairs, pairs};
use crate::text::table::table_text;
use crate::wrap::{hang, shorten, wrap};

/// Fewest columns printed.
const NARROWEST: usize = 32;

/// Run `b` against run `a` for a terminal of `width` columns (32 at least): what differs between the machines, then ratio,
/// interval and verdict of every point both have.
pub fn compare(a: &Run, b: &Run, width: usize, colour: Colour) -> String {
    let width = width.max(NARROWEST);
    let pairs = pairs(a, b);
    let mut out = hang("A", &a.header.id, 3, width) + &hang("B", &b.header.id, 3, width);
    out.push_str(&differences(&pairs, width, colour));
    out.push_str(&summary(&pairs, width, colour));
    for (section, rows) in &pairs.sections {
        let title = shorten(&[section.title(), section.unit().to_owned(), section.note()].join("  "), width);
        out.push_str(&format!("\n{}\n", colour.paint(title.trim_end(), STRONG)));
        out.push_str(&table_text(&comparison(section, rows, ["A", "B", "B÷A"]), width, colour));
    }
    out
}

fn differences(pairs: &Pairs<'_>, width: usize, colour: Colour) -> String {
    let mut out = String::new();
    if pairs.identity.is_empty() {
        out.push_str("same machine\n");
    } else {
        let text = "not known to be the same machine: the ratios below may compare machines, not code";
        wrap(text, width).iter().for_each(|line| out.push_str(&format!("{}\n", colour.paint(line, BAD))));
        pairs.identity.iter().for_each(|d| out.push_str(&hang("", d, 2, width)));
    }
    if !pairs.circumstances.is_empty() {
        out.push_str(&format!("{}\n", colour.paint("also different", DOUBT)));
        pairs.circumstances.iter().for_each(|d| out.push_str(&hang("", d, 2, width)));
    }
    out
}

fn summary(pairs: &Pairs<'_>, width: usize, colour: Colour) -> String {
    let counts: Vec<String> = pairs.counts().iter().map(|(word, n)| format!("{n} {word}")).collect();
    let mut lines = vec![if counts.is_empty() { "no cell in common".to_owned() } else { counts.join(", ") }];
    if let Some(hint) = pairs.hint() {
        lines.push(format!("{hint}: what changed between the runs cannot be told from what changed in them"));
    }
    for (n, run) in [(pairs.only_a, "A"), (pairs.only_b, "B")] {
        if n > 0 {
            lines.push(format!("{} only in {run}", plural(n, "cell")));
        }
    }
    if !counts.is_empty() {
        lines.push("B÷A is a ratio of times: below 1, B is faster".to_owned());
    }
    let mut out = String::new();
    for (i, line) in lines.iter().flat_map(|line| wrap(line, width)).enumerate() {
        out.push_str(&format!("{}\n", colour.paint(&line, if i == 0 { STRONG } else { FAINT })));
    }
    out
}
