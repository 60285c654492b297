//! Cells without a number, grouped by reason.

use paw_data::outcome::Status;

use crate::reading::Reading;
use crate::section::Section;

/// Cells of one section that lack a number for the same reason and differ only in the ladder.
#[derive(Debug, Clone)]
pub struct Absence<'s, 'r> {
    /// The first of the cells.
    pub first: &'s Reading<'r>,
    /// Their place on the ladder: `8…8192`, one value, or nothing.
    pub steps: String,
    pub cells: usize,
    /// `skipped: why`, `failed: why`, `not finished …`
    pub why: String,
    /// Whether it failed or was skipped.
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
        let key = (rest, cell.provider.clone(), reading.participants(), why.clone());
        let step = section.ladder.map_or(String::new(), |l| section.at(reading, l));
        let place = *places.entry(key).or_insert(found.len());
        if place == found.len() {
            let status = reading.record.outcome.as_ref().map_or(Status::Failed, |o| o.status);
            found.push((Absence { first: reading, steps: String::new(), cells: 0, why, status }, Vec::new()));
        }
        found[place].0.cells += 1;
        found[place].1.push(step);
    }
    found.into_iter().map(|(absence, steps)| Absence { steps: span(&steps), ..absence }).collect()
}

fn span(steps: &[String]) -> String {
    match steps {
        [] => String::new(),
        [one] => one.clone(),
        [first, .., last] if first == last => first.clone(),
        [first, .., last] => format!("{first}…{last}"),
    }
}

/// Benchmarks none of whose cells has a number, all for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedAbsence<'r> {
    /// Their names, in the run's order.
    pub benchmarks: Vec<&'r str>,
    /// `skipped: why`, with `…` in place of the benchmark's name.
    pub why: String,
}

impl SharedAbsence<'_> {
    /// `2 benchmarks skipped: why`.
    pub fn sentence(&self) -> String {
        format!("{} {}", crate::number::plural(self.benchmarks.len(), "benchmark"), self.why)
    }

    /// Whether `section` is of one of the benchmarks.
    pub fn names(&self, section: &Section<'_>) -> bool {
        section.rows.first().is_some_and(|reading| self.benchmarks.contains(&reading.record.cell.benchmark.as_str()))
    }
}

/// The one reason for which every cell of `section` was skipped, with `…` for the benchmark's name.
fn skipped(section: &Section<'_>) -> Option<String> {
    let mut reasons = section.rows.iter().map(|reading| {
        let cell = &reading.record.cell;
        let is_skipped = reading.record.outcome.as_ref().is_some_and(|outcome| outcome.status == Status::Skipped);
        reading.absence().filter(|_| is_skipped).map(|why| why.replace(cell.benchmark.as_str(), "…"))
    });
    let first = reasons.next()??;
    reasons.all(|reason| reason.as_ref() == Some(&first)).then_some(first)
}

/// Reasons that several of `sections` share: one reason is reported once, for all benchmarks it prevents.
pub fn shared<'r>(sections: &[&'r Section<'r>]) -> Vec<SharedAbsence<'r>> {
    let mut found: Vec<SharedAbsence<'r>> = Vec::new();
    for section in sections {
        let Some(why) = skipped(section) else { continue };
        let place = found.iter().position(|shared| shared.why == why).unwrap_or(found.len());
        if place == found.len() {
            found.push(SharedAbsence { benchmarks: Vec::new(), why });
        }
        let names = &mut found[place].benchmarks;
        for reading in &section.rows {
            let name = reading.record.cell.benchmark.as_str();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    found.retain(|shared| shared.benchmarks.len() > 1);
    found
}
