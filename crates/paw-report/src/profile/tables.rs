//! The tables of a profile: functions, loops, lines, threads.

use paw_data::profile::{Profile, Share};

use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number::{plural, significant};
use crate::profile::sentence::half;

/// Rows of a table; what is left over is summed up below it.
const ROWS: usize = 20;
/// Share below which a row is left over.
const LEAST: f64 = 0.002;

/// Functions by their own time.
pub fn functions(profile: &Profile) -> Table {
    let times = profile.function_times();
    let own: Vec<Share> = times.iter().map(|time| time.own).collect();
    let shown = shown(&own);
    let row = |time: &paw_data::profile::FunctionTime| {
        let mut fields = vec![name(profile, time.function)];
        fields.extend(figures(&time.own));
        let has_callees = time.total.samples > time.own.samples;
        fields.push(Field::maybe(has_callees.then(|| percent(time.total.share))));
        let module = profile.functions.get(time.function as usize).map_or("", |f| profile.module_name(f.module));
        fields.push(Field::new(module, Tone::Faint));
        row(fields)
    };
    let mut columns = vec![Column::new("function", Align::Left, Column::ALWAYS).shrinking(16)];
    columns.extend(figure_columns());
    columns.push(Column::new("with\ncalls %", Align::Right, 100).titled("with calls %"));
    columns.push(Column::new("file", Align::Left, 120).shrinking(8));
    let mut table = Table::dense("functions", columns, times.iter().take(shown).map(row).collect());
    table.note = rest(&own, shown, "function");
    table
}

/// Loops by their own time, inner ones counted for themselves.
pub fn loops(profile: &Profile) -> Table {
    let times = profile.loop_times();
    let own: Vec<Share> = times.iter().map(|time| time.own).collect();
    let shown = shown(&own);
    let row = |time: &paw_data::profile::LoopTime| {
        let found = profile.loops.get(time.index as usize);
        let mut fields = vec![Field::from(profile.loop_title(time.index))];
        fields.extend(figures(&time.own));
        fields.push(found.map_or_else(Field::default, |found| name(profile, found.function)));
        fields.push(Field::maybe(found.filter(|found| found.depth > 0).map(|found| found.depth.to_string())));
        row(fields)
    };
    let mut columns = vec![Column::new("loop", Align::Left, Column::ALWAYS).shrinking(16)];
    columns.extend(figure_columns());
    columns.push(Column::new("function", Align::Left, 120).shrinking(12));
    columns.push(Column::new("depth", Align::Right, 90));
    let mut table = Table::dense("loops", columns, times.iter().take(shown).map(row).collect());
    table.note = rest(&own, shown, "loop");
    table
}

/// Source lines by their own time.
pub fn lines(profile: &Profile) -> Table {
    let times = profile.line_times();
    let own: Vec<Share> = times.iter().map(|time| time.own).collect();
    let shown = shown(&own).min(12);
    let row = |time: &paw_data::profile::LineTime| {
        let file = time.file.rsplit('/').next().unwrap_or(&time.file);
        let mut fields = vec![Field::from(format!("{file}:{}", time.line))];
        fields.extend(figures(&time.own));
        fields.push(name(profile, time.function));
        row(fields)
    };
    let mut columns = vec![Column::new("line", Align::Left, Column::ALWAYS).shrinking(16)];
    columns.extend(figure_columns());
    columns.push(Column::new("function", Align::Left, 120).shrinking(12));
    let mut table = Table::dense("source lines", columns, times.iter().take(shown).map(row).collect());
    table.note = rest(&own, shown, "line");
    table
}

/// Threads by their time; empty for a program of one.
pub fn threads(profile: &Profile) -> Table {
    let times = profile.thread_times();
    if times.len() < 2 {
        return Table::default();
    }
    let own: Vec<Share> = times.iter().map(|time| time.own).collect();
    let shown = shown(&own);
    let row = |time: &paw_data::profile::ThreadTime| {
        let thread = profile.threads.get(time.thread as usize).cloned().unwrap_or_default();
        let is_main = thread.pid == thread.tid;
        let own = if is_main || thread.name == thread.process { thread.process } else { thread.name };
        let mut fields = vec![Field::from(own)];
        fields.extend(figures(&time.own));
        fields.push(thread.pid.to_string().into());
        fields.push(if is_main { "main".into() } else { Field::from(thread.tid.to_string()) });
        row(fields)
    };
    let mut columns = vec![Column::new("thread", Align::Left, Column::ALWAYS).shrinking(12)];
    columns.extend(figure_columns());
    columns.push(Column::new("process", Align::Right, 100));
    columns.push(Column::new("number", Align::Right, 90));
    let mut table = Table::dense("processes and threads", columns, times.iter().take(shown).map(row).collect());
    table.note = rest(&own, shown, "thread");
    table
}

fn row(fields: Vec<Field>) -> Row {
    Row { fields, ..Row::default() }
}

fn name(profile: &Profile, function: u32) -> Field {
    let is_named = profile.functions.get(function as usize).is_some_and(|function| function.name.is_some());
    Field::new(profile.title(function), if is_named { Tone::Plain } else { Tone::Faint })
}

fn figure_columns() -> [Column; 4] {
    [
        Column::new("%", Align::Right, Column::ALWAYS),
        Column::new("±", Align::Right, 200),
        Column::new("s", Align::Right, Column::ALWAYS),
        Column::new("± s", Align::Right, 110),
    ]
}

fn figures(share: &Share) -> [Field; 4] {
    let half_s = Field::new(seconds(share.half_s), Tone::Faint);
    [
        Field::new(percent(share.share), Tone::Strong),
        Field::new(half(share), Tone::Faint),
        seconds(share.seconds).into(),
        half_s,
    ]
}

fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

/// Seconds to a millisecond, finer only for short programs.
fn seconds(seconds: f64) -> String {
    if seconds >= 0.01 || seconds == 0.0 { format!("{seconds:.3}") } else { significant(seconds, 2) }
}

/// How many rows are shown.
fn shown(shares: &[Share]) -> usize {
    shares.iter().take(ROWS).take_while(|share| share.share >= LEAST).count()
}

/// What the rows left over have together.
fn rest(shares: &[Share], shown: usize, what: &str) -> String {
    let rest = shares.get(shown..).unwrap_or_default();
    let sum: f64 = rest.iter().map(|share| share.share).sum();
    if rest.is_empty() || sum < 0.000_5 {
        return String::new();
    }
    format!("{}: {} % together", plural(rest.len(), &format!("more {what}")), percent(sum))
}
