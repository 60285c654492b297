//! How much of the wall time, or of the headline, the times are that a program prints.

use paw_data::application::BASE;
use paw_data::scaling::{ShareRow, TimeShare};

use crate::application::threads::Keys;
use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number::{self, significant};

/// The shares of `own` by size: a row for each size and command, a column for each thread count; `None` where the part is none.
pub fn table(own: &TimeShare<'_>) -> Option<Table> {
    if own.excess().is_some() {
        return None;
    }
    let keys = Keys::of(own.rows.iter().map(|row| &row.size), own.rows.iter().map(|row| provider(row)));
    let mut counts: Vec<Option<u32>> = own.rows.iter().map(width).collect();
    counts.sort_unstable();
    counts.dedup();
    let mut columns = keys.columns();
    for count in &counts {
        let unset = if counts.len() > 1 { "threads\nnot set" } else { "share" };
        let title = count.map_or(unset.to_owned(), |threads| number::plural(threads as usize, "thread"));
        columns.push(Column::new(title.replacen(' ', "\n", 1), Align::Right, Column::ALWAYS));
        columns.push(Column::new("95%", Align::Left, 120));
    }
    let mut lines: Vec<(&ShareRow<'_>, Vec<Field>)> = Vec::new();
    for row in &own.rows {
        let at = counts.iter().position(|count| *count == width(row))?;
        let is_same = |first: &ShareRow<'_>| first.size == row.size && provider(first) == provider(row);
        let line = match lines.iter().position(|(first, _)| is_same(first)) {
            Some(line) => line,
            None => {
                lines.push((row, vec![Field::default(); 2 * counts.len()]));
                lines.len() - 1
            }
        };
        let ends = row.interval.filter(|(low, high)| low < high);
        let half = ends.map(|(low, high)| (high - low) / 2.0);
        lines[line].1[2 * at] = Field::new(share(row.share, half), Tone::Strong);
        let ends = ends.map_or(String::new(), |(low, high)| format!("{}…{}", share(low, half), share(high, half)));
        lines[line].1[2 * at + 1] = Field::new(ends, Tone::Faint);
    }
    let line = |(first, fields): (&ShareRow<'_>, Vec<Field>)| {
        let mut all = keys.fields(&first.size, provider(first));
        all.extend(fields);
        Row { fields: all, absent: None, cell: Some(first.record.cell.id) }
    };
    let title = format!("share of {} in {}, median over the runs", own.part.name(), whole(own));
    Some(Table::dense(title, columns, lines.into_iter().map(line).collect()))
}

/// Why a printed time is no part of the other: `sum_s is no share of the wall time: …`.
pub fn excess(own: &TimeShare<'_>) -> Option<String> {
    let row = own.excess()?;
    let (part, whole) = (own.part.name(), whole(own));
    let place = row.record.cell.point.to_string();
    let at = if place.is_empty() { place } else { format!(" at {place}") };
    Some(format!(
        "{part} is no share of {whole}: it is {} times as long{at}, as a sum over threads may be, or a time that did not pass in these runs.",
        significant(row.share, 3)
    ))
}

fn whole(own: &TimeShare<'_>) -> String {
    own.whole.metric().map_or("the wall time".to_owned(), |fact| fact.name.clone())
}

/// `46.9%`, with a second decimal where half the interval is below a hundredth of a percent.
fn share(value: f64, half: Option<f64>) -> String {
    let decimals = if half.is_some_and(|half| half < 1e-4) { 2 } else { 1 };
    format!("{:.decimals$}%", 100.0 * value)
}

fn provider<'r>(row: &ShareRow<'r>) -> &'r str {
    let provider = row.record.cell.provider.as_str();
    if provider == BASE { "base" } else { provider }
}

/// The thread count of a cell; `None` where paw set none.
fn width(row: &ShareRow<'_>) -> Option<u32> {
    row.record.cell.point.int(paw_data::axis::THREADS).map(|_| row.threads)
}
