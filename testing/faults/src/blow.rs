//! One signal at one moment of one command.

use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use workplace::Workplace;

use crate::remains;
use crate::subject::{Subject, Target};

/// A command has ended this long after a signal, or hangs: deadlines of ranks are ten seconds.
const END_WITHIN: Duration = Duration::from_secs(60);
/// Between two looks at a process.
const LOOK: Duration = Duration::from_millis(2);

/// A signal, and when whom it reaches.
#[derive(Debug, Clone, Copy)]
pub struct Blow {
    /// The signal.
    pub signal: Signal,
    /// When, from the start of the command.
    pub after: Duration,
    /// Who is sent it.
    pub target: Target,
}

/// What is known once the command has ended.
#[derive(Debug)]
pub struct Struck {
    /// When the signal was sent; `None` if the command had ended before.
    pub at: Option<SystemTime>,
    /// The text of every run of the place right before the signal.
    pub before: Vec<String>,
    /// How the command ended; `None` if it had to be killed.
    pub status: Option<ExitStatus>,
    /// What it printed.
    pub out: String,
    /// Its environment has this variable, as has all that it starts.
    pub mark: String,
}

/// Starts the command of `subject` in `place`, with standard output in the file `out` and standard error in `err`.
pub fn start(subject: &Subject, place: &Workplace, mark: &str) -> Child {
    let file = |name| Stdio::from(File::create(place.path(name)).expect("the directory is ours"));
    let mut command = command(place, &format!("exec {}", subject.line));
    command.env(remains::MARK, mark).process_group(0).stdin(Stdio::null()).stdout(file("out")).stderr(file("err"));
    command.spawn().expect("there is a shell")
}

/// A shell's command in `place`, in which launchers of ranks work, too.
pub fn command(place: &Workplace, line: &str) -> Command {
    let mut command = place.process(line);
    command.env("HOME", place.path(""));
    // Open MPI does not start as root, which is who tests in a container, unless two variables allow it.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command
}

/// How long the command of `subject` takes undisturbed.
///
/// # Panics
/// Where it fails.
pub fn length(subject: &Subject, place: &Workplace) -> Duration {
    let began = Instant::now();
    let status = start(subject, place, "undisturbed").wait().expect("it is our child");
    assert!(status.success(), "{}: {status}: {}", subject.name, place.read("err"));
    began.elapsed()
}

/// Starts the command of `subject` in `place` and strikes it.
pub fn strike(subject: &Subject, place: &Workplace, blow: Blow, mark: &str) -> Struck {
    let began = Instant::now();
    let mut child = start(subject, place, mark);
    let mut status = None;
    while status.is_none() && began.elapsed() < blow.after {
        thread::sleep(LOOK.min(blow.after.saturating_sub(began.elapsed())));
        status = child.try_wait().expect("it is our child");
    }
    let mut before = Vec::new();
    let mut at = None;
    if status.is_none() {
        before = subject.runs().iter().map(|run| text(place, run)).collect();
        at = Some(SystemTime::now());
        send(&child, blow, mark);
        status = ended(&mut child);
    }
    // It is reaped already: a second wait gives the same status.
    let _ = child.wait();
    let out = fs::read_to_string(place.path("out")).unwrap_or_default();
    Struck { at, before, status, out, mark: mark.to_owned() }
}

/// The text of the run in a directory of `place`; empty where there is none yet.
pub fn text(place: &Workplace, run: &str) -> String {
    fs::read(place.path(run).join("run.jsonl"))
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

/// Whether a signal itself ended the process, or the launcher that says so.
pub fn is_signalled(status: ExitStatus) -> bool {
    status.signal().is_some()
}

fn send(child: &Child, blow: Blow, mark: &str) {
    let started = Pid::from_child(child);
    // Whoever has just ended gets nothing.
    let _ = match blow.target {
        Target::Group if blow.signal != Signal::KILL => kill_process_group(started, blow.signal),
        Target::Rank(rank) => kill_process(remains::rank(mark, rank).unwrap_or(started), blow.signal),
        Target::Started | Target::Group => kill_process(started, blow.signal),
    };
}

/// Waits for the end; kills what does not end.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < END_WITHIN {
        if let Some(status) = child.try_wait().expect("it is our child") {
            return Some(status);
        }
        thread::sleep(LOOK);
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}
