//! What a killed campaign has left of a step.

use std::fs;
use std::path::{Path, PathBuf};

use paw_data::outcome::{Ending, Status};
use paw_data::run::End;
use paw_data::store;

use crate::failure::Failure;

/// The last record of the run in `directory`, if it is whole.
pub fn whole_run(directory: &Path) -> Option<End> {
    store::read(directory).ok()?.end.filter(|end| end.state == "done")
}

/// Whether the run in `directory` has a cell that was measured to its end, and is of a program: `paw app --resume` goes on with it.
pub fn goes_on(directory: &Path) -> bool {
    let Ok(run) = store::read(directory) else { return false };
    let mut outcomes = run.records.iter().filter_map(|record| record.outcome.as_ref());
    let is_done =
        outcomes.any(|outcome| outcome.status != Status::Skipped && outcome.ending != Some(Ending::Interrupted));
    run.header.app.is_some() && is_done
}

/// Moves what `directory` holds beside it, to the first free `….part-1`, `….part-2` …; `None` where there is nothing.
pub fn kept_beside(directory: &Path) -> Result<Option<PathBuf>, Failure> {
    if !directory.exists() {
        return Ok(None);
    }
    let part = (1..).map(|number| directory.with_added_extension(format!("part-{number}"))).find(|part| !part.exists());
    let part = part.unwrap_or_else(|| directory.with_added_extension("part"));
    fs::rename(directory, &part).map_err(|error| {
        Failure::io(format!("{} cannot be moved to {}: {error}", directory.display(), part.display()))
    })?;
    Ok(Some(part))
}

/// Refuses to go on while a process of a killed campaign still measures into `home`.
pub fn nobody_measures(home: &Path) -> Result<(), Failure> {
    let own = std::process::id().to_string();
    let home_words = home.to_string_lossy().into_owned() + "/";
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = processes.filter_map(|entry| entry.file_name().into_string().ok());
    for pid in names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()) && *name != own) {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        let mut words = line.split('\0');
        let is_out = words
            .clone()
            .zip(words.by_ref().skip(1))
            .any(|(flag, value)| flag == "--out" && value.starts_with(&home_words));
        if is_out {
            let why = format!("process {pid} of the campaign in {} still measures", home.display());
            return Err(Failure::io(why).hint(format!("wait for its end, or end it: `kill {pid}`")));
        }
    }
    Ok(())
}
