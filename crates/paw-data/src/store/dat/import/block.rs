//! One run's part of a file; PAW appends, so that a file may hold several.

use std::path::{Path, PathBuf};

use super::super::header::BANNER;
use super::super::name::{self, Content, FileName};
use super::table::{self, ImportedRow};
use super::{Note, about, catalogue};

/// Who wrote a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockOrigin {
    /// PAW, of this version.
    Paw(u32, u32, u32),
    /// paw itself.
    Ours,
    /// No banner.
    Unknown,
}

/// Rows that belong together, with what the comments above them say.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub path: PathBuf,
    /// Index among the blocks of the file, from 0.
    pub ordinal: usize,
    /// Line of the first row.
    pub line: usize,
    pub name: FileName,
    pub origin: BlockOrigin,
    /// Facts of the comment block: `Date`, `Test`, `Run`, `Provider` …
    pub facts: Vec<(String, String)>,
    /// The line that names the columns.
    pub labels: String,
    pub entries: Vec<ImportedRow>,
}

impl Block {
    /// A fact of the comment block.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// The blocks of a file, and notes about what could not be read.
pub(super) fn blocks(path: &Path, text: &str, notes: &mut Vec<Note>) -> Vec<Block> {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let mut splitter = Splitter::new(path, name::parse(&file).filter(|n| catalogue::find(&n.test).is_some()));
    for (index, line) in text.lines().enumerate() {
        splitter.line(index + 1, line.trim());
    }
    let mut found = splitter.finish(notes);
    if found.is_empty() {
        notes.push(about(
            path,
            "line 1: this is not a result of PAW: no row of a known test; it was left out.".to_owned(),
        ));
    } else if found.len() > 1 {
        let text = format!("holds {} runs, one after the other; they were imported apart.", found.len());
        notes.push(Note { path: path.to_owned(), line: Some(found[1].line), text });
    }
    for (ordinal, block) in found.iter_mut().enumerate() {
        block.ordinal = ordinal;
    }
    found
}

struct Splitter {
    path: PathBuf,
    name: Option<FileName>,
    current: Draft,
    done: Vec<Draft>,
    remarks: table::Remarks,
}

#[derive(Default)]
struct Draft {
    banner: Option<BlockOrigin>,
    facts: Vec<(String, String)>,
    labels: String,
    line: usize,
    entries: Vec<ImportedRow>,
}

impl Splitter {
    fn new(path: &Path, name: Option<FileName>) -> Self {
        Self {
            path: path.to_owned(),
            name,
            current: Draft::default(),
            done: Vec::new(),
            remarks: table::Remarks::default(),
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        if line.is_empty() {
            return;
        }
        match line.strip_prefix('#') {
            Some(comment) => self.comment(number, line, comment.trim()),
            None => self.row(number, line),
        }
    }

    fn comment(&mut self, number: usize, line: &str, comment: &str) {
        if let Some(origin) = banner(line) {
            self.next();
            self.current.banner = Some(origin);
        } else if comment.contains("AVG") {
            if !self.current.entries.is_empty() {
                self.next();
            }
            self.current.labels = comment.to_owned();
        } else if let Some((name, value)) = comment.split_once(" : ") {
            let (name, value) = (name.trim(), value.trim());
            if name == "Date" && !self.current.entries.is_empty() {
                self.next();
            }
            self.current.facts.push((name.to_owned(), value.to_owned()));
        } else if let Some(latency) = latency(comment) {
            self.entry(number, latency);
        }
    }

    fn row(&mut self, number: usize, line: &str) {
        let content = self.name.as_ref().map(|n| n.test.as_str());
        if let Some(entry) = latency(line).or_else(|| self.remarks.entry(number, line, content)) {
            // Sizes only grow within a run of PAW's; paw writes them in the order they finish.
            let ours = self.current.banner == Some(BlockOrigin::Ours);
            if !ours && self.current.entries.last().is_some_and(|last| entry.size <= last.size) {
                self.next();
            }
            self.entry(number, entry);
        }
    }

    fn entry(&mut self, number: usize, entry: ImportedRow) {
        if self.current.entries.is_empty() {
            self.current.line = number;
        }
        self.current.entries.push(entry);
    }

    fn next(&mut self) {
        let draft = std::mem::take(&mut self.current);
        if !draft.entries.is_empty() {
            self.done.push(draft);
        }
    }

    fn finish(mut self, notes: &mut Vec<Note>) -> Vec<Block> {
        self.next();
        self.remarks.report(&self.path, notes);
        let (path, name) = (self.path, self.name);
        let blocks = self.done.into_iter().filter_map(|draft| {
            let name = name.clone().or_else(|| from_comments(&draft))?;
            Some(Block {
                path: path.clone(),
                ordinal: 0,
                line: draft.line,
                name,
                origin: draft.banner.unwrap_or(BlockOrigin::Unknown),
                facts: draft.facts,
                labels: draft.labels,
                entries: draft.entries,
            })
        });
        blocks.collect()
    }
}

/// Test and content of a file by its title and columns, where its name does not say.
fn from_comments(draft: &Draft) -> Option<FileName> {
    let title = draft.facts.iter().find(|(name, _)| name == "Test")?.1.to_lowercase();
    catalogue::find(&title)?;
    let content = match &draft.labels {
        l if l.contains("MIO/s") => Content::Rate,
        l if l.contains("MB/s") => Content::Bandwidth,
        l if l.contains("GFP/s") => Content::Flops,
        _ => Content::Time,
    };
    Some(FileName { test: title, content, np: None, axes: Vec::new() })
}

/// Who wrote a file, where the line is a banner.
fn banner(line: &str) -> Option<BlockOrigin> {
    if line.starts_with(BANNER) {
        return Some(BlockOrigin::Ours);
    }
    let words = line.split_whitespace();
    if !words.clone().any(|word| word == "PAW") {
        return None;
    }
    words.filter_map(version).next().map(|(major, minor, patch)| BlockOrigin::Paw(major, minor, patch))
}

/// `v1.6`, `1.5.1`.
fn version(word: &str) -> Option<(u32, u32, u32)> {
    let mut numbers = word.strip_prefix('v').unwrap_or(word).split('.').map(|n| n.parse().ok());
    let (major, minor) = (numbers.next()??, numbers.next()??);
    Some((major, minor, numbers.next().flatten().unwrap_or(0)))
}

/// The latency test also prints its result in words: `latency is 0.7 usec`, the smallest time.
fn latency(text: &str) -> Option<ImportedRow> {
    let (_, rest) = text.split_once("latency is")?;
    let mut words = rest.split_whitespace();
    let min: f64 = words.next()?.parse().ok()?;
    words.next().filter(|unit| unit.starts_with("usec"))?;
    Some(ImportedRow { size: 1.0, min, ..ImportedRow::UNKNOWN })
}
