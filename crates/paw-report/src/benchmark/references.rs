//! Reference cells in a line for each point: the middle and the span over all groups.

use paw_sort::OrderBy;

use crate::benchmark::absence::absences;
use crate::grade::doubted;
use crate::number::Scale;
use crate::reading::{Reading, Value};
use crate::section::Section;
use crate::series::series;

/// Name and figure of each point of `section`, `peak_f64, native` and `141 GFLOP/s, 138 to 142 over 11 groups`, then those without a
/// number, with the reason.
pub fn references(section: &Section<'_>) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for one in series(section) {
        let mut steps: Vec<(String, Vec<&Reading<'_>>)> = Vec::new();
        for reading in one.rows {
            let step = section.ladder.map_or(String::new(), |ladder| section.at(reading, ladder));
            match steps.iter_mut().find(|(known, _)| *known == step) {
                Some((_, rows)) => rows.push(reading),
                None => steps.push((step, vec![reading])),
            }
        }
        for (step, rows) in steps {
            let name = [section.title(), one.label.clone(), step].into_iter().filter(|part| !part.is_empty());
            lines.extend(figure(section, &rows).map(|figure| (name.collect::<Vec<_>>().join(", "), figure)));
        }
    }
    lines.extend(absences(section).into_iter().map(|absence| (section.title(), absence.why)));
    lines
}

/// The middle one of `rows` and the span of all, with the word of the one that is known least.
fn figure(section: &Section<'_>, rows: &[&Reading<'_>]) -> Option<String> {
    let mut values: Vec<_> = rows.iter().filter_map(|r| r.value).collect();
    let grade = rows.iter().filter(|r| r.value.is_some()).map(|r| r.grade).max()?;
    values.order_by(|a, b| a.middle.total_cmp(&b.middle));
    let middle = values.get(values.len() / 2)?;
    let scale = Scale::of(middle.middle, section.quantity);
    let show = |v: &Value| scale.digits(v.middle, v.half_width());
    let span = match values.as_slice() {
        [first, .., last] => format!(", {} to {} over {} groups", show(first), show(last), values.len()),
        _ => String::new(),
    };
    Some(doubted(format!("{} {}{span}", show(middle), scale.unit), grade.doubt()))
}
