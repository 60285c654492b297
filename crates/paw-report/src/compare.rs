//! Two runs point by point.

use paw_data::run::Run;
use paw_stats::verdict::Verdict;

use crate::align::Blanks;
use crate::alternatives::{Alternatives, alternatives};
use crate::colour::{BAD, Colour, DOUBT, FAINT, GOOD, STRONG};
use crate::number::{plural, significant};
use crate::pairs::{Pair, Pairs, pairs};
use crate::section::Section;
use crate::table::{Align, Column, Line, Piece, Table};
use crate::text_section::{key_columns, key_pieces};
use crate::wrap::{hang, shorten, wrap};

/// Narrower terminals than this get this many columns.
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
        out.push_str(&table(section, rows, ["A", "B", "B÷A"]).render(width, colour));
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

/// The alternatives of a section against the first of them, by rounds; empty where there is one.
pub fn alternatives_text(section: &Section<'_>, width: usize, colour: Colour) -> String {
    let Some(Alternatives { base, pairs }) = alternatives(section) else { return String::new() };
    let title = format!("against {base}, by rounds (÷: ratio of times; below 1 is faster)");
    let mut out = String::new();
    wrap(&title, width).iter().for_each(|line| out.push_str(&format!("{}\n", colour.paint(line, FAINT))));
    out + &table(section, &pairs, [base, "value", "÷"]).render(width, colour)
}

/// Each row is named by its second cell: that is the one the verdict is about.
fn table(section: &Section<'_>, rows: &[Pair<'_>], [a, b, ratio_title]: [&str; 3]) -> Table {
    let mut columns = key_columns(section);
    columns.extend([
        Column::new(a, Align::Right, 100),
        Column::new(b, Align::Right, 110),
        Column::new(ratio_title, Align::Right, 250),
        Column::new("interval", Align::Left, 150),
        Column::new("verdict", Align::Left, Column::ALWAYS),
    ]);
    let line = |pair: &Pair<'_>| {
        let mut pieces = key_pieces(section, &pair.b);
        pieces.extend([&pair.a, &pair.b].map(|r| Piece::from(section.aligned(r, Blanks::Terminal))));
        let (ratio, interval) = ratio(pair);
        pieces.extend([ratio.into(), interval.into(), verdict(pair)]);
        Line::Cells(pieces)
    };
    let shown = rows.iter().filter(|p| p.a.value.is_some() || p.b.value.is_some());
    Table { columns, lines: shown.map(line).collect() }
}

/// The ratio of times and its interval, as text; empty where there is none.
pub fn ratio(pair: &Pair<'_>) -> (String, String) {
    let Some(comparison) = pair.comparison else { return (String::new(), String::new()) };
    let show = |v: f64| if v < 10.0 { format!("{v:.3}") } else { significant(v, 4) };
    let interval = comparison.interval.map(|i| format!("{}…{}", show(i.low), show(i.high)));
    (show(comparison.ratio), interval.unwrap_or_default())
}

fn verdict(pair: &Pair<'_>) -> Piece {
    let Some(comparison) = pair.comparison else { return Piece::new(missing(pair), FAINT) };
    let style = match comparison.verdict {
        Verdict::Faster => GOOD,
        Verdict::Slower => BAD,
        Verdict::Same => anstyle::Style::new(),
        Verdict::Inconclusive => DOUBT,
    };
    Piece::new(comparison.verdict.word(), style)
}

/// Why there is no ratio.
pub fn missing(pair: &Pair<'_>) -> &'static str {
    match (pair.a.value.is_some(), pair.b.value.is_some()) {
        (true, true) => "other work",
        (true, false) => "no number in B",
        (false, true) => "no number in A",
        (false, false) => "no numbers",
    }
}
