//! Pairs of cells as a table: the value of both, their ratio, and the verdict.

use paw_stats::verdict::Verdict;

use crate::alternatives::{Alternatives, alternatives};
use crate::benchmark::{key_columns, key_fields};
use crate::model::{Align, Column, Field, Kind, Row, Table, Tone, Value};
use crate::number::significant;
use crate::pairs::Pair;
use crate::section::Section;

/// The alternatives of `section` against the first of them, by rounds; `None` where there is one.
pub fn alternatives_table(section: &Section<'_>) -> Option<Table> {
    let Alternatives { base, pairs } = alternatives(section)?;
    let title = format!("against {base}, by rounds (÷: ratio of times; below 1 is faster)");
    Some(Table { title, ..comparison(section, &pairs, [base, "value", "÷"]) })
}

/// The table of `pairs`. The second cell names the row: the verdict is about it.
pub fn comparison(section: &Section<'_>, pairs: &[Pair<'_>], [a, b, ratio_title]: [&str; 3]) -> Table {
    let unit = |title: &str| format!("{title} {}", section.unit()).trim().to_owned();
    let mut columns = key_columns(section);
    columns.extend([
        Column::new(a, Align::Right, 100).titled(unit(a)),
        Column::new(b, Align::Right, 110).titled(unit(b)),
        Column::new(ratio_title, Align::Right, 250).of(Kind::Ratio),
        Column::new("interval", Align::Left, 150),
        Column::new("verdict", Align::Left, Column::ALWAYS),
    ]);
    let row = |pair: &Pair<'_>| {
        let mut fields = key_fields(section, &pair.b);
        fields.extend([&pair.a, &pair.b].map(|r| Field::from(section.value(r))));
        fields.extend(judged(pair));
        Row { fields, ..Row::default() }
    };
    let shown = pairs.iter().filter(|p| p.a.value.is_some() || p.b.value.is_some());
    Table::new("", columns, shown.map(row).collect())
}

/// Ratio of times, interval and verdict.
fn judged(pair: &Pair<'_>) -> [Field; 3] {
    let Some(found) = pair.comparison else {
        return [Field::default(), Field::default(), Field::new(missing(pair), Tone::Faint)];
    };
    let show = |v: f64| if v < 10.0 { format!("{v:.3}") } else { significant(v, 4) };
    let interval = found.interval.map(|i| format!("{}…{}", show(i.low), show(i.high)));
    let tone = verdict_tone(found.verdict);
    let ratio = Value::Ratio(found.ratio, found.interval.map(|i| (i.low, i.high)));
    [Field::from(show(found.ratio)).with(ratio), Field::maybe(interval), Field::new(found.verdict.word(), tone)]
}

/// How a verdict looks.
pub fn verdict_tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Faster => Tone::Good,
        Verdict::Slower => Tone::Bad,
        Verdict::Same => Tone::Plain,
        Verdict::Inconclusive => Tone::Doubt,
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
