//! The text of the source lines that loops come from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use paw_data::code::{Code, LoopCode, SourceLine, SourceText};
use paw_data::visible::visible;

/// Lines that are kept of one build.
const LINES_MAX: usize = 200;
/// Lines of one loop: a longer one has only those that instructions come from.
const LOOP_MAX: u32 = 40;
/// Characters that are kept of a line.
const LETTERS_MAX: usize = 160;
/// Largest source that is read.
const BYTES_MAX: u64 = 16 << 20;
/// Blanks between the stops of tabs.
const TAB: usize = 4;

/// The lines of the innermost loops of `code`; relative paths begin at `home`. What cannot be read is left out.
pub(super) fn sources(code: &Code, home: &Path) -> Vec<SourceText> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut room = LINES_MAX;
    let loops = code.functions.iter().flat_map(|function| &function.loops).filter(|found| found.body.is_some());
    for (file, line) in loops.flat_map(lines) {
        if room > 0 && wanted.entry(file).or_default().insert(line) {
            room -= 1;
        }
    }
    let read = |(file, lines): (&str, BTreeSet<u32>)| {
        let kept = kept(&text(&home.join(file))?, &lines);
        (!kept.is_empty()).then(|| SourceText { file: file.to_owned(), lines: kept })
    };
    wanted.into_iter().filter_map(read).collect()
}

/// The lines of a loop, each with its file: from its first to its last, and those that its instructions come from.
fn lines(found: &LoopCode) -> Vec<(&str, u32)> {
    let Some((source, body)) = found.source.as_ref().zip(found.body.as_ref()) else { return Vec::new() };
    let file = source.file.as_str();
    let short = source.last.saturating_sub(source.first) < LOOP_MAX;
    let range = (source.first..=source.last).filter(|_| short).map(|line| (file, line));
    let own = body.assembly.iter().filter_map(|one| Some((one.file.as_deref().unwrap_or(file), one.line?)));
    range.chain(own).collect()
}

fn text(path: &Path) -> Option<String> {
    // The name comes from debug information: it may be that of a pipe, which would never end.
    let is_file = std::fs::metadata(path).ok()?.is_file();
    let mut bytes = Vec::new();
    File::open(path).ok().filter(|_| is_file)?.take(BYTES_MAX).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn kept(text: &str, wanted: &BTreeSet<u32>) -> Vec<SourceLine> {
    let numbered = (1_u32..).zip(text.lines()).filter(|(line, _)| wanted.contains(line));
    numbered.map(|(line, text)| SourceLine { line, text: plain(text) }).collect()
}

/// A line without tabs, control characters and what is too long.
fn plain(line: &str) -> String {
    let mut out = String::new();
    for (at, part) in line.trim_end().split('\t').enumerate() {
        if at > 0 {
            let column = out.chars().count();
            out.push_str(&" ".repeat(TAB - column % TAB));
        }
        out.push_str(part);
    }
    let out = visible(&out);
    if out.chars().count() <= LETTERS_MAX {
        return out.into_owned();
    }
    out.chars().take(LETTERS_MAX).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use paw_data::code::{AssemblyLine, FunctionCode, LoopBody, SourceLines};

    use super::*;

    fn of_loop(file: &Path, first: u32, last: u32) -> Code {
        let source = SourceLines { file: file.display().to_string(), first, last };
        let assembly = vec![AssemblyLine { line: Some(1), ..AssemblyLine::default() }];
        let body = LoopBody { assembly, ..LoopBody::default() };
        let found = LoopCode { source: Some(source), body: Some(body), ..LoopCode::default() };
        Code { functions: vec![FunctionCode { loops: vec![found], ..FunctionCode::default() }], ..Code::default() }
    }

    #[test]
    fn the_lines_of_loops_are_kept_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.c");
        let long = "x".repeat(500);
        std::fs::write(&path, format!("head\nnot this\n\tfor\u{1b}[31m (;;)\n  \tbody\n{long}\nnor this\n")).unwrap();
        let kept = sources(&of_loop(&path, 3, 5), folder.path());
        let lines: Vec<(u32, &str)> = kept[0].lines.iter().map(|kept| (kept.line, kept.text.as_str())).collect();
        let cut = format!("{}…", "x".repeat(LETTERS_MAX));
        assert_eq!(lines, [(1, "head"), (3, "    for␛[31m (;;)"), (4, "    body"), (5, cut.as_str())]);
        let many = sources(&of_loop(&path, 1, 5000), folder.path());
        assert_eq!(many[0].lines.len(), 1, "a long loop has the lines of its instructions");
        assert!(sources(&of_loop(Path::new("/dev/zero"), 1, 3), folder.path()).is_empty());
        assert!(sources(&of_loop(Path::new("absent.c"), 1, 3), folder.path()).is_empty());
    }
}
