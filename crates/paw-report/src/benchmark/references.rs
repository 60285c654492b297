//! Reference cells in a line for each alternative: the middle and the span over all groups.

use paw_sort::OrderBy;

use crate::benchmark::absence::absences;
use crate::number::Scale;
use crate::reading::Value;
use crate::section::Section;
use crate::series::{Series, series};

/// Name and figure of each alternative of `section`: `peak_f64, native` and `141 GFLOP/s, 138 to 142 over 11 groups`.
pub fn references(section: &Section<'_>) -> Vec<(String, String)> {
    let line = |one: &Series<'_, '_>| Some((format!("{}, {}", section.title(), one.label), figure(section, one)?));
    series(section).iter().filter_map(line).collect()
}

/// The references without a number, with the reason.
pub fn unmeasured(section: &Section<'_>) -> Vec<String> {
    absences(section).into_iter().map(|absence| format!("{}: {}", section.title(), absence.why)).collect()
}

fn figure(section: &Section<'_>, series: &Series<'_, '_>) -> Option<String> {
    let mut values: Vec<_> = series.rows.iter().filter_map(|r| r.value).collect();
    values.order_by(|a, b| a.middle.total_cmp(&b.middle));
    let middle = values.get(values.len() / 2)?;
    let scale = Scale::of(middle.middle, section.quantity);
    let show = |v: &Value| scale.digits(v.middle, v.half_width());
    let span = match values.as_slice() {
        [first, .., last] => format!(", {} to {} over {} groups", show(first), show(last), values.len()),
        _ => String::new(),
    };
    Some(format!("{} {}{span}", show(middle), scale.unit))
}
