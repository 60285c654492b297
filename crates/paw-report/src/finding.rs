//! A figure of the first screen: its value, the point where it was reached, and how far to trust it.

use paw_data::quantity::Quantity;

use crate::grade::Grade;
use crate::number::{self, Scale};
use crate::reading::{Reading, share_word};
use crate::section::Section;
use crate::series::axis_part;
use crate::step;

#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Its name: `dgemm`, `triad`, `peak_f64`, `latency`.
    pub label: String,
    /// The figure; one for each level where there are levels.
    pub parts: Vec<Part>,
    /// The share of a reference measured in the same rounds: `84% of peak`; empty where there is none.
    pub share: String,
    /// Where it was reached: provider, point.
    pub place: String,
    /// How far to trust it.
    pub grade: Grade,
    /// `fair` or `poor`; empty for a good figure.
    pub doubt: &'static str,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its name, if the figure has several numbers: `L1`.
    pub name: String,
    /// The digits.
    pub number: String,
    /// The unit with its prefix.
    pub unit: String,
}

impl Part {
    /// `value` in a scale of its own.
    pub fn of(name: &str, value: f64, quantity: Quantity, half_width: Option<f64>) -> Self {
        let scale = Scale::of(value, quantity);
        Self { name: name.to_owned(), number: scale.digits(value, half_width), unit: scale.unit }
    }

    /// `number` as text.
    pub fn new(number: String, unit: impl Into<String>) -> Self {
        Self { name: String::new(), number, unit: unit.into() }
    }
}

impl Finding {
    /// The figure, its share and its word of trust in one line.
    pub fn line(&self) -> String {
        let rest =
            [&self.share, self.doubt].map(|part| if part.is_empty() { String::new() } else { format!(", {part}") });
        self.value() + &rest.concat()
    }

    /// The figure in one line: `118.2 GFLOP/s`, `L1 1.05 ns · L2 4.42 ns`.
    pub fn value(&self) -> String {
        let parts = self.parts.iter().map(|p| format!("{} {} {}", p.name, p.number, p.unit).trim().to_owned());
        parts.collect::<Vec<_>>().join(" · ")
    }
}

/// The cell with the best value, among those that have one.
pub fn best_reading<'s, 'r>(rows: impl Iterator<Item = &'s Reading<'r>>) -> Option<&'s Reading<'r>>
where
    'r: 's,
{
    let valued = rows.filter_map(|r| r.value.map(|v| (r, v.middle)));
    let better = |r: &Reading<'_>, v: f64| if r.quantity().more_is_better() { v } else { -v };
    valued.max_by(|(a, x), (b, y)| better(a, *x).total_cmp(&better(b, *y))).map(|(r, _)| r)
}

/// The figure of `reading`; `None` without a number.
pub fn best(section: &Section<'_>, reading: &Reading<'_>) -> Option<Finding> {
    let value = reading.value?;
    Some(Finding {
        label: reading.record.cell.benchmark.to_string(),
        parts: vec![Part::of("", value.middle, section.quantity, value.half_width())],
        share: reading
            .share
            .as_ref()
            .map(|s| format!("{} of {}", number::percent(s.value), share_word(s)))
            .unwrap_or_default(),
        place: place(section, reading),
        grade: reading.grade,
        doubt: reading.grade.doubt(),
    })
}

/// Where a figure was reached: `embedded, n=1024, 1 thread`.
pub fn place(section: &Section<'_>, reading: &Reading<'_>) -> String {
    let cell = &reading.record.cell;
    let step = section.ladder.filter(|l| cell.point.value(l).is_some());
    let step = step.map(|l| format!("{}={}", step::name(cell, l), step::text(cell, l)));
    let provider = std::iter::once(reading.record.cell.provider.to_string());
    provider.chain(step).chain(alternative(section, reading)).collect::<Vec<_>>().join(", ")
}

/// What distinguishes a cell besides provider and ladder: `stores=nt`, `1 thread`.
fn alternative(section: &Section<'_>, reading: &Reading<'_>) -> Vec<String> {
    let cell = &reading.record.cell;
    let value = |a: &&str| cell.point.value(a).map(|_| axis_part(step::name(cell, a), &step::text(cell, a)));
    section.axes.iter().filter_map(value).chain(reading.participants().map(|n| section.participants.count(n))).collect()
}
