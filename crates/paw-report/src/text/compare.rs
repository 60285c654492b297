//! Two sides of runs, point by point.

use std::borrow::Cow;

use paw_data::parts;
use paw_data::run::Run;
use paw_data::scaling::{CommonHeadline, Yardstick};
use paw_stats::comparison::RUNS_MIN;

use crate::benchmark::comparison::comparison;
use crate::colour::{BAD, Colour, DOUBT, FAINT, STRONG};
use crate::number;
use crate::pairs::{Pairs, pairs};
use crate::text::table::table_text;
use crate::wrap::{hang, shorten, wrap};

/// Fewest columns printed.
const NARROWEST: usize = 32;

/// The runs `b` against the runs `a`, at least one each, for a terminal of `width` columns (32 at least): what differs between the
/// machines, then ratio, interval and verdict of every point both have. A run that is named again counts once, and one of both sides
/// counts on neither: the verdicts rest on what differs from run to run.
pub fn compare(a: &[Run], b: &[Run], width: usize, colour: Colour) -> String {
    let width = width.max(NARROWEST);
    let Sides { a, b, notes } = sides(a, b);
    let (a, b) = (&*a, &*b);
    let by = CommonHeadline::of(a, b);
    let seen = |side: &[Run]| by.as_ref().map(|by| by.seen(side));
    let (of_a, of_b) = (seen(a), seen(b));
    let (a, b) = (of_a.as_deref().unwrap_or(a), of_b.as_deref().unwrap_or(b));
    let pairs = pairs(a, b);
    let ids =
        |side: &str, runs: &[Run]| runs.iter().map(|run| hang(side, &run.header.id, 3, width)).collect::<String>();
    let mut out = ids("A", a) + &ids("B", b);
    out.push_str(&differences(&pairs, width, colour));
    let notes = notes.into_iter().chain(undecided(&pairs, a, b)).collect();
    out.push_str(&summary(&pairs, notes, compared_by(by.as_ref(), a, b).as_deref(), width, colour));
    let tables = parts::each(&pairs.sections, 1, |(section, rows)| {
        let table = comparison(section, rows, ["A", "B", "B÷A"]);
        if table.is_empty() {
            return String::new();
        }
        let title = shorten(&[section.title(), section.unit().to_owned(), section.note()].join("  "), width);
        let table = table_text(&table, width, colour);
        format!("\n{}\n{table}", colour.paint(title.trim_end(), STRONG))
    });
    out.extend(tables);
    out
}

/// Runs that are different ones.
struct Sides<'r> {
    a: Cow<'r, [Run]>,
    b: Cow<'r, [Run]>,
    /// The runs that were left out, each a sentence without a full stop.
    notes: Vec<String>,
}

/// The different runs of both sides.
fn sides<'r>(a: &'r [Run], b: &'r [Run]) -> Sides<'r> {
    let mut notes = Vec::new();
    let [a, b] = [("A", a), ("B", b)].map(|(side, runs)| {
        let is_first = |at: usize| runs[..at].iter().all(|run| run.header.id != runs[at].header.id);
        let kept: Vec<usize> = (0..runs.len()).filter(|at| is_first(*at)).collect();
        for at in kept.iter().copied() {
            let id = &runs[at].header.id;
            let times = runs.iter().filter(|run| run.header.id == *id).count();
            if times > 1 {
                notes.push(format!("{id} is named {times} times in {side} and counts once"));
            }
        }
        chosen(runs, &kept)
    });
    let holds = |side: &[Run], run: &Run| side.iter().any(|own| own.header.id == run.header.id);
    let own = |side: &[Run], other: &[Run]| -> Vec<usize> {
        (0..side.len()).filter(|at| !holds(other, &side[*at])).collect()
    };
    let (own_a, own_b) = (own(&a, &b), own(&b, &a));
    if own_a.len() == a.len() || a.len() + b.len() == 2 {
        return Sides { a, b, notes };
    }
    notes.extend(
        a.iter().filter(|run| holds(&b, run)).map(|run| {
            format!("{} is in A and in B: it tells nothing of a difference and decides none", run.header.id)
        }),
    );
    // Ratios need a run a side.
    let [kept_a, kept_b] = [own_a, own_b].map(|own| if own.is_empty() { vec![0] } else { own });
    let (a, b) = (chosen(&a, &kept_a).into_owned(), chosen(&b, &kept_b).into_owned());
    Sides { a: Cow::Owned(a), b: Cow::Owned(b), notes }
}

/// The runs at the places `kept`.
fn chosen<'r>(runs: &'r [Run], kept: &[usize]) -> Cow<'r, [Run]> {
    if kept.len() == runs.len() {
        return Cow::Borrowed(runs);
    }
    Cow::Owned(kept.iter().map(|at| runs[*at].clone()).collect())
}

/// Why there is no ratio, or no verdict although there are runs enough for one.
fn undecided(pairs: &Pairs<'_>, a: &[Run], b: &[Run]) -> Vec<String> {
    let all = || pairs.sections.iter().flat_map(|(_, rows)| rows);
    let bare = all().filter(|pair| pair.a.value.is_none() && pair.b.value.is_none()).count();
    let mut notes = Vec::new();
    if bare > 0 {
        notes.push(format!("{} without a number in A and in B", number::plural(bare, "cell")));
    }
    let has_ratios = all().any(|pair| pair.comparison.is_some());
    if has_ratios && a.len().min(b.len()) >= RUNS_MIN && pairs.counts().is_empty() {
        notes.push(format!(
            "no cell has a number in {RUNS_MIN} runs of A and in {RUNS_MIN} of B, which a verdict takes"
        ));
    }
    notes
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

fn summary(pairs: &Pairs<'_>, notes: Vec<String>, by: Option<&str>, width: usize, colour: Colour) -> String {
    let mut lines = vec![pairs.headline()];
    lines.extend(pairs.notes());
    lines.extend(notes);
    if pairs.sections.iter().any(|(_, rows)| rows.iter().any(|pair| pair.comparison.is_some())) {
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
