//! The figures that benchmarks state as lines of a run's headline.

use std::collections::BTreeMap;

use paw_data::axis;
use paw_data::cell::Role;
use paw_data::headline::{Family, HeadlineFigure, Pick};
use paw_data::pairing;
use paw_data::quantity::Quantity;
use paw_data::run::Run;
use paw_sort::OrderBy;

use crate::finding::{Finding, Part, best, best_reading, place};
use crate::latency;
use crate::reading::Reading;
use crate::secondary::in_quantity;
use crate::section::Section;
use crate::step;

/// A bandwidth that is higher by more than this share at the largest size than at the size before still rises.
const RISING: f64 = 0.05;

/// A line that a benchmark can give.
struct Candidate<'s, 'r> {
    section: &'s Section<'r>,
    benchmark: &'s str,
    figure: HeadlineFigure,
}

/// The lines of `run` in ascending order, each from the most preferred of the benchmarks in `sections` that has a number for it.
pub fn headline(run: &Run, sections: &[&Section<'_>]) -> Vec<Finding> {
    let mut lines: BTreeMap<u32, Vec<Candidate<'_, '_>>> = BTreeMap::new();
    // Subjects, and the peaks measured with them.
    for section in sections.iter().filter(|s| matches!(s.role, Role::Subject | Role::Peak)) {
        for benchmark in &section.benchmarks {
            let first = section.rows.iter().find(|r| r.record.cell.benchmark == *benchmark);
            for figure in first.and_then(|r| r.record.cell.report_place()).into_iter().flat_map(|place| place.figures) {
                lines.entry(figure.line).or_default().push(Candidate { section, benchmark, figure });
            }
        }
    }
    for candidates in lines.values_mut() {
        candidates.order_by_key(|c| (c.section.role != Role::Subject, c.figure.preference));
    }
    let peaks = shared_peaks(&lines);
    let first = |candidates: Vec<Candidate<'_, '_>>| {
        let of_share = candidates.iter().find_map(|candidate| candidate.peak_of(&peaks, run));
        of_share.or_else(|| candidates.iter().find_map(|candidate| candidate.finding(run)))
    };
    lines.into_values().filter_map(first).collect()
}

/// The peaks that those headline figures are shares of: the headline shows one of these and no other.
fn shared_peaks(lines: &BTreeMap<u32, Vec<Candidate<'_, '_>>>) -> Vec<u32> {
    let best = lines.values().filter_map(|candidates| candidates.iter().find_map(|c| best_reading(c.rows())));
    let shares = best.filter_map(|reading| reading.share.as_ref()).filter(|share| share.role == Role::Peak);
    shares.map(|share| share.reference).collect()
}

impl<'s, 'r> Candidate<'s, 'r> {
    fn finding(&self, run: &Run) -> Option<Finding> {
        match self.figure.pick {
            Pick::Levels => self.levels(),
            Pick::Best => {
                let reading = best_reading(self.rows())?;
                let found = best(self.section, reading)?;
                let is_bandwidth =
                    self.section.family == Some(Family::Pairs) && self.section.quantity == Quantity::Bytes;
                let share = if is_bandwidth { half(self.section, reading) } else { found.share };
                Some(Finding { label: self.label(reading), share, place: located(run, reading, found.place), ..found })
            }
            Pick::Smallest => {
                let reading = self.smallest()?;
                let (value, interval) = in_quantity(reading, Quantity::Time)?;
                let half_width = interval.map(|(low, high)| (high - low) / 2.0);
                let part = Part::of("", value, Quantity::Time, half_width);
                let found = best(self.section, reading)?;
                let place = located(run, reading, place(self.section, reading));
                Some(Finding { label: self.label(reading), parts: vec![part], share: String::new(), place, ..found })
            }
        }
    }

    /// The figure of a peak that is one of the cells `peaks`; `None` for any other benchmark.
    fn peak_of(&self, peaks: &[u32], run: &Run) -> Option<Finding> {
        if self.section.role != Role::Peak {
            return None;
        }
        let reading = best_reading(self.rows().filter(|r| peaks.contains(&r.record.cell.id)))?;
        let place = located(run, reading, place(self.section, reading));
        Some(Finding { label: self.label(reading), place, ..best(self.section, reading)? })
    }

    fn rows(&self) -> impl Iterator<Item = &'s Reading<'r>> {
        self.section.rows.iter().filter(|r| r.record.cell.benchmark == self.benchmark && r.value.is_some())
    }

    fn label(&self, reading: &Reading<'_>) -> String {
        let size = self.section.ladder.map_or(String::new(), |ladder| step::text(&reading.record.cell, ladder));
        self.figure.label.replace("{size}", &size).trim().to_owned()
    }

    /// Latency by level of the memory hierarchy, with the word of the level that is known least.
    fn levels(&self) -> Option<Finding> {
        let levels = self.section.levels.as_slice();
        let grade = levels.iter().map(|level| level.grade).max()?;
        Some(Finding {
            label: self.figure.label.clone(),
            parts: levels.iter().map(|l| Part::of(&l.name, l.seconds, Quantity::Time, None)).collect(),
            share: String::new(),
            place: format!("{}, {}", self.section.title(), latency::sizes(levels)),
            grade,
            doubt: grade.doubt(),
        })
    }

    /// The fastest cell at the smallest size with the most participants; calls issued one by one where that was measured.
    fn smallest(&self) -> Option<&'s Reading<'r>> {
        let size = |r: &Reading<'_>| self.section.ladder.and_then(|l| step::position(&r.record.cell, l)).unwrap_or(0.0);
        let least = self.rows().map(size).fold(f64::INFINITY, f64::min);
        let most = self.rows().filter(|r| size(r) <= least).filter_map(Reading::participants).max();
        let is_isolated = |r: &Reading<'_>| r.record.cell.point.text(axis::CADENCE) == Some(axis::ISOLATED);
        let timed = self.rows().filter(|r| size(r) <= least && r.participants() == most);
        let timed = timed.filter_map(|r| in_quantity(r, Quantity::Time).map(|(seconds, _)| (r, seconds)));
        let fastest = timed.min_by(|a, b| is_isolated(b.0).cmp(&is_isolated(a.0)).then(a.1.total_cmp(&b.1)));
        fastest.map(|(reading, _)| reading)
    }
}

/// `place` with how close the pairs of the cell's team run, where they all run alike.
fn located(run: &Run, reading: &Reading<'_>, place: String) -> String {
    let Some(team) = run.team(&reading.record.cell) else { return place };
    match pairing::counts(&pairing::pairs(&team.ranks)).as_slice() {
        [(closeness, _)] => format!("{place}, {}", closeness.words()),
        _ => place,
    }
}

/// The smallest message that reaches half of the bandwidth found, by the cells that differ from it in nothing but size: n½
/// of R. W. Hockney. A bandwidth that still rises at the largest size is not yet that of the link, nor is half of it.
fn half(section: &Section<'_>, best: &Reading<'_>) -> String {
    let Some((ladder, value)) = section.ladder.zip(best.value) else { return String::new() };
    let rest = |r: &Reading<'_>| {
        let others: Vec<String> = section.axes.iter().map(|axis| section.at(r, axis)).collect();
        (r.record.cell.benchmark.clone(), r.record.cell.provider.clone(), r.participants(), others)
    };
    let size = |r: &Reading<'_>| step::position(&r.record.cell, ladder).unwrap_or(f64::INFINITY);
    let own = rest(best);
    let alike = section.rows.iter().filter(|r| rest(r) == own).filter_map(|r| Some((r, r.value?.middle)));
    let mut alike: Vec<(&Reading<'_>, f64)> = alike.collect();
    alike.order_by(|(a, _), (b, _)| size(a).total_cmp(&size(b)));
    if let [.., (_, before), (last, most)] = alike[..]
        && last.record.cell.id == best.record.cell.id
        && most > before * (1.0 + RISING)
    {
        return format!("still rises at {}", section.at(last, ladder));
    }
    let first = alike.iter().find(|(_, rate)| *rate >= value.middle / 2.0);
    first.map_or(String::new(), |(r, _)| format!("half of it at {}", section.at(r, ladder)))
}
