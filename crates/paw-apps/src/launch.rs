//! One run of a command: its description and its result. Plain data.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use paw_measure::fault::Fault;
use paw_perf::counting::EventReading;
use paw_perf::event::Event;
use paw_worker::ending;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The description of one run of a command. Relative paths but `words[0]` are relative to where `paw` was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// The program and its arguments. A program without a slash is looked up in the PATH of its environment; a path with
    /// a slash is relative to `directory`.
    pub words: Vec<String>,
    /// The directory that the program runs in; absent: the directory in which `paw` was started.
    pub directory: Option<PathBuf>,
    /// Environment variables that replace inherited ones.
    pub environment: Vec<(String, String)>,
    /// Inherited environment variables that are removed.
    pub removed: Vec<String>,
    /// Logical processors that it may run on; empty: those of the launcher.
    pub cpus: Vec<u32>,
    /// The file that is its standard input; absent: `/dev/null`.
    pub stdin: Option<PathBuf>,
    /// What becomes of its standard output. For further copies see [`Sink::of_copy`].
    pub stdout: Sink,
    /// What becomes of its standard error; it may be the same file as `stdout`.
    pub stderr: Sink,
    /// Seconds after which the program and all its descendants are ended.
    pub timeout_s: Option<f64>,
    /// Number of instances, started right after each other; at least 1.
    pub copies: u32,
    /// Processors of each copy, by its number; a copy without an entry runs on `cpus`.
    pub copy_cpus: Vec<Vec<u32>>,
    /// Address space layout randomisation.
    pub aslr: Aslr,
    /// The launcher's observations during the run.
    pub attention: Observation,
    /// Events that are counted during the run; none where it is timed.
    #[serde(default)]
    pub count: Vec<Event>,
}

/// What becomes of an output stream of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sink {
    /// It is discarded: `/dev/null`.
    Null,
    /// It is that of `paw`.
    Inherit,
    /// The program overwrites this file.
    File(PathBuf),
    /// The launcher reads it through a pipe while the program runs. After the run its first and last [`KEPT_BYTES`](crate::output_pipe::KEPT_BYTES) overwrite this file.
    Ends(PathBuf),
}

impl Sink {
    /// That of copy number `copy` (from 0): files are `path` for the first copy and `path.1` for the second.
    pub fn of_copy(&self, copy: u32) -> Self {
        self.map_file(|path| numbered(path, copy))
    }

    /// The same with another file, if there is one.
    pub fn map_file(&self, other: impl FnOnce(&Path) -> PathBuf) -> Self {
        match self {
            Self::File(path) => Self::File(other(path)),
            Self::Ends(path) => Self::Ends(other(path)),
            same => same.clone(),
        }
    }

    /// The file in which it is found after a run.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::Ends(path) => Some(path),
            Self::Null | Self::Inherit => None,
        }
    }
}

fn numbered(path: &Path, copy: u32) -> PathBuf {
    if copy == 0 {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{copy}"));
    PathBuf::from(name)
}

/// The launcher's observations during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Observation {
    /// None: the run is timed.
    #[default]
    None,
    /// Snapshots of its threads every few milliseconds: a warm-up run, in which the cost of a snapshot does not matter.
    Threads,
}

/// Whether the kernel lays a program's memory out at random (address space layout randomisation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aslr {
    /// As the system is set: averaged over many runs, no layout is favoured.
    #[default]
    Kept,
    /// Off: the same layout in every run, which may be a fast or a slow one. Needs no privilege.
    Off,
}

impl Launch {
    /// One copy of the command `words` on any processor, without input, time limit, or changes to its environment.
    pub fn new(words: Vec<String>, stdout: Sink, stderr: Sink) -> Self {
        Self {
            words,
            directory: None,
            environment: Vec::new(),
            removed: Vec::new(),
            cpus: Vec::new(),
            stdin: None,
            stdout,
            stderr,
            timeout_s: None,
            copies: 1,
            copy_cpus: Vec::new(),
            aslr: Aslr::Kept,
            attention: Observation::None,
            count: Vec::new(),
        }
    }

    /// The same launch with files of its own for what the program prints, whose names begin with `prefix`: those of other runs stay.
    #[must_use]
    pub fn apart(&self, prefix: &str) -> Self {
        let own = |path: &Path| {
            let name = path.file_name().unwrap_or(path.as_os_str());
            path.with_file_name(format!("{prefix}{}", name.to_string_lossy()))
        };
        Self { stdout: self.stdout.map_file(own), stderr: self.stderr.map_file(own), ..self.clone() }
    }
}

/// The result of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Seconds from right before the start of the first copy until the end of the last, by CLOCK_MONOTONIC.
    pub wall_s: f64,
    /// The result of each copy, in the order of their starts.
    pub copies: Vec<CopyResult>,
    /// Processes that outlived the copies that had started them, and were killed after the run.
    pub leftover: u32,
    /// Processor time in seconds that others used during the run on the processors that the copies could use, counted in ticks of
    /// 10 ms. Absent where the kernel does not report it.
    pub others_s: Option<f64>,
    /// The counts of the events that [`Launch::count`] asked for, over all copies and what they started.
    #[serde(default)]
    pub counts: Vec<EventReading>,
}

/// The result of one copy. Times, faults and switches include the descendants that its processes waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CopyResult {
    /// Seconds from right before its start until its end.
    pub wall_s: f64,
    /// How it ended.
    pub end: End,
    /// Processor time in user mode, in seconds. The sum with `sys_s` is exact; where the kernel counts by ticks, the
    /// split is good to some milliseconds only.
    pub user_s: f64,
    /// Processor time in the kernel, in seconds.
    pub sys_s: f64,
    /// Peak memory of the largest of its processes, in bytes. A value up to
    /// [`floor_rss_bytes`](crate::launcher::Launcher::floor_rss_bytes) means `at most this`.
    pub rss_bytes: u64,
    /// Voluntary context switches: its threads waited.
    pub voluntary_switches: u64,
    /// Involuntary context switches: another thread took the processor.
    pub involuntary_switches: u64,
    /// Page faults answered from memory.
    pub minor_faults: u64,
    /// Page faults that had to wait for a disk.
    pub major_faults: u64,
    /// Run delay of its main thread in seconds: runnable, but not running. Absent where the kernel has no schedstat.
    pub run_delay_s: Option<f64>,
    /// Moves of its main thread to another processor. Absent where the kernel has no `/proc/PID/sched`.
    pub migrations: Option<u64>,
    /// Bytes of its standard output and error that are not in their files: the middle of long [`Sink::Ends`].
    pub left_out: [u64; 2],
    /// Snapshots of its threads, where [`Launch::attention`] asked for them.
    pub seen: Option<ThreadSnapshots>,
}

/// Snapshots of the threads of a copy and its descendants. A single-threaded process that waits for its children (a
/// shell) is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ThreadSnapshots {
    /// Number of snapshots.
    pub looks: u32,
    /// Processors that the threads were on.
    pub cpus: BTreeSet<u32>,
    /// Largest number of threads in a snapshot.
    pub threads: u32,
    /// At index n, the number of snapshots with n runnable threads.
    pub running: Vec<u32>,
}

/// How a copy ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The program exited with this code.
    Exited(i32),
    /// This signal killed the program.
    Signalled(i32),
    /// The launcher killed the program at its time limit.
    TimedOut,
}

impl fmt::Display for End {
    /// In words that follow the name of the command: `exited with code 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exited with code {code}"),
            Self::Signalled(signal) => write!(f, "was killed by {}", ending::signal_name(*signal)),
            Self::TimedOut => write!(f, "did not end in time and was killed"),
        }
    }
}

/// Why a command did not run, in a sentence with the way out.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchError {
    /// The command cannot be started.
    #[error("{0}")]
    Refused(String),
    /// The launcher died; the next run gets a new one.
    #[error("{0}")]
    Lost(String),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

impl From<LaunchError> for Fault {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Refused(why) | LaunchError::Lost(why) => Self::Broken(why),
            LaunchError::Interrupted => Self::Interrupted,
        }
    }
}
