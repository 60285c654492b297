//! What the page's templates read: everything is text already, and only drawings are markup.

use paw_data::cell::Role;
use paw_data::run::{ClockKind, Instrument, Run};
use paw_data::trust::Trust;
use serde::Serialize;

use crate::assessment::{Assessment, assessment};
use crate::caveat::caveats;
use crate::family::families;
use crate::html::application_view::{ApplicationView, application_view};
use crate::html::budget::Budget;
use crate::html::comparison_view::{ComparisonView, comparison_view};
use crate::html::family_view::{FamilyView, family_view};
use crate::html::kernel_view::{KernelView, kernel_view};
use crate::html::layout_view::{LayoutView, layout_views};
use crate::html::section_view::{SectionView, section_view};
use crate::kernel::protocol;
use crate::machine;
use crate::method;
use crate::number;
use crate::plot::RowLinks;
use crate::plot::roofline::roofline;
use crate::producer::owns;
use crate::reading::Grade;
use crate::section::{Section, sections};
use crate::series::series;
use crate::text_section::reference;

/// The page.
#[derive(Debug, Serialize)]
pub struct Page {
    title: String,
    comparisons: Vec<ComparisonView>,
    runs: Vec<RunView>,
}

/// One run.
#[derive(Debug, Serialize)]
pub struct RunView {
    anchor: String,
    id: String,
    host: String,
    utc: String,
    tool: String,
    command: String,
    word: &'static str,
    class: &'static str,
    reasons: Vec<String>,
    findings: Vec<FindingView>,
    facts: Vec<(String, String)>,
    state: Vec<(String, String, String)>,
    teams: Vec<LayoutView>,
    families: Vec<FamilyView>,
    application: Option<ApplicationView>,
    kernel: Option<KernelView>,
    sections: Vec<SectionView>,
    references: Vec<(String, String)>,
    roofline: Option<String>,
    caveats: Vec<CaveatView>,
    method_name: String,
    method: Vec<String>,
    clocks: Vec<String>,
    environment: Vec<(String, String)>,
    notes: Vec<String>,
}

/// One figure.
#[derive(Debug, Clone, Serialize)]
pub struct FindingView {
    /// What it is.
    pub label: String,
    /// Name, digits and unit of each part.
    pub parts: Vec<(String, String, String)>,
    /// What it is in proportion to something.
    pub share: String,
    /// Where it was reached.
    pub place: String,
    /// The class of its grade.
    pub class: &'static str,
    /// The word of its grade where it is to be doubted.
    pub doubt: &'static str,
}

#[derive(Debug, Serialize)]
struct CaveatView {
    id: String,
    cause: String,
    action: String,
    cells: String,
}

/// The class of a grade: what colours it.
pub fn class(grade: Grade) -> &'static str {
    match grade {
        Grade::Number(Trust::Good) => "good",
        Grade::Number(Trust::Fair) => "fair",
        Grade::Number(Trust::Poor) | Grade::Broken => "poor",
        Grade::Absent => "absent",
    }
}

/// The page of `runs`.
pub fn page(runs: &[Run]) -> Page {
    let hosts: Vec<&str> =
        runs.iter().map(|r| r.header.machine.identity.host.as_str()).filter(|h| !h.is_empty()).collect();
    let host = hosts.first().copied().unwrap_or("a machine");
    let title = match runs {
        [] => "No runs".to_owned(),
        [run] => format!("{host} · {}", run.header.utc),
        [..] => format!("{} runs · {host}", runs.len()),
    };
    let mut budget = Budget::default();
    let against = |(i, run)| comparison_view(&runs[0], run, i, &mut budget);
    let comparisons = runs.iter().enumerate().skip(1).map(against).collect();
    let runs = runs.iter().enumerate().map(|(i, run)| run_view(run, i, &mut budget)).collect();
    Page { title, comparisons, runs }
}

fn run_view(run: &Run, place: usize, budget: &mut Budget) -> RunView {
    let all = sections(run);
    let anchor = format!("r{place}");
    let verdict = assessment(run, &all);
    let caveats = caveat_views(&all);
    let sections: Vec<Section<'_>> = all.into_iter().filter(|s| !owns(run, s)).collect();
    let header = &run.header;
    let identity = &header.machine.identity;
    let mut links = RowLinks { prefix: format!("{anchor}c"), ..RowLinks::default() };
    let application = application_view(run, &anchor, &mut links, budget);
    let kernel = kernel_view(run, &anchor, &mut links, budget);
    let subjects = sections.iter().filter(|s| s.role == Role::Subject);
    let views =
        subjects.enumerate().map(|(i, s)| section_view(s, identity, &format!("{anchor}s{i}"), &mut links, budget));
    let views: Vec<SectionView> = views.collect();
    let of_kernel = kernel.iter().flat_map(|k| k.findings.clone());
    let own: Vec<FindingView> = application.iter().flat_map(|a| a.findings.clone()).chain(of_kernel).collect();
    RunView {
        id: header.id.clone(),
        host: identity.host.clone(),
        utc: header.utc.clone(),
        tool: header.tool.clone(),
        command: machine::command_line(&header.argv),
        word: verdict.word,
        class: class(verdict.grade),
        findings: own.into_iter().chain(findings(&verdict)).collect(),
        reasons: verdict.reasons,
        facts: {
            let named = machine::named_facts(identity).into_iter().map(|(name, value)| (name.to_owned(), value));
            let launched = protocol::launched(run).into_iter().map(|(name, text)| (format!("kernel: {name}"), text));
            named.chain(machine::device_facts(&header.machine)).chain(launched).collect()
        },
        state: states(run),
        teams: layout_views(run),
        families: family_views(&sections, &anchor, &links),
        sections: views,
        references: references(&sections),
        roofline: roofline(&sections, identity, &links),
        caveats,
        application,
        kernel,
        method_name: header.plan.method.name.clone(),
        method: method::explanation(run),
        clocks: run.instruments.iter().map(clock).collect(),
        environment: header.env.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
        notes: budget.notes(),
        anchor,
    }
}

/// The families of benchmarks of ranks; each leads to its benchmarks' sections, which are numbered as subjects are.
fn family_views(sections: &[Section<'_>], anchor: &str, links: &RowLinks) -> Vec<FamilyView> {
    let subjects: Vec<&Section<'_>> = sections.iter().filter(|s| s.role == Role::Subject).collect();
    let place = |section: &Section<'_>| {
        let at = subjects.iter().position(|s| std::ptr::eq(*s, section)).unwrap_or_default();
        format!("{anchor}s{at}")
    };
    let all = families(sections);
    all.iter().enumerate().filter_map(|(i, r)| family_view(r, format!("{anchor}f{i}"), place, links)).collect()
}

fn findings(verdict: &Assessment) -> Vec<FindingView> {
    let view = |f: &crate::assessment::Finding| FindingView {
        label: f.label.clone(),
        parts: f.parts.iter().map(|p| (p.name.clone(), p.number.clone(), p.unit.clone())).collect(),
        share: f.share.clone(),
        place: f.place.clone(),
        class: class(f.grade),
        doubt: if f.grade.doubtful() { f.grade.word() } else { "" },
    };
    verdict.findings.iter().map(view).collect()
}

fn clock(instrument: &Instrument) -> String {
    let name = match instrument.clock {
        ClockKind::Monotonic => "The operating system's monotonic clock",
        ClockKind::Realtime => "The operating system's wall clock, which may be set while it runs",
        ClockKind::Tsc => "The time-stamp counter (TSC ticks, no core cycles)",
        ClockKind::Event => "The device's own events",
        ClockKind::Scripted => "A test's script instead of a clock",
    };
    let (resolution, overhead) = (number::duration(instrument.resolution_s), number::duration(instrument.overhead_s));
    format!("{name}: resolution {resolution}, overhead {overhead}")
}

/// Readings of the state: name, at the start, and at the end where it changed.
fn states(run: &Run) -> Vec<(String, String, String)> {
    let after = run.end.as_ref().map(|end| &end.machine_state);
    let changed = |name: &String, value: &String| {
        after.and_then(|a| a.get(name)).filter(|v| *v != value).cloned().unwrap_or_default()
    };
    run.header.machine.state.iter().map(|(name, value)| (name.clone(), value.clone(), changed(name, value))).collect()
}

fn references(sections: &[Section<'_>]) -> Vec<(String, String)> {
    let references = sections.iter().filter(|s| s.role != Role::Subject);
    let lines = references.flat_map(|s| {
        series(s).into_iter().filter_map(|one| Some((format!("{}, {}", s.title(), one.label), reference(s, &one)?)))
    });
    lines.collect()
}

fn caveat_views(sections: &[Section<'_>]) -> Vec<CaveatView> {
    let groups = caveats(sections.iter().flat_map(|s| &s.rows));
    let view = |g: &crate::caveat::CaveatGroup| CaveatView {
        id: g.id.clone(),
        cause: g.cause(),
        action: g.action.clone(),
        cells: number::plural(g.cells, "cell"),
    };
    groups.iter().map(view).collect()
}
