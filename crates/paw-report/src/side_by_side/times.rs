//! The times of two builds at each level.

use paw_data::matrix::{MatrixRow, Panel};
use paw_data::speedup::Speedup;

use crate::kernel::figure::{self, Unit};
use crate::model::{Align, Column, Field, Row, Table, Tone};
use crate::number::significant;
use crate::side_by_side::Pair;

/// The second build's time against the first's, at a level.
pub struct Versus<'r> {
    /// The level's name.
    pub level: String,
    /// The unit of both times.
    pub unit: Unit,
    /// The first build.
    pub first: &'r MatrixRow<'r>,
    /// The second build.
    pub second: &'r MatrixRow<'r>,
    /// Time of the first ÷ time of the second; `None` where either has no right answer or no time.
    pub speedup: Option<Speedup>,
    /// Whether the interval may carry a statement.
    pub decides: bool,
}

/// Both builds at every level that both have.
pub fn versus<'r>(pair: &Pair<'r>) -> Vec<Versus<'r>> {
    let one = |(level, panel, first, second): (String, &'r Panel<'r>, &'r MatrixRow<'r>, &'r MatrixRow<'r>)| {
        let timings = [first, second].map(|row| row.timing);
        let unit = Unit::of(timings.iter().flatten(), panel.by);
        let speedup = second.speedup_over(first, unit.by());
        let decides = pair.of_one_run && speedup.is_some_and(|speedup| speedup.decides());
        Versus { level, unit, first, second, speedup, decides }
    };
    pair.levels().map(one).collect()
}

/// A row for each level.
pub fn table(pair: &Pair<'_>) -> Table {
    let number = |title: &str, importance| Column::new(title, Align::Right, importance);
    let columns = vec![
        Column::new("level", Align::Left, Column::ALWAYS),
        Column::new("an iteration in", Align::Left, 160),
        number("first", Column::ALWAYS),
        number("±", 150),
        number("second", Column::ALWAYS),
        number("±", 150),
        number("first ÷\nsecond", Column::ALWAYS),
        Column::new("95%", Align::Left, 200),
    ];
    let row = |versus: &Versus<'_>| {
        let digits = |row: &MatrixRow<'_>| Field::maybe(row.timing.map(|timing| versus.unit.digits(&timing)));
        let half = |row: &MatrixRow<'_>| Field::maybe(row.timing.map(|timing| figure::half(&versus.unit, &timing)));
        let ratio = versus.speedup.map(|speedup| significant(speedup.value, 3));
        let interval = match versus.speedup {
            Some(_) if !pair.of_one_run => "of two runs".to_owned(),
            Some(speedup) => figure::ratio_ends(speedup.interval, speedup.taken),
            None => String::new(),
        };
        let fields = vec![
            versus.level.clone().into(),
            versus.unit.word().into(),
            digits(versus.first),
            half(versus.first),
            digits(versus.second),
            half(versus.second),
            Field::new(ratio.unwrap_or_default(), Tone::Strong),
            Field::new(interval, Tone::Faint),
        ];
        Row { fields, ..Row::default() }
    };
    let mut table = Table::dense("time", columns, versus(pair).iter().map(row).collect());
    table.note = format!("first: {}; second: {}", pair.first.name, pair.second.name);
    table
}
