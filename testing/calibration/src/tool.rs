//! The real `paw`, started as a user starts it, and the runs it leaves.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use paw_data::run::Run;
use paw_data::store;
use tempfile::TempDir;

/// The programs that the experiments start, and where they leave their files.
#[derive(Debug)]
pub struct Tool {
    /// Directory of the programs: `target/release`.
    pub programs: PathBuf,
    /// A directory for files of the experiments.
    pub home: TempDir,
    /// Set when the user wants to see what there is.
    pub stop: Arc<AtomicBool>,
    runs: Cell<u64>,
    /// Seed of everything that is shuffled.
    pub seed: u64,
}

/// What is put before `paw` to start it: a launcher with its flags, and variables.
#[derive(Debug, Clone, Default)]
pub struct Launcher {
    /// The launcher and its flags; empty for `paw` alone.
    pub words: Vec<String>,
    /// Variables set.
    pub variables: Vec<(String, String)>,
}

impl Tool {
    /// The programs in `programs`.
    ///
    /// # Errors
    /// One of them is not there, or no directory can be made.
    pub fn new(programs: PathBuf, stop: Arc<AtomicBool>, seed: u64) -> Result<Self, String> {
        for name in ["paw", "spin"] {
            if !programs.join(name).exists() {
                return Err(format!(
                    "{} is missing: cargo build --release -p paw -p spin",
                    programs.join(name).display()
                ));
            }
        }
        // Programs are started in a directory of the experiments.
        let programs = std::path::absolute(&programs).map_err(|error| error.to_string())?;
        let home = tempfile::tempdir().map_err(|error| format!("no directory for files: {error}"))?;
        Ok(Self { programs, home, stop, runs: Cell::new(0), seed })
    }

    /// A program beside `paw`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// A file or directory of the experiments.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Whether the user wants to see what there is.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The run that `paw` with these words leaves; `command` follows `--`.
    ///
    /// # Errors
    /// It left no run, or one without an end.
    pub fn run(&self, words: &[&str], command: &[&str]) -> Result<Run, String> {
        self.launched(&Launcher::default(), words, command)
    }

    /// As [`Tool::run`], under a launcher.
    ///
    /// # Errors
    /// As [`Tool::run`].
    pub fn launched(&self, launcher: &Launcher, words: &[&str], command: &[&str]) -> Result<Run, String> {
        let number = self.runs.replace(self.runs.get() + 1);
        let directory = self.path(&format!("run-{number}"));
        let seed = self.seed.wrapping_add(number).to_string();
        let paw = self.program("paw").display().to_string();
        let mut line: Vec<String> = launcher.words.clone();
        line.push(paw);
        line.extend(words.iter().map(ToString::to_string));
        line.extend([
            "--quiet".to_owned(),
            "--seed".to_owned(),
            seed,
            "--out".to_owned(),
            directory.display().to_string(),
        ]);
        if !command.is_empty() {
            line.push("--".to_owned());
            line.extend(command.iter().map(ToString::to_string));
        }
        let mut started = Command::new(&line[0]);
        started.args(&line[1..]).current_dir(self.home.path()).stdin(Stdio::null());
        started.envs(launcher.variables.iter().map(|(name, value)| (name, value)));
        let output = started.output().map_err(|error| format!("{} cannot be started: {error}", line[0]))?;
        let run = read(&directory);
        let _ = fs::remove_dir_all(&directory);
        if self.is_stopped() {
            return Err("stopped".to_owned());
        }
        run.map_err(|error| {
            let said = String::from_utf8_lossy(&output.stderr);
            let sentence = said.lines().find(|line| line.starts_with("paw: ")).or(said.lines().next()).unwrap_or("");
            format!("`{}`: {error}: {sentence}", line.join(" "))
        })
    }
}

/// A run with its end.
fn read(directory: &Path) -> Result<Run, String> {
    let run = store::read(&directory.join("run.jsonl")).map_err(|error| error.to_string())?;
    if run.end.is_some() { Ok(run) } else { Err("the run has no end".to_owned()) }
}
