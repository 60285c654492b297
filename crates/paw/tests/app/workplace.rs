//! A directory of its own for one test, paw started in it as from a shell, and the run that it left behind.

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use assert_cmd::Command;
use paw_data::outcome::Status;
use paw_data::run::{Record, Run};
use tempfile::TempDir;

use crate::programs;

/// The program under test.
pub const PAW: &str = env!("CARGO_BIN_EXE_paw");

/// A directory of its own.
pub struct Workplace {
    home: TempDir,
}

/// What came of a command.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl Workplace {
    /// An empty directory.
    pub fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// A file in it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// The text of a file in it.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs `paw app` into the directory `r`, with the rest of a line as it is typed into a shell.
    pub fn app(&self, line: &str) -> Ran {
        self.shell(&format!("exec $PAW app --out r --quiet {line}"))
    }

    /// Runs a shell script, in which `$PAW`, `$SPIN` and `$TTBAR` are programs.
    pub fn shell(&self, script: &str) -> Ran {
        let mut command = Command::from_std(self.process(script));
        let output = command.output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// A shell script as a process that the test watches.
    pub fn process(&self, script: &str) -> Process {
        let mut process = Process::new("/bin/sh");
        process.current_dir(self.home.path()).env_clear().env("PATH", "/usr/bin:/bin").env("PAW", PAW);
        // A script that needs none of them shall not wait for them to be built.
        for (name, program) in [("SPIN", programs::spin as fn() -> PathBuf), ("TTBAR", programs::ttbar)] {
            if script.contains(&format!("${name}")) {
                process.env(name, program());
            }
        }
        process.args(["-c", script]);
        process
    }

    /// The run in the directory `r`.
    pub fn run(&self) -> Run {
        paw_data::store::read(&self.path("r")).unwrap()
    }
}

impl Ran {
    /// The first line of the talk, without what every sentence begins with.
    pub fn sentence(&self) -> &str {
        self.err.lines().next().unwrap_or_default().trim_start_matches("paw: ")
    }
}

/// The only record of a run.
pub fn only(run: &Run) -> &Record {
    let [record] = run.records.as_slice() else { panic!("{} cells", run.records.len()) };
    record
}

/// How a record's cell ended, and why.
pub fn ended(record: &Record) -> (Status, &str) {
    let outcome = record.outcome.as_ref().expect("every cell has its end");
    (outcome.status, outcome.why.as_deref().unwrap_or_default())
}

/// The best time of a record, in seconds.
pub fn best_s(record: &Record) -> f64 {
    record.samples.elapsed_s.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Whether there is such a process, dead ones that nobody has taken note of aside.
pub fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, fields)| !fields.trim_start().starts_with(['Z', 'X']))
}
