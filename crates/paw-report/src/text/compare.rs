//! Two sides of runs, point by point.

use paw_data::parts;
use paw_data::run::Run;
use paw_data::scaling::{CommonHeadline, Yardstick};

use crate::benchmark::comparison::comparison;
use crate::colour::{BAD, Colour, DOUBT, FAINT, STRONG};
use crate::pairs::{Pairs, pairs};
use crate::text::table::table_text;
use crate::wrap::{hang, shorten, wrap};

/// Fewest columns printed.
const NARROWEST: usize = 32;

/// The runs `b` against the runs `a`, at least one each, for a terminal of `width` columns (32 at least): what differs between the
/// machines, then ratio, interval and verdict of every point both have.
pub fn compare(a: &[Run], b: &[Run], width: usize, colour: Colour) -> String {
    let width = width.max(NARROWEST);
    let by = CommonHeadline::of(a, b);
    let seen = |side: &[Run]| by.as_ref().map(|by| by.seen(side));
    let (of_a, of_b) = (seen(a), seen(b));
    let (a, b) = (of_a.as_deref().unwrap_or(a), of_b.as_deref().unwrap_or(b));
    let pairs = pairs(a, b);
    let ids =
        |side: &str, runs: &[Run]| runs.iter().map(|run| hang(side, &run.header.id, 3, width)).collect::<String>();
    let mut out = ids("A", a) + &ids("B", b);
    out.push_str(&differences(&pairs, width, colour));
    out.push_str(&summary(&pairs, compared_by(by.as_ref(), a, b).as_deref(), width, colour));
    let tables = parts::each(&pairs.sections, 1, |(section, rows)| {
        let title = shorten(&[section.title(), section.unit().to_owned(), section.note()].join("  "), width);
        let table = table_text(&comparison(section, rows, ["A", "B", "B÷A"]), width, colour);
        format!("\n{}\n{table}", colour.paint(title.trim_end(), STRONG))
    });
    out.extend(tables);
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

/// What the ratios are of, where a run has another headline than wall time.
fn compared_by(by: Option<&CommonHeadline>, a: &[Run], b: &[Run]) -> Option<String> {
    if let Some(by) = by {
        return Some(format!("times are {}, the printed number that is the headline of all runs", by.name()));
    }
    let named =
        a.iter().chain(b).find_map(|run| Some(Yardstick::headline(run.header.app.as_ref()?).metric()?.name.clone()));
    named.map(|name| {
        format!("times are wall times, which all runs have: {name} is not the headline of all, or is no time")
    })
}

fn summary(pairs: &Pairs<'_>, by: Option<&str>, width: usize, colour: Colour) -> String {
    let mut lines = vec![pairs.headline()];
    lines.extend(pairs.notes());
    if !pairs.sections.is_empty() {
        lines.push("B÷A is a ratio of times: below 1, B is faster".to_owned());
        lines.extend(by.map(str::to_owned));
    }
    let mut out = String::new();
    for (i, line) in lines.iter().enumerate() {
        for part in wrap(line, width) {
            out.push_str(&format!("{}\n", colour.paint(&part, if i == 0 { STRONG } else { FAINT })));
        }
    }
    out
}
