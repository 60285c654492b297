//! Runs read back from disk.

use std::path::{Path, PathBuf};

use paw_data::run::Run;
use paw_data::store::{self, Extent, FILE};

use crate::acceptance::ledger;
use crate::confidential;
use crate::failure::Failure;
use crate::outdir::RESULTS;
use crate::print;

/// Reads the run of a path, or of a name in the directory of results.
pub fn open_named(path: &Path, extent: Extent) -> Result<Run, Failure> {
    let named = Path::new(RESULTS).join(path);
    open(if path.exists() || !named.exists() { path } else { &named }, extent)
}

/// Reads as much as `extent` says of the run at `path`, a directory or a `run.jsonl`; prints what is missing in a damaged one to standard
/// error.
pub fn open(path: &Path, extent: Extent) -> Result<Run, Failure> {
    let run = store::read_extent(path, extent).map_err(|error| Failure::io(error.to_string()))?;
    if let Some(damage) = &run.damage {
        print::warn(&format!("{}: {damage}", path.display()));
    }
    Ok(confidential::cleaned_run(run))
}

/// The runs in a directory that is no run itself, by name; else the path. Of a campaign those of its steps, without what interrupted ones
/// have left: a run that went on holds that already.
pub fn runs_in(path: &Path) -> Vec<PathBuf> {
    let is_run = |path: &PathBuf| path.join(FILE).is_file();
    let own = path.to_owned();
    if let Some(runs) = ledger::runs(path).ok().flatten().filter(|runs| !runs.is_empty()) {
        return runs;
    }
    let Some(entries) = std::fs::read_dir(path).ok().filter(|_| !is_run(&own)) else { return vec![own] };
    let mut runs: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_run).collect();
    runs.sort();
    if runs.is_empty() { vec![own] } else { runs }
}
