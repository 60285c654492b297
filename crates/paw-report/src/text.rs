//! A run as terminal text: the headline, then every chapter, then the caveats.

mod bar;
mod bars;
pub mod brief;
mod chapter;
pub mod compare;
mod compared;
mod grid;
pub mod listing;
mod style;
pub mod table;

use anstyle::Style;
use paw_data::code::Code;
use paw_data::run::Run;

use crate::analysis::Analysis;
use crate::benchmark::absence::SharedAbsence;
use crate::code::chapter_of;
use crate::colour::{Colour, DOUBT, FAINT, STRONG};
use crate::guideline;
use crate::model::{Page, Tone};
use crate::number;
use crate::page::page;
use crate::text::chapter::chapter_text;
use crate::text::style::style;
use crate::wrap::{hang, shorten, width as columns_of, wrap};

/// Fewest columns printed: a value and its size need them.
pub const NARROWEST: usize = 32;
/// Fewest and most columns of the margin for labels.
const MARGIN: (usize, usize) = (9, 16);

/// The whole run for a terminal of `width` columns; no line is wider (from 32 columns on).
pub fn text(run: &Run, width: usize, colour: Colour) -> String {
    print(&page(&Analysis::of(run)), width.max(NARROWEST), colour)
}

/// What was found in code, for a terminal of `width` columns.
pub fn code_text(codes: &[Code], width: usize, colour: Colour) -> String {
    let text = chapter_text(&chapter_of(codes, "code"), width.max(NARROWEST), colour);
    text.trim_start_matches('\n').to_owned()
}

/// A page for a terminal of `width` columns.
pub fn print(page: &Page<'_>, width: usize, colour: Colour) -> String {
    let widest = page.assessment.findings.iter().skip(page.repeated).map(|f| columns_of(&f.label) + 2).max();
    let margin = Margin { indent: widest.unwrap_or(0).clamp(MARGIN.0, MARGIN.1), width, colour };
    let mut out = verdict(page, &margin) + &machine(page, &margin);
    page.chapters.iter().for_each(|chapter| out.push_str(&chapter_text(chapter, width, colour)));
    page.shared.iter().for_each(|shared| out.push_str(&shared_text(shared, width, colour)));
    out.push_str(&references(page, width, colour));
    if page.is_disturbed {
        let note = "samples: used/taken. Disturbed samples stay in the file and leave the estimate, unless fewer than three are clean.";
        out.push_str(&format!("\n{}", painted(note, width, FAINT, colour)));
    }
    out + &guidelines(page, width, colour) + &caveats(page, width, colour)
}

/// A margin with labels in bold, and the texts beside it.
struct Margin {
    indent: usize,
    width: usize,
    colour: Colour,
}

impl Margin {
    fn line(&self, label: &str, text: &str) -> String {
        let line = hang(label, text, self.indent, self.width);
        match line.strip_prefix(label) {
            Some(rest) => format!("{}{rest}", self.colour.paint(label, STRONG)),
            None => line,
        }
    }
}

/// The headline figures, one a line, and the word for the whole run.
fn verdict(page: &Page<'_>, margin: &Margin) -> String {
    let assessment = &page.assessment;
    let mut out: String = page.conclusions.iter().map(|c| margin.line(c.margin(), &c.text)).collect();
    for finding in assessment.findings.iter().skip(page.repeated) {
        out.push_str(&margin.line(&finding.label, &format!("{}  ({})", finding.line(), finding.place)));
    }
    let why = assessment.reasons.join(" ");
    let colon = if why.is_empty() { "" } else { ": " };
    let line = hang("trust", &format!("{}{colon}{why}", assessment.word), margin.indent, margin.width);
    let word = margin.colour.paint(&assessment.word, style(Tone::of(assessment.grade)));
    out + &line.replacen(&assessment.word, &word, 1)
}

fn machine(page: &Page<'_>, margin: &Margin) -> String {
    let mut out = String::new();
    if !page.machine.is_empty() {
        out.push_str(&margin.line("machine", &page.machine.join(" · ")));
    }
    page.devices.iter().for_each(|device| out.push_str(&margin.line(&device.name, &device.text)));
    page.teams.iter().for_each(|team| out.push_str(&margin.line("ranks", &team.line())));
    let run = [page.id.as_str(), page.tool.as_str(), page.utc.as_str()];
    let run: Vec<&str> = run.into_iter().filter(|part| !part.is_empty()).collect();
    out + &margin.line("run", &run.join(" · "))
}

/// Benchmarks that were skipped for one reason: how many, why, and which.
fn shared_text(shared: &SharedAbsence<'_>, width: usize, colour: Colour) -> String {
    let names = wrap(&shared.benchmarks.join(" "), width.saturating_sub(2));
    let names: String = names.iter().map(|line| format!("  {line}\n")).collect();
    format!("\n{}{names}", painted(&shared.sentence(), width, FAINT, colour))
}

fn references(page: &Page<'_>, width: usize, colour: Colour) -> String {
    let lines = page.references.iter().map(|(name, text)| format!("{name}: {text}"));
    let lines: String = lines.map(|line| hang("", &line, 2, width)).collect();
    if lines.is_empty() {
        return lines;
    }
    let title = shorten("references, measured in the same run", width);
    format!("\n{}\n{lines}", colour.paint(&title, STRONG))
}

fn guidelines(page: &Page<'_>, width: usize, colour: Colour) -> String {
    let lines: String = page.guidelines.iter().map(|broken| hang("", &broken.line(), 2, width)).collect();
    if lines.is_empty() {
        return lines;
    }
    format!("\n{}{lines}", painted(guideline::TITLE, width, STRONG, colour))
}

fn caveats(page: &Page<'_>, width: usize, colour: Colour) -> String {
    if page.caveats.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n", colour.paint("caveats", STRONG));
    for group in &page.caveats {
        let label = format!("{} ({})", group.id, number::plural(group.cells, "cell"));
        let line = hang("", &format!("{label}: {}. → {}", group.cause, group.action), 2, width);
        out.push_str(&line.replacen(&group.id, &colour.paint(&group.id, DOUBT), 1));
    }
    out
}

/// `text` in lines of one style.
fn painted(text: &str, width: usize, style: Style, colour: Colour) -> String {
    wrap(text, width).iter().map(|line| format!("{}\n", colour.paint(line, style))).collect()
}
