//! Alternatives in order: which is the fastest, which tie, which comparison is open; in a sentence and as a table.

use paw_data::comparison::{Comparison, Pairing};
use paw_data::scaling::{RankedRow, Ranking, Scaling, Yardstick};
use paw_stats::interval::Bounds;
use paw_stats::verdict::{Doubt, Verdict};

use crate::application::threads::Keys;
use crate::application::{figure, words};
use crate::benchmark::comparison::verdict_tone;
use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number::{self, plural, significant};

/// Most slower alternatives that the sentence names.
const NAMED: usize = 3;

/// The alternatives behind the fastest, by what is known of them.
#[derive(Default)]
struct Standing<'a> {
    slower: Vec<(&'a str, Comparison)>,
    ties: Vec<(&'a str, Comparison)>,
    open: Vec<(&'a str, Option<Comparison>)>,
}

impl<'a> Standing<'a> {
    fn of(ranking: &'a Ranking<'_>) -> Self {
        let mut found = Self::default();
        for (row, comparison) in ranking.behind() {
            match comparison {
                Some(known) if matches!(known.verdict, Verdict::Slower(_)) => found.slower.push((&row.name, known)),
                Some(known) if known.verdict == Verdict::Same => found.ties.push((&row.name, known)),
                other => found.open.push((&row.name, other)),
            }
        }
        found
    }
}

/// Which alternative is the fastest at one place: `Fastest: B (10.1 ms), 1.12 times (99%: 1.10…1.14) as fast as A; C ties with B.`
pub fn sentence(scaling: &Scaling<'_>, ranking: &Ranking<'_>) -> Option<String> {
    let first = ranking.rows.first()?;
    let Standing { slower, ties, open } = Standing::of(ranking);
    let at = place(scaling, ranking);
    let yardstick = scaling.yardstick;
    let leader = format!("{} ({})", first.name, figure::median(&first.timing));
    // Of numbers that never vary the rounds tell nothing that the ratio does not.
    let is_constant = first.timing.cost.is_constant;
    let told = |found: &Comparison| found.interval.filter(|ends| !is_constant || ends.low < ends.high);
    let behind = slower.iter().take(NAMED).map(|(name, found)| {
        let ends = told(found).map_or(String::new(), |ends| format!(" (99%: {})", interval(ends)));
        words::ratio(yardstick, &ratio(found.ratio), &ends, name)
    });
    let behind: Vec<String> = behind.collect();
    let more = slower.len().saturating_sub(NAMED);
    let worse = if yardstick.is_pace() { "slower" } else { "worse" };
    let more = (more > 0).then(|| format!("{} more are {worse}", number::count(more)));
    let faster = behind.into_iter().chain(more).collect::<Vec<_>>().join(", ");
    if !open.is_empty() {
        let rivals = open.iter().map(|(name, found)| rival(yardstick, name, *found));
        let all: Vec<String> = std::iter::once(leader).chain(rivals).collect();
        let tied = tied(&ties, &first.name).map(|tied| format!(" {}.", number::capitalised(&tied)));
        let faster = if faster.is_empty() { faster } else { format!(" {} is {faster}.", first.name) };
        return Some(format!(
            "Which is {}{at} is not decided: {}.{}{faster}",
            words::superlative(yardstick).replacen(['F', 'B'], if yardstick.is_pace() { "f" } else { "b" }, 1),
            listed(&all, "or"),
            tied.unwrap_or_default()
        ));
    }
    if faster.is_empty() && !ties.is_empty() {
        let names: Vec<String> =
            std::iter::once(leader).chain(ties.iter().map(|(name, _)| (*name).to_owned())).collect();
        let widest = ties.iter().filter_map(|(_, found)| found.interval).reduce(Bounds::and);
        let ratio =
            widest.map_or(String::new(), |ends| format!(" (ratio of {}, 99%: {})", ratios(yardstick), interval(ends)));
        let by = words::by(yardstick);
        return Some(format!("A tie{by}{at}: {}, within 1%{ratio}.", listed(&names, "and")));
    }
    let parts = [faster, tied(&ties, &first.name).unwrap_or_default()];
    let rest = match parts.each_ref().map(String::as_str) {
        ["", ""] => String::new(),
        [faster, ""] => format!(", {faster}"),
        ["", tied] => format!("; {tied}"),
        [faster, tied] => format!(", {faster}; {tied}"),
    };
    let word = match ranking.rows.len() {
        1 => format!("Measured{}{at}", words::by(yardstick)),
        _ => format!("{}{at}", words::superlative(yardstick)),
    };
    Some(format!("{word}: {leader}{rest}."))
}

/// How often which alternative is alone the fastest; `None` for one place.
pub fn tally(scaling: &Scaling<'_>) -> Option<String> {
    let ranked: Vec<&Ranking<'_>> = scaling.rankings.iter().filter(|ranking| ranking.rows.len() > 1).collect();
    if ranked.len() < 2 {
        return None;
    }
    let mut alone: Vec<(&str, usize)> = Vec::new();
    let mut others = 0;
    for ranking in &ranked {
        let Standing { ties, open, .. } = Standing::of(ranking);
        let name = ranking.rows[0].name.as_str();
        match alone.iter_mut().find(|(known, _)| *known == name) {
            _ if !(ties.is_empty() && open.is_empty()) => others += 1,
            Some((_, count)) => *count += 1,
            None => alone.push((name, 1)),
        }
    }
    let words: Vec<String> = alone.iter().map(|(name, count)| format!("{name} at {count}")).collect();
    let best = if scaling.yardstick.is_pace() { "fastest" } else { "best" };
    let words = if words.is_empty() { String::new() } else { format!(" the {best} is {};", words.join(", ")) };
    let open = match others {
        0 => " no point is open or a tie".to_owned(),
        open => {
            let faster = words::comparative(scaling.yardstick);
            format!(" at {open} none is shown to be {faster} than all others")
        }
    };
    Some(format!("Of {}{words}{open}.", plural(ranked.len(), "point")))
}

/// ` at n=128, 4 threads`; empty where there is one place.
fn place(scaling: &Scaling<'_>, ranking: &Ranking<'_>) -> String {
    let row = scaling.row(ranking.rows[0].record);
    let threads = row.map_or(String::new(), |(_, row)| figure::threads_words(row));
    let size = scaling.size(&ranking.place).to_string();
    let parts: Vec<String> = [size, threads].into_iter().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!(" at {}", parts.join(", ")) }
}

/// What ratios are of, in the plural: `times`, `fit_ms`.
fn ratios(yardstick: Yardstick<'_>) -> String {
    if yardstick == Yardstick::WallTime { "times".to_owned() } else { words::ratio_of(yardstick) }
}

/// `C (C takes 1.01 times as long, 99%: 0.97…1.06; about 120 rounds would tell)`.
fn rival(yardstick: Yardstick<'_>, name: &str, found: Option<Comparison>) -> String {
    let Some(found) = found else { return format!("{name} (not comparable)") };
    let ends = found.interval.map_or(String::new(), |ends| format!(", 99%: {}", interval(ends)));
    let why = match found.verdict.doubt() {
        Some(Doubt::Wide) => found.needed.map(|needed| format!("about {} rounds would tell", number::count(needed))),
        Some(doubt) => Some(doubt.to_string()),
        None => None,
    };
    let why = why.map_or(String::new(), |why| format!("; {why}"));
    let ratio = ratio(found.ratio);
    match yardstick {
        Yardstick::WallTime => format!("{name} (it takes {ratio} times as long{ends}{why})"),
        _ => format!("{name} ({} ÷ {ratio}{ends}{why})", words::ratio_of(yardstick)),
    }
}

fn tied(ties: &[(&str, Comparison)], first: &str) -> Option<String> {
    let names: Vec<String> = ties.iter().map(|(name, _)| (*name).to_owned()).collect();
    let verb = if names.len() == 1 { "ties" } else { "tie" };
    (!names.is_empty()).then(|| format!("{} {verb} with {first}", listed(&names, "and")))
}

fn listed(names: &[String], word: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} {word} {last}", all.join(", ")),
    }
}

/// Three decimals below ten: a percent counts.
fn ratio(value: f64) -> String {
    if value < 10.0 { format!("{value:.3}") } else { significant(value, 4) }
}

fn interval(ends: Bounds) -> String {
    format!("{}…{}", ratio(ends.low), ratio(ends.high))
}

/// The alternatives at each place, the fastest first, each against what it is held against.
pub fn table(scaling: &Scaling<'_>) -> Table {
    let all = || scaling.rankings.iter();
    let keys = Keys::of(all().map(|ranking| &ranking.place), std::iter::empty());
    let rows = || all().flat_map(|ranking| ranking.rows.iter().map(move |row| (ranking, row)));
    let scale = figure::scale(scaling.yardstick, rows().map(|(_, row)| row.timing.median()));
    let named = scaling.app.against.is_some();
    let mut references: Vec<&str> = rows().filter_map(|(_, row)| row.against.as_deref()).collect();
    references.dedup();
    let over = match references.as_slice() {
        [one] if named => one,
        [_, ..] if named => "the alternative in the last column",
        _ if scaling.yardstick.is_pace() => "the fastest",
        _ => "the best",
    };
    // Cells that share no round have the ratio of their medians.
    let is_paired =
        |row: &RankedRow<'_>| row.comparison.is_some_and(|found| matches!(found.pairing, Pairing::Paired { .. }));
    let by = if rows().any(|(_, row)| is_paired(row)) { "by rounds" } else { "by medians" };
    let title = format!("÷: {} over that of {over}, {by}", words::ratio_of(scaling.yardstick));
    let mut columns = keys.columns();
    columns.extend([
        Column::new("", Align::Left, Column::ALWAYS),
        Column::new(words::over_unit("median", &scale.unit), Align::Right, 240),
        Column::new(words::over_unit("best", &scale.unit), Align::Right, 130),
        Column::new("÷", Align::Right, 250),
        Column::new("99%", Align::Left, 200),
        Column::new("verdict", Align::Left, Column::ALWAYS),
        Column::new("alike", Align::Left, 140),
        Column::new("rounds", Align::Left, 120),
        Column::new("held against", Align::Left, 110),
    ]);
    let several = named && references.len() > 1;
    let line = |(ranking, row): (&Ranking<'_>, &RankedRow<'_>)| {
        let mut fields = keys.fields(&ranking.place, "");
        fields.extend([
            Field::new(row.name.clone(), Tone::Plain),
            Field::new(figure::median_in(&scale, &row.timing), Tone::Strong),
            Field::from(figure::best_in(&scale, &row.timing)),
        ]);
        fields.extend(judged(row));
        fields.extend([
            Field::new(row.letters.clone(), Tone::Faint),
            Field::new(row.comparison.map_or(String::new(), |found| rounds(&found)), Tone::Faint),
            Field::maybe(row.against.clone().filter(|_| several)),
        ]);
        Row { fields, absent: None, cell: Some(row.record.cell.id) }
    };
    Table::dense(title, columns, rows().map(line).collect())
}

/// Ratio, interval and verdict of a row; empty for what others are held against.
fn judged(row: &RankedRow<'_>) -> [Field; 3] {
    let Some(found) = row.comparison else { return [Field::default(), Field::default(), Field::default()] };
    [
        Field::new(ratio(found.ratio), Tone::Strong),
        Field::new(found.interval.map_or(String::new(), interval), Tone::Faint),
        Field::new(found.verdict.word(), verdict_tone(found.verdict)),
    ]
}

/// The rounds behind a ratio, and how many would decide it.
fn rounds(found: &Comparison) -> String {
    let needed = match found.verdict.doubt() {
        Some(Doubt::Wide) => found.needed.map(|n| format!("about {} needed", number::count(n))),
        _ => Some(found.verdict.detail(found.margin)).filter(|detail| !detail.is_empty()),
    };
    let needed = needed.map_or(String::new(), |needed| format!(", {needed}"));
    format!("{}{needed}", found.label())
}

/// The meaning of the columns.
pub fn note(scaling: &Scaling<'_>) -> Option<String> {
    let rows = || scaling.rankings.iter().flat_map(|ranking| &ranking.rows);
    let comparisons = rows().filter(|row| row.comparison.is_some_and(|found| found.interval.is_some())).count();
    let has_letters = rows().any(|row| !row.letters.is_empty());
    let together = if comparisons > 1 { "; all of them hold at once" } else { "" };
    let letters = if has_letters { " alike: two that share a letter are not shown to differ." } else { "" };
    (comparisons > 0).then(|| {
        format!("99%: the interval of the ratio of {} in a round{together}.{letters}", ratios(scaling.yardstick))
    })
}
