//! The data of the page's templates: plain text, and drawings as SVG markup.

use paw_data::parts;
use paw_data::run::Run;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::finding::Finding;
use crate::guideline::{self, Violation};
use crate::hardware::recorded_picture;
use crate::html::budget::Budget;
use crate::html::chapter::{ChapterView, FamilyView, chapter_views};
use crate::html::comparison::{ComparisonView, comparison_view};
use crate::html::detail::Details;
use crate::html::layout::{LayoutView, layout_view};
use crate::html::table::class;
use crate::model::{Fact, Family, Page, Tone};
use crate::number;
use crate::page::page;

#[derive(Debug, Serialize)]
pub struct PageView {
    title: String,
    comparisons: Vec<ComparisonView>,
    runs: Vec<RunView>,
}

#[derive(Debug, Serialize)]
pub struct RunView {
    anchor: String,
    id: String,
    host: String,
    utc: String,
    tool: String,
    command: String,
    word: String,
    class: &'static str,
    reasons: Vec<String>,
    /// Label and text of each conclusion about a program or kernel.
    conclusions: Vec<(String, String)>,
    findings: Vec<FindingView>,
    facts: Vec<Fact>,
    parts: Option<PartsView>,
    without_roofs: Vec<String>,
    state: Vec<(String, String, String)>,
    teams: Vec<LayoutView>,
    families: Vec<FamilyView>,
    chapters: Vec<ChapterView>,
    shared: Vec<(String, String)>,
    references: Vec<(String, String)>,
    guidelines_title: String,
    guidelines: Vec<String>,
    caveats: Vec<CaveatView>,
    method_name: String,
    method: Vec<String>,
    clocks: Vec<String>,
    environment: Option<Vec<(String, String)>>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct FindingView {
    label: String,
    /// Name, digits and unit of each part.
    parts: Vec<(String, String, String)>,
    share: String,
    place: String,
    class: &'static str,
    doubt: &'static str,
}

/// What the drawing of the machine shows, for screen readers.
const PARTS: &str = "what holds what: packages, memory nodes, caches, cores and processors";

/// The drawing of the machine.
#[derive(Debug, Serialize)]
struct PartsView {
    svg: String,
    width: u32,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct CaveatView {
    id: String,
    cause: String,
    action: String,
    cells: String,
}

pub fn page_view(runs: &[Run]) -> PageView {
    let hosts = runs.iter().map(|r| r.header.machine.identity.host.as_str());
    let host = hosts.into_iter().find(|h| !h.is_empty()).unwrap_or("a machine");
    let title = match runs {
        [] => "No runs".to_owned(),
        [run] if run.header.utc.is_empty() => format!("{host} · {}", run.header.id),
        [run] => format!("{host} · {}", number::to_second(&run.header.utc)),
        [..] => format!("{} runs · {host}", runs.len()),
    };
    let mut budget = Budget::default();
    let against = |(i, run)| comparison_view(&runs[0], run, i, &mut budget);
    let comparisons = runs.iter().enumerate().skip(1).map(against).collect();
    let view = |(i, run)| run_view(page(&Analysis::of(run)), &format!("r{i}"), &mut budget);
    let runs = runs.iter().enumerate().map(view).collect();
    PageView { title, comparisons, runs }
}

/// The view of a single page.
pub fn one_page_view(page: Page<'_>) -> PageView {
    let names = page.chapters.first().map_or(String::new(), |chapter| chapter.title.clone());
    let title =
        [page.host.as_str(), &names].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    let run = run_view(page, "r0", &mut Budget::default());
    PageView { title, comparisons: Vec::new(), runs: vec![run] }
}

fn run_view(page: Page<'_>, anchor: &str, budget: &mut Budget) -> RunView {
    let mut details = Details::new(&page.cells, format!("{anchor}c"), budget);
    let chapter_anchor = |at: usize| format!("{anchor}s{at}");
    let chapters = chapter_views(&page.chapters, chapter_anchor, &mut details);
    let drawn = parts::each(&page.families, 1, |family| family.draw(&details.links));
    let families = page.families.iter().zip(drawn).enumerate().map(|(i, (family, multiples))| FamilyView {
        anchor: format!("{anchor}f{i}"),
        title: family.title,
        lead: family.lead,
        multiples,
        benchmarks: benchmarks(&page, family, chapter_anchor),
    });
    RunView {
        families: families.filter(|family| !family.multiples.is_empty()).collect(),
        notes: details.budget.notes(),
        chapters,
        anchor: anchor.to_owned(),
        word: page.assessment.word,
        class: class(Tone::of(page.assessment.grade)),
        findings: page.assessment.findings.iter().map(finding).collect(),
        conclusions: page.conclusions.iter().map(|c| (c.margin().to_owned(), c.text.clone())).collect(),
        facts: page.facts.into_iter().chain(page.devices).collect(),
        parts: recorded_picture(page.recorded, PARTS).map(|(svg, width, notes)| PartsView {
            svg,
            width: width.ceil() as u32,
            notes,
        }),
        without_roofs: page.without_roofs,
        teams: page.teams.iter().map(layout_view).collect(),
        shared: page.shared.iter().map(|s| (s.sentence(), s.benchmarks.join(", "))).collect(),
        guidelines_title: number::capitalised(guideline::TITLE),
        guidelines: page.guidelines.iter().map(Violation::line).collect(),
        caveats: page.caveats.iter().map(caveat).collect(),
        method: page.explanation.into_iter().chain(page.protocol).collect(),
        reasons: page.assessment.reasons,
        id: page.id,
        host: page.host,
        utc: page.utc,
        tool: page.tool,
        command: page.command,
        state: page.state,
        references: page.references,
        method_name: page.method,
        clocks: page.clocks,
        environment: page.environment,
    }
}

fn benchmarks(page: &Page<'_>, family: &Family<'_>, anchor: impl Fn(usize) -> String) -> Vec<(String, String)> {
    family.chapters.iter().map(|at| (page.chapters[*at].title.clone(), anchor(*at))).collect()
}

fn finding(finding: &Finding) -> FindingView {
    FindingView {
        label: finding.label.clone(),
        parts: finding.parts.iter().map(|p| (p.name.clone(), p.number.clone(), p.unit.clone())).collect(),
        share: finding.share.clone(),
        place: finding.place.clone(),
        class: class(Tone::of(finding.grade)),
        doubt: finding.doubt,
    }
}

fn caveat(group: &crate::caveat::CaveatGroup) -> CaveatView {
    CaveatView {
        id: group.id.clone(),
        cause: group.cause.clone(),
        action: group.action.clone(),
        cells: number::plural(group.cells, "cell"),
    }
}
