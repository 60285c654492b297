//! A directory of its own for one test, and paw started in it with nothing of the user's environment.

use std::ops::Deref;
use std::process::Command as Process;

pub use workplace::Ran;

/// The program under test.
pub const PAW: &str = env!("CARGO_BIN_EXE_paw");

/// One small cell that any machine can measure, at a size and a number of samples that take no time.
pub const TINY: &str = "run dgemm --set n=8 --provider embedded --threads 1 --reps 6 --loops 10 --quiet";

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

    /// Runs paw with arguments that hold no blank.
    pub fn paw(&self, args: &str) -> Ran {
        Ran::of(&mut self.process(args))
    }

    /// Runs paw with arguments that hold no blank and these environment variables.
    pub fn paw_with(&self, variables: &[(&str, &str)], args: &str) -> Ran {
        Ran::of(self.process(args).envs(variables.iter().copied()))
    }

    /// Runs a shell script, in which `$PAW` is paw.
    pub fn shell(&self, script: &str) -> Ran {
        self.run(script)
    }

    /// Paw as a process that the test watches.
    pub fn process(&self, args: &str) -> Process {
        let mut process = Process::new(PAW);
        process.current_dir(self.path("")).env_clear().args(args.split_whitespace());
        process
    }

    /// Names of the files and folders in a directory, sorted.
    pub fn names(&self, directory: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(directory)).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}
