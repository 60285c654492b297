//! An application as the page's templates read it.

use std::collections::HashMap;

use paw_data::run::Run;
use paw_data::scaling::{BaseKind, Scaling, Sweep, SweepKind};
use serde::Serialize;

use crate::application::sheets::{further, matrix};
use crate::application::threads::threads;
use crate::application::{figure, verdict};
use crate::assessment::Part;
use crate::html::budget::Budget;
use crate::html::page::FindingView;
use crate::html::section_view::PlotView;
use crate::html::sheet_view::{SheetView, cells, plain};
use crate::number::{percent, plural};
use crate::plot::RowLinks;
use crate::plot::lines::DIRECT_LABELS;
use crate::plot::scaling::{Picture, over_sizes, over_threads};
use crate::reading::{Reading, readings};
use crate::sheet::Sheet;

/// More rows than this are folded away under the sizes.
const SCREEN: usize = 24;

/// The application of a run.
#[derive(Debug, Serialize)]
pub struct ApplicationView {
    anchor: String,
    program: String,
    sentences: Vec<String>,
    facts: Vec<(&'static str, String)>,
    /// The figures over the fold.
    pub findings: Vec<FindingView>,
    plots: Vec<PlotView>,
    remarks: Vec<String>,
    absences: Vec<String>,
    leading: Vec<SheetView>,
    long: Option<String>,
    cells: Vec<SheetView>,
    further: Vec<SheetView>,
    notes: Vec<String>,
}

/// The view of the application of `run`; the cells that get a row join `links`. `None` where there is no application.
pub fn application_view(run: &Run, anchor: &str, links: &mut RowLinks, budget: &mut Budget) -> Option<ApplicationView> {
    let scaling = Scaling::of(run)?;
    let all: Vec<&Sweep<'_>> = scaling.sweeps.iter().collect();
    let table = Sheet { title: "every thread count".to_owned(), ..threads(&scaling, &all) };
    links.present.extend(table.rows.iter().filter_map(|row| row.cell));
    let known: HashMap<u32, Reading<'_>> = readings(run).into_iter().map(|r| (r.record.cell.id, r)).collect();
    let long = table.rows.len() > SCREEN;
    let cells = cells(&table, &known, &links.prefix, budget);
    let pictures = [over_threads(&scaling, links), over_sizes(&scaling, links)];
    Some(ApplicationView {
        anchor: format!("{anchor}-application"),
        program: scaling.program.to_owned(),
        sentences: verdict::verdict(run, &scaling),
        facts: verdict::subject(&scaling),
        findings: findings(&scaling),
        plots: pictures.into_iter().flatten().map(|picture| view(picture, &scaling)).collect(),
        remarks: verdict::remarks(&scaling),
        absences: if long { verdict::absences(&scaling) } else { Vec::new() },
        leading: long.then(|| plain(&matrix(&scaling))).into_iter().collect(),
        long: long
            .then(|| format!("{}: time, agreement, interval, runs in time order", plural(table.rows.len(), "cell"))),
        cells: if cells.rows.is_empty() { Vec::new() } else { vec![cells] },
        further: further(&scaling).iter().map(plain).collect(),
        notes: verdict::notes(run, &scaling),
    })
}

fn findings(scaling: &Scaling<'_>) -> Vec<FindingView> {
    let Some((sweep, row)) = scaling.headline() else { return Vec::new() };
    let Some(timing) = row.timing else { return Vec::new() };
    let place: Vec<String> =
        [sweep.label(), figure::threads_words(row)].into_iter().filter(|p| !p.is_empty()).collect();
    let tone = figure::agreed(&timing);
    let finding = |label: &str, digits: String, unit: &str, share: String| FindingView {
        label: label.to_owned(),
        parts: vec![(String::new(), digits, unit.to_owned())],
        share,
        place: place.join(", "),
        class: tone.tone.class(),
        doubt: if tone.tone.class() == "good" { "" } else { timing.agreed.word() },
    };
    let Part { number, unit, .. } = Part::of(
        "",
        timing.best_s(),
        paw_data::quantity::Quantity::Time,
        timing.wall_s.spread_k.map(|s| s * timing.best_s() / 2.0),
    );
    if sweep.kind != SweepKind::Strong {
        return weak(sweep).into_iter().collect();
    }
    let mut found = vec![finding("fastest run", number, &unit, timing.agreed.word().to_owned())];
    let is_other = sweep.base.is_some_and(|(base, _)| !std::ptr::eq(base, row.record));
    if let Some(speedup) = row.speedup.filter(|_| is_other) {
        let over = match scaling.base.kind {
            BaseKind::Program(_) => "over the original program",
            BaseKind::OneThread => "over 1 thread",
        };
        found.push(finding("speed-up", figure::speedup(&speedup), "×", over.to_owned()));
    }
    if let Some((throughput, unit)) = row.throughput().zip(scaling.throughput_unit()) {
        found.push(finding("throughput", figure::plain(throughput, None), &unit, String::new()));
    }
    found
}

/// What is left of each thread where the work grows with them.
fn weak(sweep: &Sweep<'_>) -> Option<FindingView> {
    let row = sweep.rows.iter().rev().find(|row| row.efficiency.is_some())?;
    Some(FindingView {
        label: "weak efficiency".to_owned(),
        parts: vec![(String::new(), percent(row.efficiency?), String::new())],
        share: format!("at {}", figure::threads_words(row)),
        place: sweep.label(),
        class: "",
        doubt: "",
    })
}

fn view(picture: Picture, scaling: &Scaling<'_>) -> PlotView {
    let crowded = picture.lines.len() > DIRECT_LABELS;
    let ideal = if picture.svg.contains(r#"class="ideal""#) { "The dotted line is the ideal. " } else { "" };
    let over = scaling.sweeps.iter().flat_map(|s| &s.rows).any(|r| r.oversubscribed());
    let hollow = if over {
        "Hollow points are to be doubted, or have more threads than processors; no line leads to those."
    } else {
        "Hollow points are to be doubted."
    };
    let bands = if picture.title.contains("time") {
        "Bands reach up to the last run that must agree with the best."
    } else {
        "Bands are 95% intervals."
    };
    PlotView {
        svg: picture.svg,
        title: picture.title.to_owned(),
        caption: format!("{ideal}{bands} {hollow}"),
        legend: if crowded { picture.lines } else { Vec::new() },
    }
}
