//! The table of answers without times: the result of each build's check.

use paw_data::matrix::{Matrix, MatrixRow, Panel, RowStatus};

use crate::kernel::builds::{Names, why};
use crate::kernel::figure;
use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number::{ABSENT, count};

/// A row for each build and level.
pub fn answers(matrix: &Matrix<'_>) -> Table {
    let rows =
        || matrix.panels.iter().flat_map(|panel| panel.rows.iter().chain(&panel.residency).map(move |r| (panel, r)));
    let names = Names::of(rows().map(|(_, row)| row));
    let several = matrix.panels.len() > 1;
    let number = |title: &str, importance| Column::new(title, Align::Right, importance);
    let level = several.then(|| Column::new("level", Align::Left, Column::ALWAYS));
    let mut columns: Vec<Column> = level.into_iter().chain([Names::column()]).collect();
    columns.extend([
        Column::new("answer", Align::Left, Column::ALWAYS),
        number("relative\nerror ↓", 240),
        number("ULP ↓", 230),
        number("elements\nthat differ", 200),
        number("beyond the\ntolerance", 190),
        Column::new("first", Align::Left, 180),
    ]);
    let line = |(panel, row): (&Panel<'_>, &MatrixRow<'_>)| {
        let level = several.then(|| Field::from(panel.label()));
        let mut fields: Vec<Field> = level.into_iter().chain([names.field(row)]).collect();
        let cell = Some(row.record.cell.id);
        if matches!(row.standing, RowStatus::Failed | RowStatus::Skipped) {
            return Row { fields, absent: why(row), cell };
        }
        let verdict = figure::answer(row);
        let tone = if verdict.tone == Tone::Bad { Tone::Bad } else { Tone::Plain };
        fields.push(verdict);
        if let Some(a) = row.accuracy() {
            let of = |n: u64| {
                if n == 0 { "0".to_owned() } else { format!("{}/{}", count(n as usize), count(a.elements as usize)) }
            };
            fields.extend([
                Field::new(figure::relative(a.relative_max), tone),
                Field::new(figure::ulp_of(a).unwrap_or_else(|| ABSENT.to_owned()), tone),
                of(a.differing).into(),
                Field::new(of(a.wrong), tone),
                Field::new(a.first.as_str(), Tone::Faint),
            ]);
        }
        Row { fields, absent: None, cell }
    };
    Table::dense("answers", columns, rows().map(line).collect())
}
