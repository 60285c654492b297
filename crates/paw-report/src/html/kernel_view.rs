//! A kernel as the page's templates read it.

use std::collections::HashMap;

use paw_data::build::Build;
use paw_data::matrix::{Matrix, Panel};
use paw_data::run::Run;
use paw_data::sensitivity::{Curve, Factor, Sensitivity};
use serde::Serialize;

use crate::html::budget::Budget;
use crate::html::page::FindingView;
use crate::html::section_view::PlotView;
use crate::html::sheet_view::{SheetView, capitalised, cells, plain};
use crate::kernel::text::wrong;
use crate::kernel::{KernelAnalysis, Room, answers, builds, curves, figure, protocol, verdict};
use crate::number::significant;
use crate::plot::{RowLinks, accuracy, builds as bars, sensitivity as curve_plot};
use crate::reading::{Reading, readings};
use crate::sheet::Sheet;

/// Columns of less importance than this say more exactly what others say.
const FINE: u8 = 100;

/// The kernel of a run.
#[derive(Debug, Serialize)]
pub struct KernelView {
    /// Where the page jumps to.
    pub anchor: String,
    /// Its name.
    pub name: String,
    /// A label, empty for the kernel itself, and what is said of it.
    sentences: Vec<(String, String)>,
    facts: Vec<(&'static str, String)>,
    /// The figures over the fold.
    pub findings: Vec<FindingView>,
    parts: Vec<PartView>,
    wrong: Vec<(String, String)>,
    remarks: Vec<String>,
    builds: Vec<BuildView>,
    notes: Vec<String>,
    /// How it was measured, in sentences.
    protocol: Vec<String>,
}

/// A level, or a factor: its pictures over its table.
#[derive(Debug, Serialize)]
struct PartView {
    title: String,
    plots: Vec<PlotView>,
    sheet: SheetView,
}

/// One build.
#[derive(Debug, Serialize)]
struct BuildView {
    name: String,
    facts: Vec<(&'static str, String)>,
    /// What the compiler said.
    said: String,
}

/// What every part needs.
struct Page<'p, 'run> {
    known: HashMap<u32, Reading<'run>>,
    links: &'p mut RowLinks,
    budget: &'p mut Budget,
}

impl Page<'_, '_> {
    /// A part of `sheet`, whose cells join the links before its pictures are drawn.
    fn part(&mut self, sheet: Sheet, plots: impl FnOnce(&RowLinks) -> Vec<PlotView>) -> Option<PartView> {
        if sheet.is_empty() {
            return None;
        }
        self.links.present.extend(sheet.rows.iter().filter_map(|row| row.cell));
        let title = capitalised(&sheet.title);
        let sheet = Sheet { title: String::new(), ..sheet };
        let plots = plots(self.links);
        let view = cells(&sheet, &self.known, &self.links.prefix, self.budget);
        Some(PartView { title, plots, sheet: view })
    }
}

/// The view of the kernel of `run`; the cells that get a row join `links`. `None` where there is no kernel.
pub fn kernel_view(run: &Run, anchor: &str, links: &mut RowLinks, budget: &mut Budget) -> Option<KernelView> {
    let look = KernelAnalysis::of(run)?;
    let kernel = look.kernel();
    let known = readings(run).into_iter().map(|r| (r.record.cell.id, r)).collect();
    let mut page = Page { known, links, budget };
    let parts = match &look {
        KernelAnalysis::Builds(matrix) => builds_parts(matrix, &mut page),
        KernelAnalysis::Answers(matrix) => {
            page.part(answers::answers(matrix, Room::FREE), |_| Vec::new()).into_iter().collect()
        }
        KernelAnalysis::Curves(sensitivity) => curve_parts(sensitivity, &mut page),
    };
    let own_line = ("protocol", protocol::line(run, kernel));
    Some(KernelView {
        anchor: format!("{anchor}-kernel"),
        name: kernel.name.clone(),
        sentences: verdict::verdict(&look),
        facts: protocol::subject(run, kernel).into_iter().chain([own_line]).collect(),
        findings: findings(&look),
        parts,
        wrong: wrong(&look),
        remarks: verdict::identical(&look),
        builds: all_builds(&look).into_iter().map(build_view).collect(),
        notes: protocol::notes(&look),
        protocol: protocol::sentences(run, kernel),
    })
}

fn builds_parts(matrix: &Matrix<'_>, page: &mut Page<'_, '_>) -> Vec<PartView> {
    let mut parts: Vec<PartView> = Vec::new();
    for panel in &matrix.panels {
        let sheet = builds::panel(panel, Room::FREE).keeping(FINE);
        parts.extend(page.part(sheet, |rows| pictures(panel, matrix, rows)));
    }
    parts.extend(page.part(builds::residency(matrix, Room::FREE), |_| Vec::new()));
    parts
}

fn pictures(panel: &Panel<'_>, matrix: &Matrix<'_>, rows: &RowLinks) -> Vec<PlotView> {
    let view = |svg: Option<String>, title: &str, caption: &str| {
        svg.map(|svg| PlotView { svg, title: title.to_owned(), caption: caption.to_owned(), legend: Vec::new() })
    };
    let speed = view(
        bars::bars(panel, rows),
        "Speed",
        "Dark bars are the fastest, and those that nothing separates from it. Whiskers reach from the fastest sample to the \
         95% quantile; the dashed line is the reference. GOOD, AVERAGE, BAD: how far the median lies above the minimum. \
         A wrong answer has an empty bar.",
    );
    let error = view(
        accuracy::accuracy(panel, &matrix.kernel.tolerance, rows),
        "What speed costs",
        "The largest relative error of an answer over its speed-up: to the right is faster, down is more exact. Crosses are \
         wrong answers. Right is what lies under the tolerance, or within its units in the last place.",
    );
    speed.into_iter().chain(error).collect()
}

fn curve_parts(sensitivity: &Sensitivity<'_>, page: &mut Page<'_, '_>) -> Vec<PartView> {
    let mut parts: Vec<PartView> = Vec::new();
    let steps = curves::steps(sensitivity);
    if !steps.is_empty() {
        let title = capitalised(&steps.title);
        parts.push(PartView { title, plots: Vec::new(), sheet: plain(&Sheet { title: String::new(), ..steps }) });
    }
    for curve in &sensitivity.curves {
        let sheet = curves::curve(sensitivity, curve, Room::FREE);
        parts.extend(page.part(sheet, |rows| {
            let svg = curve_plot::curve(sensitivity, curve, rows);
            svg.map(|svg| PlotView { svg, title: String::new(), caption: caption(curve), legend: Vec::new() })
                .into_iter()
                .collect()
        }));
    }
    parts
}

fn caption(curve: &Curve<'_>) -> String {
    let band = "The band is the 95% interval; hollow points are unsteady.";
    match curve.factor {
        Factor::Size => format!("{band} Vertical lines: the largest size that fits a cache."),
        _ => {
            let shade = if matches!(curve.plateau, Some(Ok(_))) {
                " Shaded: within 1% of the level, from its knee on."
            } else {
                ""
            };
            format!("{} {band}{shade}", capitalised(&verdict::plateau(curve)))
        }
    }
}

/// The fastest of each level.
fn findings(look: &KernelAnalysis<'_>) -> Vec<FindingView> {
    let KernelAnalysis::Builds(matrix) = look else { return Vec::new() };
    let finding = |panel: &Panel<'_>| {
        let leaders = panel.leaders();
        let row = *leaders.first()?;
        let timing = row.timing?;
        let unit = builds::unit(panel);
        let share = row.speedup.map(|s| format!("{} times as fast as the reference", significant(s.value, 3)));
        let tone = figure::stability(timing.stability);
        let others = if leaders.len() > 1 {
            format!(" and {} that nothing separates from it", leaders.len() - 1)
        } else {
            String::new()
        };
        Some(FindingView {
            label: format!("fastest right build, {}", verdict::short(panel)),
            parts: vec![(String::new(), unit.digits(&timing), format!("{}/iter", unit.word()))],
            share: share.filter(|_| row.speedup.is_some_and(|s| s.interval.is_some())).unwrap_or_default(),
            place: row.name() + &others,
            class: tone.tone.class(),
            doubt: if tone.tone.class() == "good" { "" } else { timing.stability.map_or("", |s| s.grade.word()) },
        })
    };
    matrix.panels.iter().filter_map(finding).collect()
}

fn all_builds<'run>(look: &KernelAnalysis<'run>) -> Vec<&'run Build> {
    match look {
        KernelAnalysis::Builds(matrix) | KernelAnalysis::Answers(matrix) => matrix.builds(),
        KernelAnalysis::Curves(_) => Vec::new(),
    }
}

fn build_view(build: &Build) -> BuildView {
    let mut facts = builds::facts(build);
    facts.retain(|(name, _)| *name != "it said");
    BuildView { name: build.full_name(), facts, said: build.said.clone() }
}
