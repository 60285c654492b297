//! Cells without a number, gathered where they share a reason.

use paw_data::outcome::Status;

use crate::reading::Reading;
use crate::section::Section;

/// Cells of one section that lack a number for the same reason and differ only in the ladder.
#[derive(Debug, Clone)]
pub struct Absence<'s, 'r> {
    /// The first of them.
    pub first: &'s Reading<'r>,
    /// Where on the ladder: `8…8192`, or one value, or nothing.
    pub rungs: String,
    /// How many.
    pub cells: usize,
    /// `skipped: why`, `failed: why`, `not finished …`
    pub why: String,
    /// Whether something broke, or this machine merely cannot.
    pub status: Status,
}

/// The cells of `section` without a number, in order of their first.
pub fn absences<'s, 'r>(section: &'s Section<'r>) -> Vec<Absence<'s, 'r>> {
    let mut found: Vec<(Absence<'s, 'r>, Vec<String>)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for reading in &section.rows {
        let Some(why) = reading.absence() else { continue };
        let cell = &reading.record.cell;
        let rest: Vec<String> = section.axes.iter().map(|a| section.at(reading, a)).collect();
        let key = (rest, cell.provider.clone(), reading.crew(), why.clone());
        let rung = section.ladder.map_or(String::new(), |l| section.at(reading, l));
        let place = *places.entry(key).or_insert(found.len());
        if place == found.len() {
            let status = reading.record.outcome.as_ref().map_or(Status::Failed, |o| o.status);
            found.push((Absence { first: reading, rungs: String::new(), cells: 0, why, status }, Vec::new()));
        }
        found[place].0.cells += 1;
        found[place].1.push(rung);
    }
    found.into_iter().map(|(absence, rungs)| Absence { rungs: span(&rungs), ..absence }).collect()
}

fn span(rungs: &[String]) -> String {
    match rungs {
        [] => String::new(),
        [one] => one.clone(),
        [first, .., last] if first == last => first.clone(),
        [first, .., last] => format!("{first}…{last}"),
    }
}
