//! Programs × threads: the best time of each program at each number of threads, at the largest size.

use paw_data::run::Record;
use paw_data::scaling::{BaseKind, RunTiming, Scaling, ScalingRow, Sweep};

use crate::application::leader::leader;
use crate::application::{figure, words};
use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number;

/// The grid; `None` with one program, or one number of threads.
pub fn table(scaling: &Scaling<'_>) -> Option<Table> {
    let largest = scaling.sweeps.last().map(|sweep| scaling.size(&sweep.size))?;
    let sweeps: Vec<&Sweep<'_>> = scaling.sweeps.iter().filter(|s| scaling.size(&s.size) == largest).collect();
    let mut counts: Vec<Option<u32>> = sweeps.iter().flat_map(|s| &s.rows).map(ScalingRow::told).collect();
    let base = sweeps.iter().find_map(|s| s.base).filter(|_| matches!(scaling.base.kind, BaseKind::Program(_)));
    counts.extend(base.map(|_| None));
    counts.sort_unstable();
    counts.dedup();
    if scaling.app.others.is_empty() || counts.len() < 2 {
        return None;
    }
    let timed = || sweeps.iter().flat_map(|s| &s.rows).filter_map(|row| Some((row.record, row.timing?)));
    let scale = figure::scale(scaling.yardstick, timed().chain(base).map(|(_, timing)| timing.value()));
    let leader = leader(scaling.yardstick, &timed().chain(base).collect::<Vec<_>>());
    let field = |record: &Record, timing: &RunTiming<'_>| {
        let mark = timing.agreed().mark();
        let tone = match leader.is_some_and(|leader| std::ptr::eq(leader, record)) {
            true => Tone::Strong,
            false if mark.is_empty() => Tone::Plain,
            false => Tone::Doubt,
        };
        Field::new(figure::best_in(&scale, timing) + mark, tone)
    };
    let mut rows: Vec<Row> = Vec::new();
    if let Some((record, timing)) = &base {
        let at = |count: &Option<u32>| count.map_or_else(|| field(record, timing), |_| Field::default());
        let fields = std::iter::once("original".into()).chain(counts.iter().map(at)).collect();
        rows.push(Row { fields, ..Row::default() });
    }
    let line = |sweep: &&Sweep<'_>| {
        let at = |count: &Option<u32>| match sweep.rows.iter().find(|row| row.told() == *count) {
            None => Field::default(),
            Some(ScalingRow { record, timing: Some(timing), .. }) => field(record, timing),
            Some(_) => Field::new(number::ABSENT, Tone::Faint),
        };
        let fields = std::iter::once(name(scaling, sweep).into()).chain(counts.iter().map(at)).collect();
        Row { fields, ..Row::default() }
    };
    rows.extend(sweeps.iter().map(line));
    let at = if largest.iter().next().is_none() { String::new() } else { format!(" at {largest}") };
    let unit = if scale.unit.is_empty() { String::new() } else { format!(" in {}", scale.unit) };
    let title = format!("best {}{unit}{at}, programs × threads", words::noun(scaling.yardstick));
    let mut table = Table::new(title, columns(&sweeps, &counts), rows);
    table.note = note(scaling, &sweeps, (leader, counts[0].is_none())).join(" ");
    Some(table)
}

fn columns(sweeps: &[&Sweep<'_>], counts: &[Option<u32>]) -> Vec<Column> {
    let is_crowded = |count: &Option<u32>| {
        sweeps.iter().flat_map(|s| &s.rows).any(|row| row.told() == *count && row.oversubscribed())
    };
    let title = |count: &Option<u32>| match count {
        Some(threads) => format!("{threads}{}", if is_crowded(count) { "*" } else { "" }),
        None => number::ABSENT.to_owned(),
    };
    let across = counts.iter().map(|count| Column::new(title(count), Align::Right, Column::ALWAYS));
    std::iter::once(Column::new("program", Align::Left, Column::ALWAYS)).chain(across).collect()
}

/// `openmp mode=fast`.
fn name(scaling: &Scaling<'_>, sweep: &Sweep<'_>) -> String {
    let values = sweep.size.iter().filter(|(axis, _)| scaling.app.alternatives.iter().any(|own| own == axis));
    let values = values.map(|(axis, value)| format!("{axis}={value}"));
    std::iter::once(sweep.provider.to_owned()).chain(values).collect::<Vec<_>>().join(" ")
}

/// What the marks mean, and why numbers are missing.
fn note(scaling: &Scaling<'_>, sweeps: &[&Sweep<'_>], (leader, has_own): (Option<&Record>, bool)) -> Vec<String> {
    let rows = || sweeps.iter().flat_map(|sweep| sweep.rows.iter().map(move |row| (*sweep, row)));
    let who = |sweep: &Sweep<'_>, row: &ScalingRow<'_>| {
        let all = [name(scaling, sweep), figure::threads_words(row)];
        all.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" with ")
    };
    let found = rows().find(|(_, row)| leader.is_some_and(|leader| std::ptr::eq(leader, row.record)));
    let better = if scaling.yardstick.is_pace() { "faster" } else { "better" };
    let fastest = match (found, leader) {
        (Some((sweep, row)), _) => format!("{} is {better} than all others.", who(sweep, row)),
        (None, Some(_)) => format!("The original program is {better} than all others."),
        (None, None) => format!("None is shown to be {better} than all others."),
    };
    let own = has_own.then(|| format!("{}: paw did not set the threads.", number::ABSENT));
    let absent = rows().filter_map(|(sweep, row)| Some(format!("{}: {}.", who(sweep, row), figure::absence(row)?.1)));
    std::iter::once(fastest).chain(own).chain(absent).collect()
}
