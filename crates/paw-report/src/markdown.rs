//! A run as Markdown.

use paw_data::cell::Role;
use paw_data::run::Run;
use paw_data::scaling::Scaling;

use crate::absence::absences;
use crate::application::markdown::{application_markdown, verdict_markdown};
use crate::assessment::assessment;
use crate::caveat::caveats;
use crate::kernel::KernelAnalysis;
use crate::kernel::markdown::{kernel_markdown, launched_markdown, verdict_markdown as kernel_verdict};
use crate::layout::layout;
use crate::machine;
use crate::method;
use crate::number;
use crate::participants::spelled;
use crate::producer::owns;
use crate::reading::{Reading, share_word};
use crate::reason::codes;
use crate::secondary::Side;
use crate::section::{Section, sections};
use crate::series::{label, series};
use crate::table::Align;
use crate::text_section::{interval, key_columns, key_pieces, reference, samples};
use crate::wrap::printable;

/// The whole run as GitHub-flavoured Markdown: what the machine reaches first, then a table for each benchmark, then the
/// caveats and how it was measured.
pub fn markdown(run: &Run) -> String {
    let header = &run.header;
    let sections = sections(run);
    let host = if header.machine.identity.host.is_empty() { "Run" } else { &header.machine.identity.host };
    let mut out = format!("# {} · {}\n\n", escape(host), escape(&header.utc));
    let scaling = Scaling::of(run);
    out.push_str(&scaling.iter().map(|s| verdict_markdown(run, s)).collect::<String>());
    let look = KernelAnalysis::of(run);
    out.push_str(&look.iter().map(kernel_verdict).collect::<String>());
    out.push_str(&verdict(run, &sections));
    out.push_str(&scaling.iter().map(|s| application_markdown(run, s)).collect::<String>());
    out.push_str(&look.iter().map(|look| kernel_markdown(run, look)).collect::<String>());
    out.push_str(&launched_markdown(run));
    for section in sections.iter().filter(|s| s.role == Role::Subject && !owns(run, s)) {
        out.push_str(&section_markdown(section));
    }
    out.push_str(&references(run, &sections));
    out.push_str(&caveat_list(&sections));
    out.push_str(&how(run));
    out
}

/// Text that stays text: Markdown's and HTML's marks lose their meaning.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '|' | '*' | '`' | '[' | ']' | '\\' | '#' | '~' => out.extend(['\\', c]),
            // Between letters and digits an underline is one in GitHub's Markdown.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Text as code, whatever stands in it.
pub fn code(text: &str) -> String {
    let text = printable(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("`{text}`") } else { format!("{fence} {text} {fence}") }
}

fn verdict(run: &Run, sections: &[Section<'_>]) -> String {
    let assessment = assessment(run, sections);
    let mut out = String::new();
    for finding in &assessment.findings {
        let share = if finding.share.is_empty() { String::new() } else { format!(", {}", finding.share) };
        let doubt = if finding.grade.doubtful() { format!(", {}", finding.grade.word()) } else { String::new() };
        let place = escape(&finding.place);
        out.push_str(&format!("- **{}**: {}{share}{doubt} ({place})\n", escape(&finding.label), finding.value()));
    }
    out.push_str(&format!("- **trust**: {}. {}\n", assessment.word, escape(&assessment.reasons.join(" "))));
    let facts = machine::facts(&run.header.machine.identity);
    if !facts.is_empty() {
        out.push_str(&format!("- **machine**: {}\n", escape(&facts.join(" · "))));
    }
    for team in &run.teams {
        out.push_str(&format!("- **ranks**: {}\n", escape(&layout(team).line())));
    }
    out
}

fn section_markdown(section: &Section<'_>) -> String {
    let mut out = format!("\n## {}\n\n", escape(&section.title()));
    if !section.note().is_empty() {
        out.push_str(&format!("{}\n\n", escape(&section.note())));
    }
    let unit = if section.unit().is_empty() { "value" } else { section.unit() };
    let mut columns: Vec<(String, Align)> =
        key_columns(section).into_iter().map(|c| (spelled(&c.title), c.align)).collect();
    let secondary = |side| section.secondary.iter().filter(move |b| b.side == side);
    columns.extend(secondary(Side::Before).map(|b| (b.title(), Align::Right)));
    columns.extend([(unit.to_owned(), Align::Right), ("±".to_owned(), Align::Right)]);
    columns.extend(secondary(Side::Behind).map(|b| (b.title(), Align::Right)));
    columns.push(("share".to_owned(), Align::Left));
    columns.extend(["samples", "check", "trust"].map(|t| (t.to_owned(), Align::Left)));
    let measured: Vec<&Reading<'_>> = section.rows.iter().filter(|r| r.absence().is_none()).collect();
    if !measured.is_empty() {
        out.push_str(&line(columns.iter().map(|(title, _)| escape(title))));
        out.push_str(&line(columns.iter().map(|(_, a)| if *a == Align::Right { "--:" } else { ":--" }.to_owned())));
        measured.iter().for_each(|reading| out.push_str(&row(section, reading)));
    }
    for (i, absence) in absences(section).iter().enumerate() {
        let steps = section
            .ladder
            .filter(|_| !absence.steps.is_empty())
            .map(|l| format!(", {}={}", section.axis_name(l), absence.steps));
        let place = label(section, absence.first) + &steps.unwrap_or_default();
        out.push_str(if i == 0 && !measured.is_empty() { "\n" } else { "" });
        out.push_str(&format!("- {}: {}\n", escape(&place), escape(&absence.why)));
    }
    out
}

fn row(section: &Section<'_>, reading: &Reading<'_>) -> String {
    let share = reading.share.map_or(String::new(), |s| format!("{} of {}", number::percent(s.value), share_word(&s)));
    let codes = codes(&reading.reasons).join(", ");
    let trust =
        if codes.is_empty() { reading.grade.word().to_owned() } else { format!("{}: {codes}", reading.grade.word()) };
    let check = reading.check().map_or("", |(_, word)| word);
    let keys = key_pieces(section, reading).into_iter().map(|p| escape(&p.text));
    let secondary = |side| section.secondary.iter().filter(move |b| b.side == side).map(|b| b.text(reading));
    let headline = [section.value(reading), interval(reading)];
    let rest = [share, samples(reading), check.to_owned(), escape(&trust)];
    line(keys.chain(secondary(Side::Before)).chain(headline).chain(secondary(Side::Behind)).chain(rest))
}

/// One line of a table.
pub fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn references(run: &Run, sections: &[Section<'_>]) -> String {
    let mut lines = String::new();
    for section in sections.iter().filter(|s| s.role != Role::Subject && !owns(run, s)) {
        for one in series(section) {
            if let Some(text) = reference(section, &one) {
                lines.push_str(&format!("- {}, {}: {text}\n", escape(&section.title()), escape(&one.label)));
            }
        }
    }
    if lines.is_empty() { lines } else { format!("\n## References, measured in the same rounds\n\n{lines}") }
}

fn caveat_list(sections: &[Section<'_>]) -> String {
    let groups = caveats(sections.iter().flat_map(|s| &s.rows));
    let line = |g: &crate::caveat::CaveatGroup| {
        let cells = number::plural(g.cells, "cell");
        format!("- **{}** ({cells}): {}. → {}\n", escape(&g.id), escape(&g.cause()), escape(&g.action))
    };
    let lines: String = groups.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("\n## Caveats\n\n{lines}") }
}

fn how(run: &Run) -> String {
    let header = &run.header;
    let mut out = format!("\n## How it was measured\n\nMethod {}.\n\n", code(&header.plan.method.name));
    method::explanation(run).iter().for_each(|s| out.push_str(&format!("- {}\n", escape(s))));
    let command = machine::command_line(&header.argv);
    if !command.is_empty() {
        out.push_str(&format!("\nCommand: {}\n", code(&command)));
    }
    if !header.env.is_empty() {
        let variables: Vec<String> = header.env.iter().map(|(k, v)| code(&format!("{k}={v}"))).collect();
        out.push_str(&format!("\nEnvironment: {}\n", variables.join(", ")));
    }
    out.push_str(&format!("\nRun {}, {}\n", code(&header.id), escape(&header.tool)));
    out
}
