//! Files that a run's command reads and that were written since: no hash of them is recorded.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use paw_data::run::{Header, Run};
use paw_data::store::FILE;

use crate::utc;

/// Flags, by how they begin, whose values name what the run itself writes.
const WRITTEN: &[&str] = &["--out", "--dat", "--export", "--save"];

/// Libraries and programs of `run` that are gone or were written since it began, and other files that its command line names and that were
/// written after `read`, a phrase each; paths are relative to `directory`. Of a word that names no file nobody can tell whether it ever did.
pub fn written_since(run: &Run, directory: &Path, read: Option<SystemTime>) -> Vec<String> {
    let began = utc::parsed(&run.header.utc);
    let libraries = run.records.iter().filter_map(|record| Some(record.cell.library.as_ref()?.path.clone()));
    let programs = commands(&run.header).filter_map(|words| place(words.first()?));
    let executed: BTreeSet<String> = libraries.filter(|path| path.contains('/')).chain(programs).collect();
    let others = named(&run.header).into_iter().filter(|word| directory.join(word).is_file());
    let others: BTreeSet<String> = others.filter(|word| !executed.contains(word)).collect();
    let executed = executed.into_iter().map(|path| (path, began));
    let lost: BTreeSet<String> = commands(&run.header).filter_map(|words| lost(words.first()?)).collect();
    let files = executed.chain(others.into_iter().map(|path| (path, read)));
    lost.into_iter().chain(files.filter_map(|(path, then)| said(directory, path, then))).collect()
}

/// By how much what a killed run's programs wrote may be younger than its file, which is saved once a second.
const SAVED_WITHIN: Duration = Duration::from_secs(2);

/// When the run at `path` ended, by its file: nothing that was written later is a result of its programs.
pub fn end(path: &Path) -> Option<SystemTime> {
    let file = if path.is_dir() { path.join(FILE) } else { path.to_owned() };
    modified(&file)?.checked_add(SAVED_WITHIN)
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|facts| facts.modified()).ok()
}

fn said(directory: &Path, path: String, then: Option<SystemTime>) -> Option<String> {
    let file = directory.join(&path);
    if !file.exists() {
        return Some(format!("{path} is gone"));
    }
    // Older runs say to the second when they began.
    let second = |time| utc::since_1970(time).as_secs();
    (second(modified(&file)?) > second(then?)).then(|| format!("{path} was written since"))
}

/// The commands of the run's programs, in words.
fn commands(header: &Header) -> impl Iterator<Item = &[String]> {
    header.app.iter().flat_map(|app| app.commands().map(|(_, words)| words))
}

/// The words that may name a file which is read: of the programs' commands and of paw's own command line, without what has a hash in the run.
fn named(header: &Header) -> Vec<String> {
    let inputs = header.app.iter().flat_map(|app| &app.inputs);
    let sources = header.kernel.iter().flat_map(|kernel| &kernel.sources);
    let hashed: Vec<&str> = inputs.chain(sources).map(|fact| fact.path.as_str()).collect();
    let mut words: Vec<&String> = commands(header).flatten().collect();
    let mut own = header.argv.iter().skip(1);
    let mut is_written = false;
    for word in own.by_ref().take_while(|word| *word != "--") {
        let names_written = WRITTEN.iter().any(|flag| word.starts_with(flag));
        let has_value = names_written && !word.contains('=');
        if !std::mem::replace(&mut is_written, has_value) && !names_written {
            words.push(word);
        }
    }
    words.extend(own);
    words.into_iter().flat_map(|word| parts(word)).filter(|part| !hashed.contains(&part.as_str())).collect()
}

/// A word, the words of it where it is a text, and what follows a name in each: `--input=in.txt`, `new=prog -x`.
fn parts(word: &str) -> Vec<String> {
    let mut parts = shlex::split(word).unwrap_or_default();
    parts.push(word.to_owned());
    let values: Vec<String> = parts.iter().filter_map(|part| Some(part.split_once('=')?.1.to_owned())).collect();
    parts.extend(values);
    parts.retain(|part| !part.is_empty());
    parts
}

/// That a program's name is not in the search path; `None` where it is, where no path is set (the system has one of its own), and of what need not
/// be there: paths, and a shell's lines.
fn lost(program: &str) -> Option<String> {
    std::env::var_os("PATH")?;
    let is_name = program.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c));
    (is_name && place(program).is_none()).then(|| format!("{program} is not in PATH"))
}

/// Where a program lies: as typed, or where the search path has it; `None` where that is not known, as of a shell's line.
fn place(program: &str) -> Option<String> {
    if program.contains([' ', '{']) {
        return None;
    }
    if program.contains('/') {
        return Some(program.to_owned());
    }
    let search = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&search).map(|directory| directory.join(program)).find(|path| path.is_file());
    found.map(|path| path.to_string_lossy().into_owned())
}
