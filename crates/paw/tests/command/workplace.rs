//! A directory of its own for one test, and paw started in it with nothing of the user's environment.

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use assert_cmd::Command;
use tempfile::TempDir;

/// The program under test.
pub const PAW: &str = env!("CARGO_BIN_EXE_paw");

/// One small cell that any machine can measure, at a size and a number of samples that take no time.
pub const TINY: &str = "run dgemm --set n=8 --provider embedded --threads 1 --reps 6 --loops 10 --quiet";

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

    /// Runs paw with arguments that hold no blank.
    pub fn paw(&self, args: &str) -> Ran {
        self.paw_with(&[], args)
    }

    /// Runs paw with arguments that hold no blank and these environment variables.
    pub fn paw_with(&self, variables: &[(&str, &str)], args: &str) -> Ran {
        let mut command = Command::new(PAW);
        command.current_dir(self.home.path()).env_clear().envs(variables.iter().copied());
        ran(command.args(args.split_whitespace()))
    }

    /// Runs a shell script, in which `$PAW` is paw.
    pub fn shell(&self, script: &str) -> Ran {
        let mut command = Command::new("/bin/sh");
        command.current_dir(self.home.path()).env_clear().env("PAW", PAW).env("PATH", "/usr/bin:/bin");
        ran(command.args(["-c", script]))
    }

    /// Paw as a process that the test watches.
    pub fn process(&self, args: &str) -> Process {
        let mut process = Process::new(PAW);
        process.current_dir(self.home.path()).env_clear().args(args.split_whitespace());
        process
    }

    /// Names of the files and folders in a directory, sorted.
    pub fn names(&self, directory: &str) -> Vec<String> {
        names(&self.path(directory))
    }
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
