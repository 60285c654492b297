//! Where a history comes from: the store, or plain runs.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use paw_data::history::RunDigest;
use paw_data::store::Extent;
use paw_data::store::history::read;

use crate::cli::{HistoryArgs, StoreArgs};
use crate::failure::Failure;
use crate::open::{open, runs_in};
use crate::utc;
use crate::{confidential, config, print};

/// The variable that names the directory of the history.
const STORE: &str = "PAW_HISTORY";

/// How a history gets its first run.
const FIRST: &str =
    "`paw history add RUN` adds a run, and `paw history --from paw-results` reads a directory of runs as it is";

/// The entries that the flags name, at least one.
pub fn entries(args: &HistoryArgs) -> Result<Vec<RunDigest>, Failure> {
    let mut entries = if args.from.is_empty() { stored(&store(&args.store)?)? } else { of_runs(&args.from) };
    if entries.is_empty() {
        let place = if args.from.is_empty() { "the history holds no run" } else { "no run could be read" };
        return Err(Failure::nothing(place).hint(FIRST));
    }
    count_once(&mut entries);
    ahead(&entries);
    for entry in &mut entries {
        entry.identity = confidential::cleaned(&entry.identity);
        entry.source = confidential::hidden(&entry.source);
    }
    Ok(entries)
}

/// Leaves each measurement in once: a copy of a run, or an interrupted run whose cells another took over, is no second one.
fn count_once(entries: &mut Vec<RunDigest>) {
    let resumed: BTreeSet<String> = entries.iter().filter_map(|entry| entry.resumed.clone()).collect();
    let mut known = BTreeSet::new();
    entries.retain(|entry| !resumed.contains(&entry.run) && known.insert(entry.run.clone()));
}

/// Says which runs are of a time that has not come: they count as the latest.
fn ahead(entries: &[RunDigest]) {
    let now = SystemTime::now();
    for entry in entries.iter().filter(|entry| utc::parsed(&entry.utc).is_some_and(|utc| utc > now)) {
        let RunDigest { run, utc, .. } = entry;
        print::warn(&format!("{run} says that it began at {utc}, which is yet to come: it counts as the latest run"));
    }
}

/// The directory of the history: as typed, from the environment, `paw.toml`, or the user's own (XDG Base Directory Specification, 0.8).
pub fn store(args: &StoreArgs) -> Result<PathBuf, Failure> {
    let named = || env::var_os(STORE).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(directory) = args.store.clone().or_else(named) {
        return Ok(directory);
    }
    let here = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    if let Some(directory) = config::read(&here)?.history {
        return Ok(directory);
    }
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")));
    let data = data.ok_or_else(|| {
        Failure::io("no place for the history is known: neither XDG_DATA_HOME nor HOME is set")
            .hint("name one with --store DIR")
    })?;
    Ok(data.join("paw/history"))
}

fn stored(directory: &Path) -> Result<Vec<RunDigest>, Failure> {
    if !directory.exists() {
        return Err(Failure::nothing(format!("there is no history in {}", directory.display())).hint(FIRST));
    }
    let stored = read(directory).map_err(|error| Failure::io(error.to_string()))?;
    stored.unreadable.iter().for_each(|sentence| print::warn(sentence));
    Ok(stored.entries)
}

/// Plain runs as entries; one that cannot be read costs a warning.
fn of_runs(paths: &[PathBuf]) -> Vec<RunDigest> {
    let paths = paths.iter().flat_map(|path| runs_in(path));
    let entries = paths.filter_map(|path| match open(&path, Extent::Figures) {
        Ok(run) => Some(RunDigest::of(&run, path.display().to_string())),
        Err(failure) => {
            print::warn(&format!("{failure}; it is left out"));
            None
        }
    });
    entries.filter(|entry| !entry.figures.is_empty()).collect()
}
