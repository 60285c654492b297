//! A table on a terminal.

use crate::align::Blanks;
use crate::colour::{Colour, FAINT};
use crate::grade::Grade;
use crate::model::{Align, Column, ColumnKind, Field, Row, Table, Tone, Value};
use crate::number::percent;
use crate::text::bar::bar;
use crate::text::grid::{Grid, GridColumn, Line, Piece};
use crate::text::style::style;
use crate::wrap::{abridge, hang, width as columns_of};
use paw_data::trust::Trust;

/// Terminal widths from which there are bars, with the length of the bars.
const BARS: [(usize, usize); 5] = [(160, 24), (120, 16), (96, 10), (72, 8), (38, 6)];
/// Width below which names get lines of their own above the numbers.
const NARROW: usize = 64;
/// Most columns of a name.
const NAME: usize = 60;

/// `table` for a terminal of `width` columns, without its title; a note that explains words of trust is left out where there is no room for them.
pub fn table_text(table: &Table, width: usize, colour: Colour) -> String {
    let columns = table.columns.iter().enumerate().flat_map(|(i, column)| grid_columns(table, i, column, width));
    let mut lines = Vec::new();
    for row in table.rows.iter().chain(&table.absent) {
        lines.extend(name_line(row, width));
        let pieces = row.fields.iter().enumerate().flat_map(|(i, field)| pieces(table, i, field, width)).collect();
        lines.push(match &row.absent {
            None => Line::Cells(pieces),
            Some(absent) => Line::Span(pieces, Piece::new(&absent.why, style(Tone::absent(absent.status)))),
        });
    }
    let grid = Grid { columns: columns.collect(), lines };
    let has_words = table.columns.iter().position(|column| column.kind == ColumnKind::Trust);
    let is_explained = !table.note.is_empty() && has_words.is_none_or(|column| grid.shows(column, width));
    let note = if is_explained { hang("", &table.note, 2, width) } else { String::new() };
    grid.render(width, colour) + &colour.faint(&note)
}

/// `table` as several, each of which fits into `width` columns: all of them begin with the first `keys` columns.
pub fn split(table: &Table, keys: usize, width: usize) -> Vec<Table> {
    let wide = |i: usize| {
        let fields = table.rows.iter().filter_map(|row| row.fields.get(i)).map(|f| text(table, i, f));
        let titles = table.columns[i].short.lines().map(str::to_owned);
        fields.chain(titles).map(|text| columns_of(&text)).max().unwrap_or(0) + 2
    };
    let lead: usize = (0..keys).map(wide).sum();
    let others: Vec<usize> = (keys..table.columns.len()).collect();
    let widest = others.iter().map(|i| wide(*i)).max().unwrap_or(1);
    let fit = ((width + 2).saturating_sub(lead) / widest).max(1);
    others.chunks(fit).map(|some| table.choosing(&[&(0..keys).collect::<Vec<_>>(), some].concat())).collect()
}

fn is_narrow(width: usize) -> bool {
    width < NARROW
}

fn grid_columns(table: &Table, i: usize, column: &Column, width: usize) -> Vec<GridColumn> {
    let grid_column = |title: &str, align: Align| GridColumn {
        title: title.to_owned(),
        align,
        importance: column.importance,
        least: column.least,
    };
    let own = match column.kind {
        ColumnKind::Name if is_narrow(width) => grid_column("", Align::Left),
        ColumnKind::Share => grid_column(&share_title(table, i), Align::Right),
        ColumnKind::Check | ColumnKind::Samples => grid_column(&column.short, Align::Right),
        _ => grid_column(&column.short, column.align),
    };
    let caveats = GridColumn { title: String::new(), align: Align::Left, importance: 130, least: 12 };
    std::iter::once(own).chain((column.kind == ColumnKind::Trust).then_some(caveats)).collect()
}

fn pieces(table: &Table, i: usize, field: &Field, width: usize) -> Vec<Piece> {
    let styled = |text: String| Piece::new(text, style(field.tone));
    match &field.value {
        Value::Name(_) if is_narrow(width) => vec![Piece::from(" ")],
        Value::Name(own) => vec![styled(name(&own.build, &own.variant, (width * 2 / 5).min(NAME)))],
        Value::Bar(length, mark) => {
            let room = BARS.iter().find(|(from, _)| width >= *from).map(|(_, room)| *room);
            let scaled = |value: f64, room: usize| value * room as f64;
            vec![styled(room.map_or(String::new(), |r| bar(scaled(*length, r), mark.map(|m| scaled(m, r)), r)))]
        }
        Value::Trust(grade, caveats) => {
            vec![styled(grade.word().to_owned()), Piece::new(caveats.as_str(), FAINT)]
        }
        _ => vec![styled(text(table, i, field))],
    }
}

/// The text of a field, with marks in place of styles.
fn text(table: &Table, i: usize, field: &Field) -> String {
    match &field.value {
        Value::Check(mark) => (*mark).to_owned(),
        Value::Share { share, of } if share_title(table, i) == "share" => format!("{} {}", percent(*share), short(of)),
        Value::Share { share, .. } => percent(*share),
        Value::Graded(grade, _) => marked(&table.shown(i, field, Blanks::Terminal), *grade),
        _ => table.shown(i, field, Blanks::Terminal),
    }
}

/// `of peak` where all shares are of the same reference, else `share`.
fn share_title(table: &Table, i: usize) -> String {
    let mut words = table.rows.iter().filter_map(|row| match row.fields.get(i)?.value {
        Value::Share { of, .. } => Some(of),
        _ => None,
    });
    let first = words.next().unwrap_or("peak");
    if words.all(|w| w == first) { format!("of {}", short(first)) } else { "share".to_owned() }
}

fn short(word: &str) -> &str {
    if word == "bandwidth" { "bw" } else { word }
}

/// A value with a mark if it is doubtful, before the blanks that align it.
fn marked(value: &str, grade: Grade) -> String {
    let digits = value.trim_end();
    let mark = match grade {
        Grade::Number(Trust::Fair) => "?",
        Grade::Number(Trust::Poor) => "!",
        _ => " ",
    };
    format!("{digits}{mark}{}", " ".repeat(value.len() - digits.len()))
}

/// The line above the numbers that holds the row's name.
fn name_line(row: &Row, width: usize) -> Option<Line> {
    let name = row.fields.iter().find(|field| matches!(field.value, Value::Name(_)))?;
    is_narrow(width).then(|| Line::Span(Vec::new(), Piece::new(&name.text, style(name.tone))))
}

/// A build's name in at most `room` columns; its variant stays whole where it leaves room for the rest.
fn name(build: &str, variant: &str, room: usize) -> String {
    match columns_of(variant) {
        wide if wide * 2 > room => abridge(&format!("{build}{variant}"), room),
        wide => abridge(build, room - wide) + variant,
    }
}
