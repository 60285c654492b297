//! A run as Markdown.

mod chapter;
mod escape;
mod listing;
pub mod table;

use paw_data::code::Code;
use paw_data::run::Run;

use crate::analysis::Analysis;
use crate::code::chapter_of;
use crate::guideline;
use crate::markdown::chapter::chapter_markdown;
use crate::markdown::escape::{code, escape};
use crate::markdown::table::list;
use crate::model::Page;
use crate::number;
use crate::page::page;

/// The whole run as GitHub-flavoured Markdown: what the machine reaches first, then every chapter, then the caveats and how
/// it was measured.
pub fn markdown(run: &Run) -> String {
    print(&page(&Analysis::of(run)))
}

/// What was found in code as Markdown.
pub fn code_markdown(codes: &[Code]) -> String {
    chapter_markdown(&chapter_of(codes, "code")).trim_start_matches('\n').to_owned()
}

/// A page as Markdown.
pub fn print(page: &Page<'_>) -> String {
    let host = if page.host.is_empty() { "Run" } else { &page.host };
    let date = if page.utc.is_empty() { String::new() } else { format!(" · {}", escape(&page.utc)) };
    let mut out = format!("# {}{date}\n\n{}", escape(host), verdict(page));
    page.chapters.iter().for_each(|chapter| out.push_str(&chapter_markdown(chapter)));
    let shared = page.shared.iter().map(|shared| format!("{} ({})", shared.sentence(), shared.benchmarks.join(", ")));
    out.push_str(&section("Not measured", shared.map(|line| escape(&line))));
    let references = page.references.iter().map(|(name, text)| format!("{}: {}", escape(name), escape(text)));
    out.push_str(&section("References, measured in the same run", references));
    let guidelines = page.guidelines.iter().map(|broken| escape(&broken.line()));
    out.push_str(&section(&number::capitalised(guideline::TITLE), guidelines));
    let caveats = page.caveats.iter().map(|g| {
        let cells = number::plural(g.cells, "cell");
        format!("**{}** ({cells}): {}. → {}", escape(&g.id), escape(&g.cause), escape(&g.action))
    });
    out.push_str(&section("Caveats", caveats));
    out + &how(page)
}

/// A list under a heading; empty without items.
fn section(title: &str, items: impl Iterator<Item = String>) -> String {
    let items: String = items.map(|item| format!("- {item}\n")).collect();
    if items.is_empty() { items } else { format!("\n## {title}\n\n{items}") }
}

fn verdict(page: &Page<'_>) -> String {
    let assessment = &page.assessment;
    let mut lines: Vec<(String, String)> = Vec::new();
    for conclusion in &page.conclusions {
        let parts = [conclusion.name.as_str(), conclusion.label.as_str()];
        let label = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        lines.push((label, escape(&conclusion.text)));
    }
    for finding in assessment.findings.iter().skip(page.repeated) {
        lines.push((finding.label.clone(), format!("{} ({})", finding.line(), escape(&finding.place))));
    }
    lines.push(("trust".to_owned(), format!("{}. {}", assessment.word, escape(&assessment.reasons.join(" ")))));
    if !page.machine.is_empty() {
        lines.push(("machine".to_owned(), escape(&page.machine.join(" · "))));
    }
    lines.extend(page.devices.iter().map(|device| (device.name.clone(), escape(&device.text))));
    lines.extend(page.teams.iter().map(|team| ("ranks".to_owned(), escape(&team.line()))));
    lines.iter().map(|(label, text)| format!("- **{}**: {text}\n", escape(label))).collect()
}

fn how(page: &Page<'_>) -> String {
    let mut out = format!("\n## How it was measured\n\nMethod {}.\n", code(&page.method));
    out.push_str(&list(&page.explanation));
    if !page.command.is_empty() {
        out.push_str(&format!("\nCommand: {}\n", code(&page.command)));
    }
    let environment = page.environment.as_deref().unwrap_or_default();
    if !environment.is_empty() {
        let variables: Vec<String> = environment.iter().map(|(k, v)| code(&format!("{k}={v}"))).collect();
        out.push_str(&format!("\nEnvironment: {}\n", variables.join(", ")));
    }
    out.push_str(&format!("\nRun {}, {}\n", code(&page.id), escape(&page.tool)));
    out
}
