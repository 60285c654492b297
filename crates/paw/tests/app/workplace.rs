//! A directory of its own for one test, `paw app` started in it as from a shell, and the run that it left behind.

use std::ops::Deref;
use std::path::PathBuf;
use std::process::Command as Process;

use paw_data::outcome::Status;
use paw_data::run::{Record, Run};
pub use workplace::{Ran, is_alive};

use crate::programs;

/// The program under test.
pub const PAW: &str = env!("CARGO_BIN_EXE_paw");

/// A directory of its own.
pub struct Workplace(workplace::Workplace);

impl Deref for Workplace {
    type Target = workplace::Workplace;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Workplace {
    /// An empty directory.
    pub fn new() -> Self {
        Self(workplace::Workplace::new(PAW))
    }

    /// Runs `paw app` into the directory `r`, with the rest of a line as it is typed into a shell.
    pub fn app(&self, line: &str) -> Ran {
        self.shell(&format!("exec $PAW app --out r --quiet {line}"))
    }

    /// Runs a shell script, in which `$PAW`, `$SPIN` and `$TTBAR` are programs.
    pub fn shell(&self, script: &str) -> Ran {
        Ran::of(&mut self.process(script))
    }

    /// A shell script as a process that the test watches.
    pub fn process(&self, script: &str) -> Process {
        let mut process = self.0.process(script);
        // A script that needs none of them shall not wait for them to be built.
        for (name, program) in [("SPIN", programs::spin as fn() -> PathBuf), ("TTBAR", programs::ttbar)] {
            if script.contains(&format!("${name}")) {
                process.env(name, program());
            }
        }
        process
    }

    /// The run in the directory `r`.
    pub fn run(&self) -> Run {
        paw_data::store::read(&self.path("r")).unwrap()
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
