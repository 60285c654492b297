//! The ledger of a campaign: what was begun and how it ended, a line each, only ever appended to.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use paw_data::bounded;
use paw_data::store;
use serde::{Deserialize, Serialize};

use crate::confidential;
use crate::exit::Code;
use crate::failure::Failure;

/// The ledger's file within the directory of a campaign.
pub const FILE: &str = "campaign.jsonl";
/// Version of its format.
pub const SCHEMA: &str = "paw.campaign/1";

/// A line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum LedgerLine {
    /// A paw began to measure steps, the first time or again.
    Session {
        schema: String,
        tool: String,
        utc: String,
        /// Where steps are started.
        directory: String,
        /// The machine's, as in its runs.
        fingerprint: String,
    },
    /// A step was started.
    Begun {
        step: String,
        /// Its directory within the campaign's.
        directory: String,
        argv: Vec<String>,
        utc: String,
    },
    /// A step ended.
    Ended {
        step: String,
        exit: i32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        elapsed_s: Option<f64>,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        why: String,
    },
}

/// How far a step has come, by the ledger.
#[derive(Debug, Clone, PartialEq)]
pub enum StepState {
    /// Never begun.
    New,
    /// Begun, and not ended: paw was killed, or still measures.
    Cut,
    /// Ended with an exit code, after some time, where that is known.
    Ended { exit: Code, elapsed_s: Option<f64>, why: String },
}

/// The lines of a ledger, oldest first; none where there is no ledger. A line that was cut off is left out.
///
/// # Errors
/// The file cannot be read.
pub fn read(home: &Path) -> Result<Vec<LedgerLine>, Failure> {
    let path = home.join(FILE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = bounded::text(&path).map_err(|error| unreadable(&path, &error))?;
    Ok(text.lines().filter_map(|line| serde_json::from_slice(line.as_bytes()).ok()).collect())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::io(format!("{} cannot be read: {error}", path.display()))
}

/// How far the step `name` has come.
pub fn state(lines: &[LedgerLine], name: &str) -> StepState {
    let last = lines.iter().rev().find(|line| match line {
        LedgerLine::Begun { step, .. } | LedgerLine::Ended { step, .. } => step == name,
        LedgerLine::Session { .. } => false,
    });
    match last {
        Some(LedgerLine::Ended { exit, elapsed_s, why, .. }) => {
            StepState::Ended { exit: Code::from_number(*exit), elapsed_s: *elapsed_s, why: why.clone() }
        }
        Some(_) => StepState::Cut,
        None => StepState::New,
    }
}

/// The runs of the campaign in `home`, in the order of its steps; `None` where there is no campaign.
///
/// # Errors
/// The ledger cannot be read.
pub fn runs(home: &Path) -> Result<Option<Vec<PathBuf>>, Failure> {
    if !home.join(FILE).is_file() {
        return Ok(None);
    }
    let begun = read(home)?.into_iter().filter_map(|line| match line {
        LedgerLine::Begun { directory, .. } => Some(home.join(directory)),
        _ => None,
    });
    let mut runs: Vec<PathBuf> = begun.filter(|directory| directory.join(store::FILE).is_file()).collect();
    runs.sort();
    runs.dedup();
    Ok(Some(runs))
}

/// A ledger that this process appends to; no other process does meanwhile.
#[derive(Debug)]
pub struct Ledger {
    file: File,
    path: PathBuf,
    pub lines: Vec<LedgerLine>,
}

impl Ledger {
    /// Opens the ledger in `home`, or makes it.
    ///
    /// # Errors
    /// Another paw measures this campaign, or the file cannot be read or written.
    pub fn open(home: &Path) -> Result<Self, Failure> {
        let path = home.join(FILE);
        let failed = |error: &std::io::Error| Failure::io(format!("{} cannot be written: {error}", path.display()));
        let opened = OpenOptions::new().read(true).append(true).create(true).open(&path);
        let mut file = opened.map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let why = format!("another paw measures the campaign in {}", home.display());
                return Err(Failure::io(why).hint("wait for its end, or interrupt it"));
            }
            // Some file systems have no locks.
            Err(TryLockError::Error(_)) => {}
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| unreadable(&path, &error))?;
        if text.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n").map_err(|error| failed(&error))?;
        }
        let lines = read(home)?;
        Ok(Self { file, path, lines })
    }

    /// Appends a line, in one write.
    ///
    /// # Errors
    /// The line cannot be written.
    pub fn append(&mut self, line: LedgerLine) -> Result<(), Failure> {
        let line = confidential::cleaned(&line);
        let text = serde_json::to_string(&line).unwrap_or_default() + "\n";
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|error| Failure::io(format!("{} cannot be written: {error}", self.path.display())))?;
        self.lines.push(line);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(step: &str) -> LedgerLine {
        let (directory, utc) = (format!("01-{step}"), String::new());
        LedgerLine::Begun { step: step.to_owned(), directory, argv: Vec::new(), utc }
    }

    fn ended(step: &str, exit: i32) -> LedgerLine {
        LedgerLine::Ended { step: step.to_owned(), exit, elapsed_s: None, why: String::new() }
    }

    #[test]
    fn the_last_line_of_a_step_counts() {
        let lines = [begun("a"), ended("a", 130), begun("b"), begun("a"), ended("a", 3)];
        let done = StepState::Ended { exit: Code::Failed, elapsed_s: None, why: String::new() };
        assert_eq!(state(&lines, "a"), done);
        assert_eq!(state(&lines, "b"), StepState::Cut);
        assert_eq!(state(&lines, "c"), StepState::New);
    }

    #[test]
    fn a_line_that_was_cut_off_costs_itself_alone() {
        let home = tempfile::tempdir().unwrap();
        Ledger::open(home.path()).unwrap().append(begun("a")).unwrap();
        let path = home.path().join(FILE);
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{whole}{{\"line\":\"ended\",\"st")).unwrap();
        let mut ledger = Ledger::open(home.path()).unwrap();
        assert_eq!(ledger.lines, [begun("a")]);
        ledger.append(ended("a", 0)).unwrap();
        assert_eq!(read(home.path()).unwrap(), [begun("a"), ended("a", 0)]);
    }

    #[test]
    fn two_paws_do_not_measure_one_campaign() {
        let home = tempfile::tempdir().unwrap();
        let first = Ledger::open(home.path()).unwrap();
        let refused = Ledger::open(home.path()).unwrap_err();
        assert!(refused.sentence.contains("another paw"), "{refused}");
        drop(first);
        Ledger::open(home.path()).unwrap();
    }
}
