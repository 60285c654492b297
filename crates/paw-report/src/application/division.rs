//! How to divide a machine: copies of a program × threads of each, by the work that all copies get done in a second.

use paw_data::comparison::{CONFIDENCE, Comparison, MARGIN, Origin};
use paw_data::point::Point;
use paw_data::scaling::{CopyRow, CopySweep, Scaling, Yardstick};
use paw_stats::comparison::bonferroni;
use paw_stats::interval::Bounds;

use crate::application::figure;
use crate::application::threads::Keys;
use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number::{self, plural, significant};

/// Most divisions that the sentence names beside the best.
const NAMED: usize = 2;

/// The divisions of a machine by one command at one size.
struct Divisions<'a> {
    size: &'a Point,
    provider: &'a str,
    sweeps: Vec<&'a CopySweep<'a>>,
}

impl<'a> Divisions<'a> {
    /// Those of each size and command that was measured with several thread counts and several numbers of copies; none by a printed
    /// number, which does not tell when all copies have ended.
    fn all(scaling: &'a Scaling<'a>) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        if scaling.yardstick != Yardstick::WallTime {
            return found;
        }
        for sweep in &scaling.copy_sweeps {
            match found.iter_mut().find(|own| (own.size, own.provider) == (&sweep.size, sweep.provider)) {
                Some(own) => own.sweeps.push(sweep),
                None => found.push(Self { size: &sweep.size, provider: sweep.provider, sweeps: vec![sweep] }),
            }
        }
        found.retain(|own| own.sweeps.len() > 1);
        found
    }

    fn rows(&self) -> impl Iterator<Item = &'a CopyRow<'a>> {
        self.sweeps.iter().flat_map(|sweep| &sweep.rows)
    }

    /// The row in which most work is done in a second.
    fn best(&self) -> Option<&'a CopyRow<'a>> {
        let most = |a: &&CopyRow<'_>, b: &&CopyRow<'_>| {
            a.throughput.unwrap_or_default().total_cmp(&b.throughput.unwrap_or_default())
        };
        self.rows().filter(|row| row.throughput.is_some()).max_by(most)
    }

    fn at(&self, copies: u32, threads: u32) -> Option<&'a CopyRow<'a>> {
        self.rows().find(|row| (row.copies, row.row.threads) == (copies, threads))
    }
}

/// Work per second of all copies: a row for each size, command and number of copies, a column for each thread count.
pub fn table(scaling: &Scaling<'_>) -> Table {
    let all = Divisions::all(scaling);
    let keys = Keys::of(all.iter().map(|own| own.size), all.iter().map(|own| own.provider));
    let threads = sorted(all.iter().flat_map(Divisions::rows).map(|row| row.row.threads));
    let mut columns = keys.columns();
    let number = |title: String| Column::new(title, Align::Right, Column::ALWAYS);
    columns.push(number("copies".to_owned()));
    columns.extend(threads.iter().map(|count| number(plural(*count as usize, "thread"))));
    let available = scaling.app.available();
    let mut rows = Vec::new();
    for own in &all {
        let best = own.best().map(|best| best.record().cell.id);
        for copies in sorted(own.rows().map(|row| row.copies)) {
            let mut fields = keys.fields(own.size, own.provider);
            fields.push(copies.to_string().into());
            fields.extend(threads.iter().map(|count| field(own.at(copies, *count), best, available)));
            rows.push(Row { fields, absent: None, cell: None });
        }
    }
    let unit = unit(scaling);
    Table::dense(format!("what all copies get done together, {unit}, by threads of each"), columns, rows)
}

fn field(row: Option<&CopyRow<'_>>, best: Option<u32>, available: u32) -> Field {
    let Some(row) = row else { return Field::default() };
    let known = row.throughput.zip(row.row.timing);
    let Some((throughput, timing)) = known else { return Field::new(number::ABSENT, Tone::Faint) };
    let mark = timing.agreed().mark();
    let star = if row.oversubscribed(available) { "*" } else { "" };
    let tone = match mark {
        "" if best == Some(row.record().cell.id) => Tone::Strong,
        "" => Tone::Plain,
        _ => Tone::Doubt,
    };
    Field::new(format!("{}{mark}{star}", figure::plain(throughput, None)), tone)
}

/// Which division gets most done at the largest size, and which are not told apart from it:
/// `Most is done by 2 copies of 1 thread, 163 runs/s, 1.84 times (99%: 1.80…1.88) as much as by 1 copy of 2 threads.`
pub fn sentence(scaling: &Scaling<'_>) -> Option<String> {
    let all = Divisions::all(scaling);
    let own = all.iter().rfind(|own| own.provider == scaling.app.first())?;
    let best = own.best()?;
    let others: Vec<&CopyRow<'_>> =
        own.rows().filter(|row| row.throughput.is_some() && row.record().cell.id != best.record().cell.id).collect();
    // All are held against the best at once.
    let confidence = bonferroni(CONFIDENCE, others.len() + 1);
    let against = |other: &CopyRow<'_>| {
        let found = Comparison::within(best.record(), other.record(), Origin::SameRun, confidence, MARGIN)?;
        let copies = f64::from(best.copies) / f64::from(other.copies);
        let interval = found.interval.filter(|interval| found.decides() && interval.low * copies > 1.0)?;
        Some((found.ratio * copies, Bounds { low: interval.low * copies, high: interval.high * copies }))
    };
    let (behind, open): (Vec<&CopyRow<'_>>, Vec<_>) = others.iter().partition(|row| against(row).is_some());
    let next = behind.iter().filter_map(|row| Some((row, against(row)?)));
    let next = next.min_by(|(_, (a, _)), (_, (b, _))| a.total_cmp(b));
    let rate = format!("{} {}", figure::plain(best.throughput?, None), unit(scaling));
    let leader = format!("{} ({rate})", name(best));
    if !open.is_empty() {
        let more = open.len().saturating_sub(NAMED);
        let named = open
            .iter()
            .take(NAMED)
            .map(|row| name(row))
            .chain((more > 0).then(|| format!("{} more", number::count(more))));
        let named = named.collect::<Vec<_>>().join(", ");
        return Some(format!("Which division gets most done is not decided: {leader}, or {named}."));
    }
    let (row, (ratio, ends)) = next?;
    let interval = format!("{}…{}", significant(ends.low, 3), significant(ends.high, 3));
    Some(format!(
        "Most is done by {leader}, {} times (99%: {interval}) as much as by {}.",
        significant(ratio, 3),
        name(row)
    ))
}

/// `2 copies of 1 thread`.
fn name(row: &CopyRow<'_>) -> String {
    let copies = if row.copies == 1 { "1 copy".to_owned() } else { format!("{} copies", row.copies) };
    format!("{copies} of {}", plural(row.row.threads as usize, "thread"))
}

fn unit(scaling: &Scaling<'_>) -> String {
    scaling.throughput_unit().unwrap_or_else(|| "runs/s".to_owned())
}

fn sorted(values: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut all: Vec<u32> = values.collect();
    all.sort_unstable();
    all.dedup();
    all
}
