//! The cells of a section that differ only in the ladder: one curve, or one column of a ladder's table.

use std::collections::HashMap;

use paw_sort::OrderBy;

use crate::reading::Reading;
use crate::section::{Section, Variation};

#[derive(Debug, Clone)]
pub struct Series<'s, 'r> {
    /// Its name within the section: `openblas, 2 threads`.
    pub label: String,
    /// Number of threads, ranks or devices.
    pub participants: Option<i64>,
    /// The cells, by ladder.
    pub rows: Vec<&'s Reading<'r>>,
}

impl<'s, 'r> Series<'s, 'r> {
    /// The cell at each step of `axis`, as its text.
    pub fn by_step(&self, section: &Section<'_>, axis: &str) -> HashMap<String, &'s Reading<'r>> {
        self.rows.iter().map(|r| (section.at(r, axis), *r)).collect()
    }
}

/// The name of the series that `reading` belongs to.
pub fn label(section: &Section<'_>, reading: &Reading<'_>) -> String {
    let mut parts = Vec::new();
    if section.benchmark() == Variation::Differs {
        parts.push(reading.record.cell.benchmark.to_string());
    }
    if section.providers == Variation::Differs {
        parts.push(reading.record.cell.provider.to_string());
    }
    parts.extend(section.axes.iter().map(|a| (a, section.at(reading, a))).map(|(a, v)| axis_part(a, &v)));
    if section.participant_counts == Variation::Differs
        && let Some(n) = reading.participants()
    {
        parts.push(section.participants.count(n));
    }
    if parts.is_empty() { reading.record.cell.provider.to_string() } else { parts.join(", ") }
}

/// A value with its axis, except for words, which need none: `n=64`, `isolated`.
pub fn axis_part(axis: &str, value: &str) -> String {
    let word = value.len() > 1 && value.chars().all(|c| c.is_alphabetic() || c == '-' || c == '_');
    if word { value.to_owned() } else { format!("{axis}={value}") }
}

/// The series of `section`: providers in order of appearance, fewest threads or ranks first.
pub fn series<'s, 'r>(section: &'s Section<'r>) -> Vec<Series<'s, 'r>> {
    let mut all: Vec<Series<'s, 'r>> = Vec::new();
    let mut places = HashMap::new();
    for reading in &section.rows {
        let label = label(section, reading);
        let place = *places.entry(label.clone()).or_insert(all.len());
        if place == all.len() {
            all.push(Series { label, participants: reading.participants(), rows: Vec::new() });
        }
        all[place].rows.push(reading);
    }
    all.order_by_key(|s| s.participants);
    all
}

/// A label short enough to print beside a curve: `openblas 2T`.
pub fn short_label(label: &str) -> String {
    let parts = label.split(", ").map(|part| match part.split_once(' ') {
        Some((n, "thread" | "threads")) => format!("{n}T"),
        Some((n, "rank" | "ranks")) => format!("P={n}"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join(" ")
}
