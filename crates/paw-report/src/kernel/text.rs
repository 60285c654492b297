//! A kernel on a terminal.

use paw_data::run::Run;

use crate::colour::{BAD, Colour, STRONG};
use crate::kernel::{KernelAnalysis, Room, protocol, verdict};
use crate::wrap::hang;

/// The margin of the facts: the longest name and a gap.
const MARGIN: usize = 12;

/// What the run comes to, with the kernel's name and the levels in the margin.
pub fn verdict_text(look: &KernelAnalysis<'_>, indent: usize, width: usize, colour: Colour) -> String {
    let mut out = String::new();
    for (name, text) in &verdict::verdict(look) {
        let label = if name.is_empty() { &look.kernel().name } else { name };
        let line = hang(label, text, indent, width);
        out.push_str(&match line.strip_prefix(label.as_str()) {
            Some(rest) => format!("{}{rest}", colour.paint(label, STRONG)),
            None => line,
        });
    }
    out
}

/// What was called and how, the tables, and what their marks mean.
pub fn kernel_text(run: &Run, look: &KernelAnalysis<'_>, width: usize, colour: Colour) -> String {
    let mut out = String::from("\n");
    let facts = protocol::subject(run, look.kernel());
    let line = ("protocol", protocol::line(run, look.kernel()));
    for (name, text) in facts.into_iter().chain([line]) {
        out.push_str(&colour.faint(&hang(name, &text, MARGIN, width)));
    }
    look.sheets(Room::of(width)).iter().for_each(|sheet| out.push_str(&sheet.titled(width, colour)));
    let wrong = wrong(look);
    let identical = verdict::identical(look);
    if !wrong.is_empty() || !identical.is_empty() {
        out.push('\n');
    }
    for (name, note) in &wrong {
        let text = hang("", &format!("{name}: {note}"), 2, width);
        out.push_str(&text.replacen(name, &colour.paint(name, BAD), 1));
    }
    identical.iter().for_each(|text| out.push_str(&hang("", text, 2, width)));
    out.push('\n');
    protocol::notes(look).iter().for_each(|note| out.push_str(&colour.faint(&hang("", note, 2, width))));
    out
}

/// What was launched on a device, and what its answers are held against; nothing where no kernel was launched.
pub fn launched_text(run: &Run, width: usize, colour: Colour) -> String {
    let facts = protocol::launched(run);
    if facts.is_empty() {
        return String::new();
    }
    let lines = facts.into_iter().map(|(name, text)| colour.faint(&hang(name, &text, MARGIN, width)));
    lines.fold("\n".to_owned(), |text, line| text + &line)
}

/// Wrong answers with where they are wrong, each build once.
pub fn wrong(look: &KernelAnalysis<'_>) -> Vec<(String, String)> {
    let (KernelAnalysis::Builds(matrix) | KernelAnalysis::Answers(matrix)) = look else { return Vec::new() };
    let mut found: Vec<(String, String)> = Vec::new();
    for row in matrix.panels.iter().flat_map(|panel| panel.wrong()) {
        let note = row.check().map(|check| check.note.as_str()).filter(|note| !note.is_empty());
        let why = note.or(row.absence().map(|(_, why)| why)).unwrap_or_default().to_owned();
        if !found.iter().any(|(name, _)| *name == row.name()) {
            found.push((row.name(), why));
        }
    }
    found
}
