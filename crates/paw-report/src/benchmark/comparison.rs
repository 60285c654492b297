//! Pairs of cells as a table: the value of both, their ratio, and the verdict.

use paw_data::comparison::Comparison;
use paw_data::parts::{self, ITEMS_A_THREAD};
use paw_stats::verdict::Verdict;

use crate::alternatives::{Alternatives, alternatives};
use crate::benchmark::{key_columns, key_fields};
use crate::model::{Align, Column, ColumnKind, Field, Row, Table, Tone, Value};
use crate::number::significant;
use crate::pairs::Pair;
use crate::section::Section;

/// The alternatives of `section` against the first of them, by rounds; `None` where there is one.
pub fn alternatives_table(section: &Section<'_>) -> Option<Table> {
    let Alternatives { base, pairs } = alternatives(section)?;
    let title = format!("against {base}, by rounds (÷: ratio of times; below 1 is faster)");
    Some(Table { title, ..comparison(section, &pairs, [base, "value", "÷"]) })
}

/// The table of `pairs`. The second cell names the row: the verdict is about it. Where no comparison decides there are no verdicts;
/// reasons of open ones are notes below the table.
pub fn comparison(section: &Section<'_>, pairs: &[Pair<'_>], [a, b, ratio_title]: [&str; 3]) -> Table {
    let unit = |title: &str| format!("{title} {}", section.unit()).trim().to_owned();
    let mut columns = key_columns(section);
    columns.extend([
        Column::new(a, Align::Right, 100).titled(unit(a)),
        Column::new(b, Align::Right, 110).titled(unit(b)),
        Column::new(ratio_title, Align::Right, 250).of(ColumnKind::Ratio),
        Column::new("interval", Align::Left, 150),
        Column::new("verdict", Align::Left, Column::ALWAYS),
        Column::new("size", Align::Left, 140),
    ]);
    let decides = pairs.iter().any(|pair| pair.comparison.is_some_and(|c| c.decides()));
    let has_verdicts = decides || pairs.iter().any(|pair| pair.comparison.is_none());
    let has_intervals = pairs.iter().any(|pair| pair.comparison.is_some_and(|c| c.interval.is_some()));
    let has_sizes = pairs.iter().any(|pair| pair.comparison.is_some_and(|c| !size(&c).is_empty()));
    let last = columns.len();
    let kept = |i: &usize| match last - i {
        3 => has_intervals,
        2 => has_verdicts,
        1 => has_sizes,
        _ => true,
    };
    let row = |pair: &Pair<'_>| {
        let mut fields = key_fields(section, &pair.b);
        fields.extend([&pair.a, &pair.b].map(|r| Field::from(section.value(r))));
        fields.extend(judged(pair, decides));
        Row { fields, ..Row::default() }
    };
    let is_shown = |pair: &Pair<'_>| pair.a.value.is_some() || pair.b.value.is_some();
    let rows = parts::each(pairs, ITEMS_A_THREAD, |pair| is_shown(pair).then(|| row(pair)));
    let table = Table::new("", columns, rows.into_iter().flatten().collect())
        .keeping(&(0..last).map(|i| kept(&i)).collect::<Vec<_>>());
    Table { note: doubts(pairs.iter().filter_map(|pair| pair.comparison)), ..table }
}

/// Ratio of times, interval, verdict and size; where the table `decides`, a cell that has numbers of too few runs is open, too.
fn judged(pair: &Pair<'_>, decides: bool) -> [Field; 4] {
    let Some(found) = pair.comparison else {
        return [Field::default(), Field::default(), Field::new(missing(pair), Tone::Faint), Field::default()];
    };
    let show = |v: f64| if v < 10.0 { format!("{v:.3}") } else { significant(v, 4) };
    let interval = found.interval.map(|i| format!("{}…{}", show(i.low), show(i.high)));
    let ratio = Value::Ratio(found.ratio, found.interval.map(|i| (i.low, i.high)));
    let word = if decides { found.verdict.word() } else { "" };
    [
        Field::from(show(found.ratio)).with(ratio),
        Field::maybe(interval),
        Field::new(word, verdict_tone(found.verdict)),
        Field::new(size(&found), Tone::Faint),
    ]
}

/// The size of a difference against the margin; empty without a direction.
fn size(found: &Comparison) -> String {
    if found.verdict.is_claim() { found.verdict.detail(found.margin) } else { String::new() }
}

/// Why verdicts are open, each reason once with the number of its cells; empty if none is, or no comparison decides.
pub fn doubts(all: impl Iterator<Item = Comparison>) -> String {
    let mut reasons: Vec<(String, usize)> = Vec::new();
    let all: Vec<Comparison> = all.collect();
    let decides = all.iter().any(Comparison::decides);
    for found in all.into_iter().filter(|_| decides) {
        let Some(doubt) = found.verdict.doubt() else { continue };
        let text = doubt.to_string();
        match reasons.iter_mut().find(|(reason, _)| *reason == text) {
            Some((_, n)) => *n += 1,
            None => reasons.push((text, 1)),
        }
    }
    let text = |(reason, n): &(String, usize)| if *n > 1 { format!("{reason} ({n} cells)") } else { reason.clone() };
    let all: Vec<String> = reasons.iter().map(text).collect();
    if all.is_empty() { String::new() } else { format!("INCONCLUSIVE: {}", all.join("; ")) }
}

/// How a verdict looks.
pub fn verdict_tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Faster(_) => Tone::Good,
        Verdict::Slower(_) => Tone::Bad,
        Verdict::Same => Tone::Plain,
        Verdict::Inconclusive(_) => Tone::Doubt,
    }
}

/// Why there is no ratio.
fn missing(pair: &Pair<'_>) -> &'static str {
    match (pair.a.value.is_some(), pair.b.value.is_some()) {
        (true, true) => "other work",
        (true, false) => "no number in B",
        (false, true) => "no number in A",
        (false, false) => "no numbers",
    }
}
