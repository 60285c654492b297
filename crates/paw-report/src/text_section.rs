//! One benchmark as a terminal table: a row for each cell, or a ladder with a column for each alternative.

use paw_data::outcome::Status;
use paw_data::trust::Trust;

use crate::absence::absences;
use crate::align::Blanks;
use crate::assessment::best_reading;
use crate::colour::{BAD, Colour, DOUBT, FAINT, GOOD, STRONG};
use crate::number::{self, Scale};
use crate::reading::{Grade, Reading, Value, share_word};
use crate::reason::codes;
use crate::secondary::{SecondaryMetric, Side};
use crate::section::{Section, Variation};
use crate::series::{Series, label, series};
use crate::table::{Align, Column, Line, Piece, Table};
use crate::text::grade_style;
use crate::wrap::{hang, printable, shorten, width as columns_of, wrap};

/// Longer sections than a screen become a ladder with a column for each alternative.
const SCREEN: usize = 24;
/// The same of sections that show several figures a cell.
const PAGE: usize = 60;

/// One benchmark.
pub fn section_text(section: &Section<'_>, width: usize, colour: Colour) -> String {
    let all = series(section);
    if is_long(section, &all) {
        title(section, section.unit(), width, colour) + &ladder(section, &all, width, colour)
    } else {
        title(section, "", width, colour) + &cells(section, width, colour)
    }
}

/// Whether the section reads better as a ladder with a column for each alternative.
pub fn is_long(section: &Section<'_>, all: &[Series<'_, '_>]) -> bool {
    let steps = all.iter().map(|s| s.rows.len()).max().unwrap_or(0);
    // A ladder has room for one figure a cell.
    let most = if section.secondary.is_empty() { SCREEN } else { PAGE };
    section.ladder.is_some() && all.len() > 1 && steps > 3 && section.rows.len() > most
}

fn title(section: &Section<'_>, unit: &str, width: usize, colour: Colour) -> String {
    let name = shorten(&section.title(), width);
    let note = [unit.to_owned(), section.note()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let (note, room) = (printable(&note.join(" · ")).into_owned(), width.saturating_sub(columns_of(&name) + 2));
    // What ranks and units mean stands there: it is told whole, below the name where it has no room beside.
    let (beside, below) = if columns_of(&note) <= room {
        (note, Vec::new())
    } else {
        (String::new(), wrap(&note, width.saturating_sub(2)))
    };
    let mut out = format!("{}  {}\n", colour.paint(&name, STRONG), colour.paint(&beside, FAINT)).replace("  \n", "\n");
    below.iter().for_each(|line| out.push_str(&format!("  {}\n", colour.paint(line, FAINT))));
    out
}

/// A row for each cell; cells without a number share a row where they share the reason.
fn cells(section: &Section<'_>, width: usize, colour: Colour) -> String {
    let unit = if section.unit().is_empty() { "value" } else { section.unit() };
    let mut columns = key_columns(section);
    let keys = columns.len();
    let secondary = |side| section.secondary.iter().filter(move |b| b.side == side).map(secondary_column);
    columns.extend(secondary(Side::Before));
    columns.extend([Column::new(unit, Align::Right, Column::ALWAYS), Column::new("±", Align::Right, 150)]);
    columns.extend(secondary(Side::Behind));
    columns.extend([
        Column::new(share_title(section), Align::Right, 140),
        Column::new("samples", Align::Right, 100),
        Column::new("check", Align::Right, 120),
        Column::new("trust", Align::Left, 180),
        Column::new("", Align::Left, 130).shrinking(12),
    ]);
    let mut lines: Vec<Line> =
        section.rows.iter().filter(|r| r.absence().is_none()).map(|r| Line::Cells(cell(section, r))).collect();
    for absence in absences(section) {
        let style = match absence.status {
            Status::Skipped => FAINT,
            // Its answer was checked, and nothing was timed.
            Status::Measured => GOOD,
            Status::Failed => BAD,
        };
        let mut pieces = key_pieces(section, absence.first);
        if section.ladder.is_some() {
            pieces[0] = absence.steps.clone().into();
        }
        debug_assert_eq!(pieces.len(), keys, "every key column has its piece");
        lines.push(Line::Span(pieces, Piece::new(absence.why, style)));
    }
    Table { columns, lines }.render(width, colour)
}

fn secondary_column(beside: &SecondaryMetric) -> Column {
    Column::new(beside.title().replace(' ', "\n"), Align::Right, if beside.is_minor() { 90 } else { 190 })
}

/// The columns that say which cell a row is.
pub fn key_columns(section: &Section<'_>) -> Vec<Column> {
    let mut columns = Vec::new();
    if section.benchmark() == Variation::Differs {
        columns.push(Column::new("benchmark", Align::Left, Column::ALWAYS));
    }
    columns.extend(section.ladder.iter().map(|l| Column::new(section.axis_name(l), Align::Right, Column::ALWAYS)));
    columns.extend(section.axes.iter().map(|a| Column::new(section.axis_name(a), Align::Left, 200)));
    if section.providers == Variation::Differs {
        columns.push(Column::new("provider", Align::Left, 220));
    }
    if section.participant_counts == Variation::Differs {
        columns.push(Column::new(section.participants.column(), Align::Right, 210));
    }
    columns
}

/// What stands in the columns of [`key_columns`].
pub fn key_pieces(section: &Section<'_>, reading: &Reading<'_>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if section.benchmark() == Variation::Differs {
        pieces.push(reading.record.cell.benchmark.as_str().into());
    }
    pieces.extend(section.ladder.iter().chain(&section.axes).map(|a| section.at(reading, a).into()));
    if section.providers == Variation::Differs {
        pieces.push(reading.record.cell.provider.as_str().into());
    }
    if section.participant_counts == Variation::Differs {
        pieces.push(reading.participants().map_or(String::new(), |n| n.to_string()).into());
    }
    pieces
}

/// `of peak` where all shares are of the same reference, else `share`.
fn share_title(section: &Section<'_>) -> String {
    let mut words = section.rows.iter().filter_map(|r| r.share).map(|s| share_word(&s));
    let first = words.next().unwrap_or("peak");
    if words.all(|w| w == first) { format!("of {}", short_word(first)) } else { "share".to_owned() }
}

fn short_word(word: &str) -> &str {
    if word == "bandwidth" { "bw" } else { word }
}

fn cell(section: &Section<'_>, reading: &Reading<'_>) -> Vec<Piece> {
    let mut pieces = key_pieces(section, reading);
    let mixed = share_title(section) == "share";
    let share = reading.share.map_or(String::new(), |s| {
        let of = if mixed { format!(" {}", short_word(share_word(&s))) } else { String::new() };
        format!("{}{of}", number::percent(s.value))
    });
    let check = reading
        .check()
        .map_or(Piece::default(), |(mark, word)| Piece::new(mark, if word == "right" { GOOD } else { DOUBT }));
    let secondary = |side| {
        section.secondary.iter().filter(move |b| b.side == side).map(|b| b.aligned(reading, Blanks::Terminal).into())
    };
    pieces.extend(secondary(Side::Before));
    pieces.extend([Piece::new(section.aligned(reading, Blanks::Terminal), STRONG), interval(reading).into()]);
    pieces.extend(secondary(Side::Behind));
    pieces.extend([
        share.into(),
        samples(reading).into(),
        check,
        Piece::new(reading.grade.word(), grade_style(reading.grade)),
        Piece::new(codes(&reading.reasons).join(", "), FAINT),
    ]);
    pieces
}

/// Half the interval relative to the value; empty where there is no interval.
pub fn interval(reading: &Reading<'_>) -> String {
    reading.value.and_then(|v| v.relative()).map_or(String::new(), number::half_width)
}

/// `16`, or `14/16` where two of sixteen were disturbed.
pub fn samples(reading: &Reading<'_>) -> String {
    match reading.value {
        Some(v) if v.disturbed > 0 => format!("{}/{}", v.used, v.taken),
        Some(v) => v.taken.to_string(),
        None => String::new(),
    }
}

/// The ladder down, a column for each alternative; as many tables as the width needs.
fn ladder(section: &Section<'_>, all: &[Series<'_, '_>], width: usize, colour: Colour) -> String {
    let Some(axis) = section.ladder else { return String::new() };
    let measured: Vec<&Series<'_, '_>> = all.iter().filter(|s| s.rows.iter().any(|r| r.absence().is_none())).collect();
    let first = section
        .rows
        .iter()
        .map(|r| columns_of(&section.at(r, axis)))
        .max()
        .unwrap_or(0)
        .max(section.axis_name(axis).len());
    // A value of four digits, its mark, and the gap.
    let widest = measured.iter().flat_map(|s| s.label.split(", ")).map(columns_of).max().unwrap_or(0).max(8) + 2;
    let fit = (width.saturating_sub(first) / widest).max(1);
    let mut out = String::new();
    for (i, part) in measured.chunks(fit).enumerate() {
        out.push_str(if i > 0 { "\n" } else { "" });
        out.push_str(&ladder_table(section, axis, part).render(width, colour));
    }
    for one in &measured {
        out.push_str(&summary(section, one, width, colour));
    }
    for absence in absences(section) {
        let place = format!("{}, {}={}", label(section, absence.first), section.axis_name(axis), absence.steps);
        out.push_str(&hang("", &format!("{place}  {}", absence.why), 2, width));
    }
    out
}

fn ladder_table(section: &Section<'_>, axis: &str, part: &[&Series<'_, '_>]) -> Table {
    let mut steps: Vec<String> = Vec::new();
    for reading in &section.rows {
        let step = section.at(reading, axis);
        if steps.last() != Some(&step) {
            steps.push(step);
        }
    }
    let known: Vec<_> = part.iter().map(|s| s.by_step(section, axis)).collect();
    let mut columns = vec![Column::new(section.axis_name(axis), Align::Right, Column::ALWAYS)];
    columns.extend(part.iter().map(|s| Column::new(s.label.replace(", ", "\n"), Align::Right, Column::ALWAYS)));
    let lines = steps.iter().map(|step| {
        let piece = |r: &&Reading<'_>| step_piece(section, r);
        let cells = known.iter().map(|series| series.get(step).map_or(Piece::from(""), piece));
        Line::Cells(std::iter::once(step.as_str().into()).chain(cells).collect())
    });
    Table { columns, lines: lines.collect() }
}

/// A value with a mark where it is to be doubted.
fn step_piece(section: &Section<'_>, reading: &Reading<'_>) -> Piece {
    let value = section.aligned(reading, Blanks::Terminal);
    let blanks = value.len() - value.trim_end().len();
    let marked = |mark| format!("{}{mark}{}", value.trim_end(), " ".repeat(blanks));
    match reading.grade {
        Grade::Number(Trust::Good) => Piece::from(marked(" ")),
        Grade::Number(Trust::Fair) => Piece::new(marked("?"), DOUBT),
        Grade::Number(Trust::Poor) => Piece::new(marked("!"), BAD),
        Grade::Broken => Piece::new("✗ ", BAD),
        Grade::Absent => Piece::new("– ", FAINT),
    }
}

/// The best cell of a series in a sentence, and how many of its cells are doubtful.
fn summary(section: &Section<'_>, series: &Series<'_, '_>, width: usize, colour: Colour) -> String {
    let Some(best) = best_reading(series.rows.iter().copied()) else { return String::new() };
    let Some(value) = best.value else { return String::new() };
    let (axis, name) = (section.ladder.unwrap_or_default(), section.ladder_name());
    let figure = number::quantity(value.middle, section.quantity, value.half_width());
    let half = value.relative().map_or(String::new(), |r| format!(" ±{}", number::half_width(r)));
    let share = best.share.map_or(String::new(), |s| format!(", {} of {}", number::percent(s.value), share_word(&s)));
    let count = |trust: Trust, mark| {
        let n = series.rows.iter().filter(|r| r.grade == Grade::Number(trust)).count();
        if n > 0 { format!("; {n} {} ({mark})", trust.word()) } else { String::new() }
    };
    let doubt = count(Trust::Fair, "?") + &count(Trust::Poor, "!");
    let text = format!("best {}: {figure}{half} at {name}={}{share}{doubt}", series.label, section.at(best, axis));
    let lines = hang("", &text, 2, width);
    lines.lines().map(|line| format!("{}\n", colour.paint(line, FAINT))).collect()
}

/// Reference cells in a line for each alternative: the middle and the span over all groups.
pub fn reference_lines(section: &Section<'_>, width: usize) -> String {
    let mut out = String::new();
    for one in series(section) {
        if let Some(text) = reference(section, &one) {
            out.push_str(&hang("", &format!("{}, {}: {text}", section.title(), one.label), 2, width));
        }
    }
    for absence in absences(section) {
        out.push_str(&hang("", &format!("{}: {}", section.title(), absence.why), 2, width));
    }
    out
}

/// The middle of a series of reference cells, and the span over all groups: `141 GFLOP/s, 138 to 142 over 11 groups`.
pub fn reference(section: &Section<'_>, series: &Series<'_, '_>) -> Option<String> {
    let mut values: Vec<_> = series.rows.iter().filter_map(|r| r.value).collect();
    values.sort_by(|a, b| a.middle.total_cmp(&b.middle));
    let middle = values.get(values.len() / 2)?;
    let scale = Scale::of(middle.middle, section.quantity);
    let show = |v: &Value| scale.digits(v.middle, v.half_width());
    let span = match values.as_slice() {
        [first, .., last] => format!(", {} to {} over {} groups", show(first), show(last), values.len()),
        _ => String::new(),
    };
    Some(format!("{} {}{span}", show(middle), scale.unit))
}
