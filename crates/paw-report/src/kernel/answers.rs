//! The table of answers alone: what a check found of each build.

use paw_data::matrix::{Matrix, MatrixRow, Panel, RowStatus};

use crate::kernel::Room;
use crate::kernel::builds::{Names, why};
use crate::kernel::figure;
use crate::number::count;
use crate::sheet::{Entry, Sheet, SheetRow, Tone};
use crate::table::{Align, Column};

/// A row for each build and level.
pub fn answers(matrix: &Matrix<'_>, room: Room) -> Sheet {
    let rows =
        || matrix.panels.iter().flat_map(|panel| panel.rows.iter().chain(&panel.residency).map(move |r| (panel, r)));
    let names = Names::of(rows().map(|(_, row)| row), room);
    let several = matrix.panels.len() > 1;
    let number = |title: &str, importance| Column::new(title, Align::Right, importance);
    let level = several.then(|| Column::new("level", Align::Left, Column::ALWAYS));
    let mut columns: Vec<Column> = level.into_iter().chain([names.column()]).collect();
    columns.extend([
        Column::new("answer", Align::Left, Column::ALWAYS),
        number("relative\nerror ↓", 240),
        number("ULP ↓", 230),
        number("elements\nthat differ", 200),
        number("beyond the\ntolerance", 190),
        Column::new("first", Align::Left, 180),
    ]);
    let line = |(panel, row): (&Panel<'_>, &MatrixRow<'_>)| {
        let level = several.then(|| Entry::from(panel.label()));
        let mut entries: Vec<Entry> = level.into_iter().chain([names.entry(row)]).collect();
        let cell = Some(row.record.cell.id);
        if matches!(row.standing, RowStatus::Failed | RowStatus::Skipped) {
            return SheetRow { entries, why: why(row), cell };
        }
        let verdict = figure::answer(row);
        let tone = if verdict.tone == Tone::Bad { Tone::Bad } else { Tone::Plain };
        entries.push(verdict);
        if let Some(a) = row.accuracy() {
            let of = |n: u64| {
                if n == 0 { "0".to_owned() } else { format!("{}/{}", count(n as usize), count(a.elements as usize)) }
            };
            entries.extend([
                Entry::new(figure::relative(a.relative_max), tone),
                Entry::new(figure::ulp(a.ulp_max), tone),
                of(a.differing).into(),
                Entry::new(of(a.wrong), tone),
                Entry::new(a.first.as_str(), Tone::Faint),
            ]);
        }
        SheetRow { entries, why: None, cell }
    };
    Sheet::new(
        "answers",
        columns,
        rows().flat_map(|(panel, row)| names.line(row).into_iter().chain([line((panel, row))])).collect(),
    )
}
