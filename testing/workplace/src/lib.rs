//! A directory of its own for a test, and a program started in it as from a shell.

#![forbid(unsafe_code)]

pub mod programs;
pub mod requirement;
pub mod schema;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::thread;

use tempfile::TempDir;

/// A directory of its own, and the program under test.
#[derive(Debug)]
pub struct Workplace {
    home: TempDir,
    program: PathBuf,
    search: String,
}

/// What came of a command.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code; -1 where a signal ended it.
    pub code: i32,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

/// A command on its way.
#[derive(Debug)]
pub struct Running {
    child: Child,
    talk: BufReader<ChildStderr>,
}

impl Workplace {
    /// An empty directory, in which scripts call `program` by the name `$PAW`.
    ///
    /// # Panics
    /// Where no directory can be made; so does everything here where a test cannot go on.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { home: tempfile::tempdir().unwrap(), program: program.into(), search: "/usr/bin:/bin".to_owned() }
    }

    /// The same, where scripts find the programs of one more directory.
    pub fn finding(mut self, directory: &Path) -> Self {
        self.search += &format!(":{}", directory.display());
        self
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes a file in it.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// The text of a file in it.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Copies the files of a directory into it.
    pub fn copy(&self, directory: &Path) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), self.home.path().join(entry.file_name())).unwrap();
        }
    }

    /// A shell script as a process, with nothing of the user's environment.
    pub fn process(&self, script: &str) -> Command {
        let mut process = Command::new("/bin/sh");
        process.current_dir(self.home.path()).env_clear();
        process.env("PATH", &self.search).env("PAW", &self.program).args(["-c", script]);
        process
    }

    /// Runs a shell script to its end.
    pub fn run(&self, script: &str) -> Ran {
        Ran::of(&mut self.process(script))
    }

    /// Starts a shell script; one that begins with `exec` is the program itself.
    pub fn start(&self, script: &str) -> Running {
        let mut process = self.process(script);
        let mut child = process.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let talk = BufReader::new(child.stderr.take().unwrap());
        Running { child, talk }
    }
}

/// Every run that it holds must obey the schema.
impl Drop for Workplace {
    fn drop(&mut self) {
        if !thread::panicking() {
            schema::judge_runs(self.home.path());
        }
    }
}

impl Ran {
    /// Runs a command to its end.
    pub fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The first line of the talk that reports more than the reading of the machine, without `paw: `.
    pub fn sentence(&self) -> &str {
        let mut lines = self.err.lines().skip_while(|line| *line == "reading this machine");
        lines.next().unwrap_or_default().trim_start_matches("paw: ")
    }

    /// The only line of the talk that holds `part`.
    pub fn line(&self, part: &str) -> &str {
        let lines: Vec<&str> = self.err.lines().filter(|line| line.contains(part)).collect();
        let [line] = lines[..] else { panic!("{} lines with `{part}` in {}", lines.len(), self.err) };
        line
    }
}

impl Running {
    /// Reads the talk up to a line that holds `part`, which it gives back.
    pub fn wait_for(&mut self, part: &str) -> String {
        let mut line = String::new();
        let mut said = String::new();
        while !line.contains(part) {
            line.clear();
            assert_ne!(self.talk.read_line(&mut line).unwrap(), 0, "it ended before it said `{part}`: {said}");
            said += &line;
        }
        line
    }

    /// Sends a signal: `INT`, `KILL`.
    pub fn send(&self, signal: &str) {
        let line = format!("kill -{signal} {}", self.child.id());
        assert!(Command::new("/bin/sh").args(["-c", &line]).status().unwrap().success());
    }

    /// Numbers of its child processes.
    pub fn children(&self) -> Vec<String> {
        let id = self.child.id();
        let threads = std::fs::read_dir(format!("/proc/{id}/task")).unwrap();
        let files = threads.map(|thread| thread.unwrap().path().join("children"));
        // A thread may end between the two looks.
        let children: String = files.map(|file| std::fs::read_to_string(file).unwrap_or_default()).collect();
        children.split_whitespace().map(str::to_owned).collect()
    }

    /// Reads what it prints to its end, and how it ended.
    pub fn end(mut self) -> (ExitStatus, String) {
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        (self.child.wait().unwrap(), out)
    }
}

/// Reads a file again and again until `holds` is true of its text.
pub fn wait_until(path: &Path, holds: impl Fn(&str) -> bool) -> String {
    loop {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if holds(&text) {
            return text;
        }
        thread::yield_now();
    }
}

/// Whether there is such a process, dead ones that nobody has taken note of aside.
pub fn is_alive(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, fields)| !fields.trim_start().starts_with(['Z', 'X']))
}

/// Waits until there is no such process.
pub fn wait_for_death(pid: &str) {
    while is_alive(pid) {
        thread::yield_now();
    }
}
