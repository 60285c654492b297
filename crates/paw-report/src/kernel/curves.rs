//! The tables of a sensitivity analysis: one for each factor, and one of the ends of caches.

use paw_data::matrix::RankedBy;
use paw_data::outcome::Status;
use paw_data::sensitivity::{CacheStep, Curve, CurvePoint, Factor, Sensitivity};

use crate::kernel::builds::per_iteration;
use crate::kernel::figure::{self, Unit};
use crate::model::{Absent, Align, Column, ColumnKind, Field, Row, Table, Tone, Value};
use crate::number::{significant, size};

/// The unit of a curve.
pub fn unit(curve: &Curve<'_>) -> Unit {
    Unit::of(curve.spots.iter().filter_map(|spot| spot.timing.as_ref()), curve.by)
}

/// A row for each value of the factor, with a bar.
pub fn curve(sensitivity: &Sensitivity<'_>, curve: &Curve<'_>) -> Table {
    let unit = unit(curve);
    let number = |title: &str, importance| Column::new(title, Align::Right, importance);
    let columns = vec![
        number(&curve.factor.words().replacen(' ', "\n", 1), Column::ALWAYS),
        Column::new("", Align::Left, 150).of(ColumnKind::Bar),
        number(&per_iteration(&unit), Column::ALWAYS),
        number("±", 220),
        number(unit.other_title(), 160),
        Column::new("spread ↓", Align::Left, 210),
        number("samples", 140).of(ColumnKind::Samples),
        Column::new(if curve.factor == Factor::Size { "fits" } else { "level" }, Align::Left, 230),
    ];
    let value = |spot: &CurvePoint<'_>| spot.timing.map(|timing| unit.median(&timing).value);
    let longest = curve.spots.iter().filter_map(value).fold(0.0, f64::max);
    let row = |spot: &CurvePoint<'_>| {
        let mut fields = vec![Field::from(plain_count(spot.x))];
        let cell = Some(spot.record.cell.id);
        let Some(timing) = &spot.timing else {
            return Row { fields, absent: spot.absence().map(absent), cell };
        };
        fields.extend([
            Field::default().with(Value::Bar(unit.median(timing).value / longest, None)),
            Field::new(unit.digits(timing), Tone::Strong),
            figure::half(&unit, timing).into(),
            Field::maybe(unit.other(timing)),
            figure::stability(figure::steadiness(timing, curve.by)),
            figure::samples(timing),
            place(sensitivity, curve, spot),
        ]);
        Row { fields, absent: None, cell }
    };
    Table::dense(title(curve), columns, curve.spots.iter().map(row).collect())
}

/// `warm-up calls, gcc -O2, level=L1 n=88`.
pub fn title(curve: &Curve<'_>) -> String {
    let parts = [curve.factor.words().to_owned(), curve.name(), curve.rest.clone()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Why there is no number: the reason with a word for the status.
fn absent((status, why): (Status, &str)) -> Absent {
    let word = match status {
        Status::Failed => "failed: ",
        Status::Skipped => "skipped: ",
        Status::Measured => "",
    };
    Absent::new((status, format!("{word}{why}")))
}

/// A count as tables have it.
fn plain_count(x: f64) -> String {
    format!("{x:.0}")
}

/// Whether a value is on the level; of a size, the cache that holds it.
fn place(sensitivity: &Sensitivity<'_>, curve: &Curve<'_>, spot: &CurvePoint<'_>) -> Field {
    match curve.plateau {
        Some(Ok(plateau)) if spot.x >= plateau.knee => Field::new("✓", Tone::Good),
        Some(_) => Field::default(),
        None => {
            let boundaries = &sensitivity.boundaries;
            let holds = boundaries.iter().find(|b| spot.x <= b.n as f64).map(|b| b.name);
            Field::new(holds.unwrap_or(if boundaries.is_empty() { "" } else { "none" }), Tone::Faint)
        }
    }
}

/// The sizes on both sides of the end of each cache.
pub fn steps(sensitivity: &Sensitivity<'_>) -> Table {
    let all = &sensitivity.steps;
    let unit =
        Unit::of(all.iter().flat_map(|s| [&s.below, &s.above]).filter_map(|spot| spot.timing.as_ref()), RankedBy::Time);
    let several = all.iter().any(|step| step.build != all[0].build);
    let number = |title: String, importance| Column::new(title, Align::Right, importance);
    let columns = vec![
        Column::new("end of", Align::Left, Column::ALWAYS),
        Column::new("build", Align::Left, 220).shrinking(10),
        number("n that\nfits".to_owned(), 180),
        number(per_iteration(&unit), 200),
        number("n that\ndoes not".to_owned(), 170),
        number(per_iteration(&unit), 190),
        number("times as\nlong".to_owned(), Column::ALWAYS),
        Column::new("95%", Align::Left, 150),
    ];
    let line = |step: &CacheStep<'_>| {
        let side = |spot: &CurvePoint<'_>| {
            let time = spot.timing.map_or("–".to_owned(), |timing| unit.digits(&timing));
            [Field::from(plain_count(spot.x)), time.into()]
        };
        let bytes = step.boundary.capacity_bytes;
        let name = if bytes > 0 {
            format!("{}, {}", step.boundary.name, size(bytes as f64))
        } else {
            step.boundary.name.to_owned()
        };
        let mut fields = vec![Field::from(name), Field::maybe(several.then(|| step.build.clone()))];
        fields.extend(side(&step.below));
        fields.extend(side(&step.above));
        let ends = step.ratio.map(|r| figure::ratio_ends(r.interval, r.taken));
        fields.extend([
            Field::new(step.ratio.map_or(String::new(), |r| significant(r.value, 3)), Tone::Strong),
            Field::new(ends.unwrap_or_default(), Tone::Faint),
        ]);
        Row { fields, absent: None, cell: None }
    };
    Table::dense(
        "past the end of a cache: the last size that fits, the next, and one that leaves nothing in it",
        columns,
        all.iter().map(line).collect(),
    )
}
