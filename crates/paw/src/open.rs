//! Runs read back from disk.

use std::path::Path;

use paw_data::run::Run;
use paw_data::store;

use crate::confidential;
use crate::failure::Failure;
use crate::print;

/// Reads the run at `path`, a directory or a `run.jsonl`; prints what is missing in a damaged one to standard error.
pub fn open(path: &Path) -> Result<Run, Failure> {
    let run = store::read(path).map_err(|error| Failure::io(error.to_string()))?;
    if let Some(damage) = &run.damage {
        print::warn(&format!("{}: {damage}", path.display()));
    }
    Ok(confidential::cleaned_run(run))
}
