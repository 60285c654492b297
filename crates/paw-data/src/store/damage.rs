//! One sentence about the parts of a file that could not be read.

use std::fmt::Write;

/// Counts and places of the parts of a file that could not be read.
#[derive(Debug, Default)]
pub(super) struct Damage {
    /// The format's version, if it is a later minor version.
    pub minor: Option<String>,
    /// The line in whose middle the file stops, if it does.
    pub torn: Option<usize>,
    /// Lines that cannot be read.
    unreadable: Count,
    /// Lines of an unknown kind.
    unknown: Count,
    /// Lines about a cell that no line describes.
    orphans: Count,
    /// Why the header could not be read, if it could not.
    pub headless: Option<String>,
}

#[derive(Debug, Default)]
struct Count {
    lines: usize,
    first: String,
}

impl Count {
    fn add(&mut self, first: impl FnOnce() -> String) {
        if self.lines == 0 {
            self.first = first();
        }
        self.lines += 1;
    }

    fn report(&self, what: &str, parts: &mut Vec<String>) {
        match self.lines {
            0 => {}
            1 => parts.push(format!("1 line {what} was left out ({})", self.first)),
            n => parts.push(format!("{n} lines {what} were left out (first: {})", self.first)),
        }
    }
}

impl Damage {
    pub fn unreadable(&mut self, line: usize, why: &str) {
        self.unreadable.add(|| format!("line {line}: {why}"));
    }

    pub fn unknown(&mut self, line: usize, kind: &str) {
        self.unknown.add(|| format!("line {line}: `{kind}`"));
    }

    pub fn orphan(&mut self, line: usize, cell: u32) {
        self.orphans.add(|| format!("line {line}: cell {cell}"));
    }

    /// One sentence, or nothing where nothing is missing. `ended`: whether the run's last line was found.
    pub fn sentence(&self, lines: usize, ended: EndLine) -> Option<String> {
        let mut parts = Vec::new();
        if let Some(why) = &self.headless {
            parts.push(format!("the first line cannot be read ({why}), so that plan and machine are unknown"));
        }
        if let Some(schema) = &self.minor {
            parts.push(format!("it is of a newer format ({schema}), of which only the known part is shown"));
        }
        self.unreadable.report("that cannot be read", &mut parts);
        self.unknown.report("of a kind this version does not know", &mut parts);
        self.orphans.report("about cells that no line describes", &mut parts);
        match (self.torn, ended) {
            (Some(line), _) => {
                parts.push(format!("the file breaks off within line {line}, and what came after that is missing"));
            }
            (None, EndLine::No) => {
                parts.push(format!("the run was cut off after line {lines}, and what was not yet saved is missing"));
            }
            (None, EndLine::Yes) => {}
        }
        let (first, rest) = parts.split_first()?;
        let mut sentence = first.clone();
        for part in rest {
            let _ = write!(sentence, "; {part}");
        }
        Some(sentence + ".")
    }
}

/// Whether the line that closes a run was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndLine {
    Yes,
    No,
}
