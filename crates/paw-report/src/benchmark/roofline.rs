//! Benchmarks under the roofs that were measured with them.

use paw_data::cell::Role;
use paw_data::headline::Family;
use paw_data::machine::Identity;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_sort::OrderBy;

use crate::finding::place;
use crate::grade::Grade;
use crate::latency::data_caches;
use crate::model::{Align, Chapter, Column, Field, Part, Plots};
use crate::participants::Participants;
use crate::reading::Reading;
use crate::roofline::{MEMORY, Roofs, may_be};
use crate::section::Section;
use crate::step;
use crate::under_roofs::{Source, Spot, TITLE, UnderRoofs};

/// What may put a benchmark above its roof.
const PASSING: &str = "Its data came from a nearer cache, or the machine was slower while the roofs were measured; a second run would tell.";
const CAPTION: &str = "Every cell that states operations and bytes, under roofs that this machine measured in the same run, a set for each number of threads (solid for the fewest); `paw run … --roofline` measures every instruction set and cache. A point under a slope is limited by that bandwidth at most, one under the flat part by arithmetic.";
/// Most points drawn: the fastest.
const POINTS: usize = 240;
/// Most doubtful points that a sentence names.
const NAMED: usize = 6;
/// Rows that fit on a screen; with more, each benchmark keeps its fastest provider.
const SCREEN: usize = 24;

/// The cells of `sections` that state operations and bytes, under the roofs of their precision on a machine of `identity`; `None` without a
/// roof or without a cell.
pub fn chapter<'a>(sections: &[&Section<'_>], identity: &Identity) -> Option<Chapter<'a>> {
    let mut told: Vec<String> = Vec::new();
    let mut parts: Vec<Part<'a>> = Vec::new();
    for (table, mut notes) in
        [Precision::Double, Precision::Single].into_iter().filter_map(|own| of(sections, identity, own))
    {
        notes.retain(|note| !told.contains(note));
        told.extend(notes.iter().cloned());
        parts.extend([table, Part::Notes(notes)]);
    }
    (!parts.is_empty()).then(|| Chapter { title: "roofline".to_owned(), parts, ..Chapter::default() })
}

/// The table with its plot, and the notes, of one precision.
fn of<'a>(sections: &[&Section<'_>], identity: &Identity, precision: Precision) -> Option<(Part<'a>, Vec<String>)> {
    let roofs = Roofs::of(sections.iter().flat_map(|section| &section.rows), identity, precision);
    let mut points = points(sections, precision);
    if roofs.is_empty() || points.is_empty() {
        return None;
    }
    points.order_by(|a, b| b.spot.rate.total_cmp(&a.spot.rate));
    points.iter_mut().for_each(|point| point.stand(&roofs, identity));
    let (rows, whose) = fastest(&points);
    let under = |spots, missing| UnderRoofs {
        roofs: roofs.clone(),
        precision,
        keys: keys(),
        spots,
        passing: PASSING,
        caption: CAPTION,
        missing,
    };
    let note = format!("The table has the fastest point of each {whose}, the plot every cell.");
    let note = (points.len() > 1).then_some(note);
    let doubt = doubtful(&points, &rows);
    let shown = under(rows, doubt.into_iter().chain(note).collect());
    let mut table = shown.table();
    table.title = match precision {
        Precision::Single => format!("{TITLE}, in single precision"),
        _ => TITLE.to_owned(),
    };
    points.truncate(POINTS);
    let drawn = under(points.into_iter().map(|point| point.spot).collect(), Vec::new());
    let notes = shown.notes();
    Some((Part::Table(table, Some(Plots::new(move |links| drawn.pictures(links)))), notes))
}

/// The shown points that are doubtful themselves, in a sentence; `None` where none is.
fn doubtful(points: &[Point], shown: &[Spot]) -> Option<String> {
    let is_shown = |point: &&Point| shown.iter().any(|spot| spot.cell == point.spot.cell);
    let doubtful: Vec<&Point> = points.iter().filter(is_shown).filter(|point| point.grade.doubtful()).collect();
    let names = doubtful.iter().take(NAMED).map(|point| format!("{} ({})", point.spot.place, point.grade.doubt()));
    let more = doubtful.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let names = names.collect::<Vec<_>>().join("; ");
    (!doubtful.is_empty()).then(|| format!("Doubtful as their rows say: {names}{more}."))
}

/// The cells of `precision` that state operations and bytes.
fn points(sections: &[&Section<'_>], precision: Precision) -> Vec<Point> {
    let subjects =
        sections.iter().filter(|section| section.role == Role::Subject && section.family != Some(Family::Peak));
    subjects.flat_map(|section| section.rows.iter().filter_map(|row| point(section, row, precision))).collect()
}

/// Which roofs are missing over cells that would lie under them, in sentences.
pub fn lacking(sections: &[&Section<'_>], identity: &Identity) -> Vec<String> {
    let mut said = Vec::new();
    for precision in [Precision::Double, Precision::Single] {
        let points = points(sections, precision);
        for roofs in Roofs::in_part(sections.iter().flat_map(|section| &section.rows), identity, precision) {
            let has_points = points.iter().any(|point| point.threads.is_none() || point.threads == roofs.threads);
            let (there, missing) = match (roofs.peaks.is_empty(), roofs.slopes.is_empty()) {
                (false, true) => ("a peak", "no bandwidth"),
                (true, false) => ("a bandwidth", "no peak"),
                _ => continue,
            };
            let threads = roofs.threads.map_or(String::new(), |n| format!(" of {}", Participants::Threads.count(n)));
            let sentence = format!(
                "There is no roofline{threads}: the run has {there} and {missing}; with --roofline it has both."
            );
            if has_points && !said.contains(&sentence) {
                said.push(sentence);
            }
        }
    }
    said
}

/// A point, and what the one to be shown of several is chosen by.
struct Point {
    spot: Spot,
    provider: String,
    threads: Option<i64>,
    bytes: f64,
    grade: Grade,
}

/// The point of a cell of `precision`, or of one that states none and counts as double.
fn point(section: &Section<'_>, reading: &Reading<'_>, precision: Precision) -> Option<Point> {
    let cell = &reading.record.cell;
    let (value, work) = (reading.value?, cell.work);
    let is_own = || may_be(cell, precision) && (cell.precision().is_some() || precision == Precision::Double);
    let is_ours = || Participants::of(cell) == Participants::Threads && section.family != Some(Family::Devices);
    if work.flops <= 0.0 || work.bytes <= 0.0 || !is_own() || !is_ours() {
        return None;
    }
    let seconds = match cell.headline {
        Quantity::Time => value.middle,
        quantity => work.amount(quantity) / value.middle,
    };
    let rate = work.flops / seconds;
    let steps = section.ladder.iter().chain(&section.axes).filter(|axis| cell.point.value(axis).is_some());
    let steps: Vec<String> =
        steps.map(|axis| format!("{}={}", step::name(cell, axis), step::text(cell, axis))).collect();
    let threads = reading.participants();
    let spot = Spot {
        keys: vec![
            cell.benchmark.as_str().into(),
            cell.provider.as_str().into(),
            Field::maybe(threads.map(|n| n.to_string())),
            steps.join(" ").into(),
        ],
        place: format!("{}, {}", cell.benchmark, place(section, reading)),
        series: cell.benchmark.to_string(),
        label: String::new(),
        cell: cell.id,
        source: Source::Benchmark,
        intensity: work.flops / work.bytes,
        rate,
        roof: None,
    };
    (rate.is_finite() && rate > 0.0).then(|| Point {
        spot,
        provider: cell.provider.to_string(),
        threads,
        bytes: work.bytes,
        grade: reading.grade,
    })
}

impl Point {
    /// Looks for the roof over it: that of the nearest cache that can hold its data.
    fn stand(&mut self, roofs: &[Roofs], identity: &Identity) {
        let set = roofs.iter().find(|set| self.threads.is_none() || set.threads == self.threads);
        let level = level(self.bytes, self.threads.unwrap_or(1), identity);
        self.spot.roof = set.and_then(|set| set.lowest(&level, self.spot.intensity));
    }
}

/// The nearest level that can hold the data of a call that moves `bytes`: at least half of them, since an array may be read and written.
fn level(bytes: f64, threads: i64, identity: &Identity) -> String {
    let threads = u32::try_from(threads).unwrap_or(1).max(1);
    let caches = data_caches(identity);
    let holds = |size: u64, instances: u32| bytes / 2.0 <= size as f64 * f64::from(instances.clamp(1, threads));
    let near = caches.iter().find(|cache| holds(cache.size_bytes, cache.instances));
    near.map_or_else(|| MEMORY.to_owned(), |cache| format!("L{}", cache.level))
}

fn keys() -> Vec<Column> {
    vec![
        Column::new("benchmark", Align::Left, Column::ALWAYS),
        Column::new("provider", Align::Left, 205),
        Column::new(Participants::Threads.column(), Align::Right, 206).titled(Participants::Threads.word()),
        Column::new("at", Align::Left, 185).shrinking(8),
    ]
}

/// The fastest point of each benchmark, provider and number of threads, in the order of benchmarks; without providers where those are more
/// than a screen. With the words for what each is of.
fn fastest(points: &[Point]) -> (Vec<Spot>, &'static str) {
    let chosen = |with_provider: bool| {
        let mut chosen: Vec<&Point> = Vec::new();
        for point in points {
            let is_same = |other: &&Point| {
                other.spot.series == point.spot.series
                    && other.threads == point.threads
                    && (!with_provider || other.provider == point.provider)
            };
            if !chosen.iter().any(is_same) {
                chosen.push(point);
            }
        }
        chosen.order_by(|a, b| (&a.spot.series, a.threads).cmp(&(&b.spot.series, b.threads)));
        chosen.into_iter().map(|point| point.spot.clone()).collect::<Vec<_>>()
    };
    let all = chosen(true);
    if all.len() <= SCREEN {
        return (all, "benchmark, provider and number of threads");
    }
    (chosen(false), "benchmark and number of threads")
}
