//! Files that a run's command reads and that were written since: no hash of them is recorded.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use paw_apps::lookup;
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
    // Of a shell's line nobody knows what it starts.
    let programs = commands(&run.header).filter_map(|words| words.first()).filter(|word| !word.contains([' ', '{']));
    let places: Vec<(&String, Option<String>)> = programs.map(|word| (word, place(word, directory))).collect();
    let executed: BTreeSet<String> =
        libraries.filter(|path| path.contains('/')).chain(places.iter().filter_map(|(_, path)| path.clone())).collect();
    let others = named(&run.header).into_iter().filter(|word| directory.join(word).is_file());
    let others: BTreeSet<String> = others.filter(|word| !executed.contains(word)).collect();
    let executed = executed.into_iter().map(|path| (path, began));
    let lost = places.iter().filter(|(word, path)| path.is_none() && is_name(word));
    let lost: BTreeSet<String> = lost.map(|(word, _)| format!("{word} is not in PATH")).collect();
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

/// Whether a word has nothing that a shell would read.
fn is_name(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
}

/// Where a program lies: as typed, or where the search path has it.
fn place(program: &str, directory: &Path) -> Option<String> {
    if program.contains('/') {
        return Some(program.to_owned());
    }
    let found = lookup::program(program, std::env::var_os("PATH").as_deref(), directory).ok()?;
    Some(found.to_string_lossy().into_owned())
}
