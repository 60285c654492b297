//! A run as terminal text: what the machine reaches first, then every benchmark's table, then the caveats.

use paw_data::cell::Role;
use paw_data::run::Run;
use paw_data::scaling::Scaling;
use paw_data::trust::Trust;

use crate::absence::{Shared, shared};
use crate::application::text::{application_text, verdict_text as program_text};
use crate::assessment::{Assessment, assessment};
use crate::caveat::caveats;
use crate::colour::{BAD, Colour, DOUBT, FAINT, GOOD, STRONG};
use crate::compare::alternatives_text;
use crate::kernel::KernelAnalysis;
use crate::kernel::text::{kernel_text, launched_text, verdict_text as kernel_verdict};
use crate::layout::layout;
use crate::machine;
use crate::number;
use crate::producer::owns;
use crate::reading::{Grade, Reading};
use crate::section::{Section, sections};
use crate::text_section::{reference_lines, section_text};
use crate::wrap::{hang, shorten, width as columns_of, wrap};

/// Narrower terminals than this get this many columns: below it not even a value and its size stand side by side.
const NARROWEST: usize = 32;
/// Fewest and most columns of the margin that labels stand in.
const MARGIN: (usize, usize) = (9, 16);

/// The whole run for a terminal of `width` columns; no line is wider (from 32 columns on).
pub fn text(run: &Run, width: usize, colour: Colour) -> String {
    let width = width.max(NARROWEST);
    let sections = sections(run);
    let assessment = assessment(run, &sections);
    let widest = assessment.findings.iter().map(|f| columns_of(&f.label) + 2).max().unwrap_or(0);
    let indent = widest.clamp(MARGIN.0, MARGIN.1);
    let scaling = Scaling::of(run);
    let program = scaling.as_ref().map(|scaling| program_text(run, scaling, indent, width, colour));
    let look = KernelAnalysis::of(run);
    let kernel = look.as_ref().map(|look| kernel_verdict(look, indent, width, colour));
    let mut out =
        program.unwrap_or_default() + &kernel.unwrap_or_default() + &verdict_text(&assessment, indent, width, colour);
    out.push_str(&machine_text(run, indent, width, colour));
    if let Some(scaling) = &scaling {
        out.push_str(&application_text(run, scaling, width, colour));
    }
    if let Some(look) = &look {
        out.push_str(&kernel_text(run, look, width, colour));
    }
    out.push_str(&launched_text(run, width, colour));
    let subjects: Vec<&Section<'_>> = sections.iter().filter(|s| s.role == Role::Subject && !owns(run, s)).collect();
    let shared = shared(&subjects);
    let is_shared = |section: &Section<'_>| {
        let name = section.rows.first().map(|reading| reading.record.cell.benchmark.as_str());
        name.is_some_and(|name| shared.iter().any(|shared| shared.benchmarks.contains(&name)))
    };
    for section in subjects.into_iter().filter(|section| !is_shared(section)) {
        out.push('\n');
        out.push_str(&section_text(section, width, colour));
        out.push_str(&alternatives_text(section, width, colour));
    }
    shared.iter().for_each(|shared| out.push_str(&shared_text(shared, width, colour)));
    let references: Vec<&Section<'_>> = sections.iter().filter(|s| s.role != Role::Subject && !owns(run, s)).collect();
    if !references.is_empty() {
        let title = shorten("references, measured in the same rounds", width);
        out.push_str(&format!("\n{}\n", colour.paint(&title, STRONG)));
        references.iter().for_each(|s| out.push_str(&reference_lines(s, width)));
    }
    if sections.iter().flat_map(|s| &s.rows).filter_map(|r| r.value).any(|v| v.disturbed > 0) {
        let note = "samples: used/taken. Disturbed samples stay in the file and leave the estimate, unless fewer than three are clean.";
        out.push('\n');
        wrap(note, width).iter().for_each(|line| out.push_str(&format!("{}\n", colour.paint(line, FAINT))));
    }
    out.push_str(&caveat_text(sections.iter().flat_map(|s| &s.rows), width, colour));
    out
}

/// Benchmarks that were skipped for one reason: how many, why, and which.
fn shared_text(shared: &Shared<'_>, width: usize, colour: Colour) -> String {
    let count = number::plural(shared.benchmarks.len(), "benchmark");
    let mut out = String::from("\n");
    wrap(&format!("{count} {}", shared.why), width)
        .iter()
        .for_each(|line| out.push_str(&format!("{}\n", colour.paint(line, FAINT))));
    wrap(&shared.benchmarks.join(" "), width.saturating_sub(2))
        .iter()
        .for_each(|line| out.push_str(&format!("  {line}\n")));
    out
}

/// What the machine reaches, one figure a line, and how far to trust it.
fn verdict_text(assessment: &Assessment, indent: usize, width: usize, colour: Colour) -> String {
    let mut out = String::new();
    for finding in &assessment.findings {
        let share = if finding.share.is_empty() { String::new() } else { format!(", {}", finding.share) };
        let doubt = if finding.grade.doubtful() { format!(", {}", finding.grade.word()) } else { String::new() };
        let text = format!("{}{share}{doubt}  ({})", finding.value(), finding.place);
        out.push_str(&margin(&finding.label, &text, indent, width, colour));
    }
    let why = assessment.reasons.join(" ");
    let style = grade_style(assessment.grade);
    let colon = if why.is_empty() { "" } else { ": " };
    let line = hang("trust", &format!("{}{colon}{why}", assessment.word), indent, width);
    out.push_str(&line.replacen(assessment.word, &colour.paint(assessment.word, style), 1));
    out
}

/// The style of a trust word.
pub fn grade_style(grade: Grade) -> anstyle::Style {
    match grade {
        Grade::Number(Trust::Good) => GOOD,
        Grade::Number(Trust::Fair) => DOUBT,
        Grade::Number(Trust::Poor) | Grade::Broken => BAD,
        Grade::Absent => FAINT,
    }
}

/// `label` in the margin in bold, the text beside it.
fn margin(label: &str, text: &str, indent: usize, width: usize, colour: Colour) -> String {
    let line = hang(label, text, indent, width);
    match line.strip_prefix(label) {
        Some(rest) => format!("{}{rest}", colour.paint(label, STRONG)),
        None => line,
    }
}

fn machine_text(run: &Run, indent: usize, width: usize, colour: Colour) -> String {
    let header = &run.header;
    let mut out = String::new();
    let facts = machine::facts(&header.machine.identity);
    if !facts.is_empty() {
        out.push_str(&margin("machine", &facts.join(" · "), indent, width, colour));
    }
    for (id, words) in machine::device_facts(&header.machine) {
        out.push_str(&margin(&id, &words, indent, width, colour));
    }
    for team in &run.teams {
        out.push_str(&margin("ranks", &layout(team).line(), indent, width, colour));
    }
    let run_line = [header.id.as_str(), header.tool.as_str(), header.utc.as_str()];
    let run_line: Vec<&str> = run_line.into_iter().filter(|part| !part.is_empty()).collect();
    out.push_str(&margin("run", &run_line.join(" · "), indent, width, colour));
    out
}

fn caveat_text<'s, 'r: 's>(rows: impl Iterator<Item = &'s Reading<'r>>, width: usize, colour: Colour) -> String {
    let groups = caveats(rows);
    let mut out = String::new();
    if groups.is_empty() {
        return out;
    }
    out.push_str(&format!("\n{}\n", colour.paint("caveats", STRONG)));
    for group in groups {
        let text = format!("{}. → {}", group.cause(), group.action);
        let label = format!("{} ({})", group.id, number::plural(group.cells, "cell"));
        let line = hang("", &format!("{label}: {text}"), 2, width);
        out.push_str(&line.replacen(&group.id, &colour.paint(&group.id, DOUBT), 1));
    }
    out
}
