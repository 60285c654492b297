//! A place for runs: a launcher, and a directory of their files.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use paw_apps::launch::{Launch, LaunchError, RunResult, Sink};
use paw_apps::launcher::Launcher;
use tempfile::TempDir;

pub struct Place {
    pub launcher: Launcher,
    pub folder: TempDir,
}

/// The example program, which lies beside the directory of the tests.
pub fn program() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let program = test.ancestors().nth(2).expect("target directory").join("examples/spawn");
    assert!(program.exists(), "{}: build it with `cargo build --example spawn`", program.display());
    program
}

impl Place {
    pub fn new() -> Self {
        let launcher = Launcher::start(&program(), &["__launcher"]).expect("the launcher starts");
        Self { launcher, folder: tempfile::tempdir().expect("a temporary directory") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn launch(&self, words: &[&str]) -> Launch {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Launch::new(words, Sink::File(self.path("stdout")), Sink::File(self.path("stderr")))
    }

    pub fn shell(&self, script: &str) -> Launch {
        self.launch(&["sh", "-c", script])
    }

    pub fn run(&mut self, launch: &Launch) -> RunResult {
        self.launcher.run(launch).expect("it runs")
    }

    pub fn refused(&mut self, launch: &Launch) -> String {
        match self.launcher.run(launch) {
            Err(LaunchError::Refused(why)) => why,
            other => panic!("{:?} is not refused: {other:?}", launch.words),
        }
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file of the run")
    }

    /// A pipe with a name: whoever reads it to its end has seen all its writers die.
    pub fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo is a program").success());
        path
    }
}

/// Whether the process whose number `text` is lives, or is a zombie.
pub fn exists(text: &str) -> bool {
    let pid: u32 = text.trim().parse().expect("the number of a process");
    PathBuf::from(format!("/proc/{pid}")).exists()
}

/// The processors that this process may run on.
pub fn cpus() -> Vec<u32> {
    let cpus = fs::read_to_string("/proc/self/status").expect("Linux");
    let list = cpus.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("a list of processors");
    let range = |text: &str| {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        from.parse().expect("a number")..=to.parse().expect("a number")
    };
    list.trim().split(',').flat_map(range).collect()
}
