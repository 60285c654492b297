//! Settings of the kernel written, read back, and taken back.

use std::fs::OpenOptions;
use std::io::{self, Write};

use paw_machine::doctor::{Examined, Setting, Step};
use paw_machine::root::{Root, chosen};

use super::journal::{Change, is_setting};

/// How taking back a change ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenBack {
    /// The value of before is there again.
    Restored,
    /// It was there already.
    Unchanged,
    /// Somebody else has set another value meanwhile, which stays.
    ChangedByOthers {
        /// The value that stays.
        now: String,
    },
    /// It could not be restored.
    Failed {
        /// Why.
        why: String,
    },
}

/// The changes that the remedies in `findings` make, each file once; remedies that are in force already are left out.
pub fn changes(root: &Root, findings: &[Examined]) -> Vec<Change> {
    let steps = findings.iter().flat_map(|examined| &examined.finding.steps);
    let settings = steps.filter_map(|step| match step {
        Step::Write(setting) if is_setting(&setting.path) => Some(setting),
        _ => None,
    });
    let mut changes: Vec<Change> = Vec::new();
    for Setting { path, value } in settings {
        let Ok(before) = read(root, path) else { continue };
        if before != *value && changes.iter().all(|change| change.path != *path) {
            changes.push(Change { path: path.clone(), before, after: value.clone() });
        }
    }
    changes
}

/// Parts the changes that this user may make from those that he may not, each with the reason.
pub fn permitted(root: &Root, changes: Vec<Change>) -> (Vec<Change>, Vec<(Change, String)>) {
    let mut permitted = Vec::new();
    let mut refused = Vec::new();
    for change in changes {
        match OpenOptions::new().write(true).open(root.path(&change.path)) {
            Ok(_) => permitted.push(change),
            Err(error) => refused.push((change, error.to_string())),
        }
    }
    (permitted, refused)
}

/// Makes a change and reads it back; where the kernel took another value, the one of before is written again.
pub fn apply(root: &Root, change: &Change) -> Result<(), String> {
    write(root, &change.path, &change.after).map_err(|error| error.to_string())?;
    match read(root, &change.path) {
        Ok(now) if now == change.after => Ok(()),
        now => {
            // The first failure is the one to report.
            let _ = write(root, &change.path, &change.before);
            let now = now.unwrap_or_else(|error| error.to_string());
            Err(format!("the kernel made it {now}"))
        }
    }
}

/// Takes back a change, unless somebody else has changed the setting since.
pub fn take_back(root: &Root, change: &Change) -> TakenBack {
    let failed = |error: io::Error| TakenBack::Failed { why: error.to_string() };
    match read(root, &change.path) {
        Err(error) => failed(error),
        Ok(now) if now == change.before => TakenBack::Unchanged,
        Ok(now) if now != change.after => TakenBack::ChangedByOthers { now },
        Ok(_) => match write(root, &change.path, &change.before).and_then(|()| read(root, &change.path)) {
            Ok(now) if now == change.before => TakenBack::Restored,
            Ok(now) => TakenBack::Failed { why: format!("the kernel made it {now}") },
            Err(error) => failed(error),
        },
    }
}

/// The value in force.
fn read(root: &Root, path: &str) -> io::Result<String> {
    root.read(path).map(|text| chosen(&text).to_owned())
}

/// Writes an existing file in one call, as the kernel's settings want it.
fn write(root: &Root, path: &str, value: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).truncate(true).open(root.path(path))?;
    file.write_all(format!("{value}\n").as_bytes())
}
