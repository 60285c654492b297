//! One run of a command: its description and its result. Plain data.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use paw_measure::fault::Fault;
use paw_worker::ending;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The description of one run of a command. Relative paths but `words[0]` are relative to where `paw` was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    /// The command: the program and its arguments. A program without a slash is looked up in the PATH that it will see;
    /// one with a slash is relative to `directory`.
    pub words: Vec<String>,
    /// Where it runs; where `paw` was started, if absent.
    pub directory: Option<PathBuf>,
    /// Variables set over the inherited ones.
    pub environment: Vec<(String, String)>,
    /// Inherited variables taken away.
    pub removed: Vec<String>,
    /// Logical processors it may run on; as inherited where empty.
    pub cpus: Vec<u32>,
    /// The file that it reads as its standard input; nothing where absent.
    pub stdin: Option<PathBuf>,
    /// The file that its standard output is written to, emptied before. Further copies: [`of_copy`].
    pub stdout: PathBuf,
    /// The file that its standard error is written to, emptied before; it may be the same as `stdout`.
    pub stderr: PathBuf,
    /// Seconds after which it is ended, with all that it started.
    pub timeout_s: Option<f64>,
    /// Instances started one right after the other, which then run at the same time; at least 1.
    pub copies: u32,
    /// Processors of each copy, in their order; a copy that has none here runs on `cpus`.
    pub copy_cpus: Vec<Vec<u32>>,
    /// Whether its memory is laid out at random.
    pub aslr: Aslr,
    /// What the launcher observes while it waits.
    pub attention: Attention,
}

/// What the launcher observes while it waits for a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// Nothing: the run is timed.
    #[default]
    None,
    /// Its threads, every few milliseconds: the run warms up, and what looking costs does not matter.
    Threads,
}

/// Whether the kernel lays a program's memory out at random (address space layout randomisation).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aslr {
    /// As the system has it: on average over many runs no layout is favoured.
    #[default]
    Kept,
    /// The same layout in every run: repeatable, with the luck of that layout in every number. Needs no privilege.
    Off,
}

impl Launch {
    /// One copy of the command `words`, anywhere, with no input, no limit, and the inherited environment.
    pub fn new(words: Vec<String>, stdout: PathBuf, stderr: PathBuf) -> Self {
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
            attention: Attention::None,
        }
    }
}

/// The file that copy number `copy`, from 0, writes to where the launch says `path`: `path` itself for the first,
/// `path.1` for the second. `/dev/null` is everybody's.
pub fn of_copy(path: &Path, copy: u32) -> PathBuf {
    if copy == 0 || path == Path::new("/dev/null") {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{copy}"));
    PathBuf::from(name)
}

/// The result of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// Seconds from right before the first copy was started until the last one had ended, by CLOCK_MONOTONIC.
    pub wall_s: f64,
    /// Each copy, in the order in which they were started.
    pub copies: Vec<CopyRan>,
    /// Processes that outlived the copies that had started them, and were killed after the run.
    pub leftover: u32,
}

/// The result of one copy. Times, faults and switches are of the process and of those descendants that it waited for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CopyRan {
    /// Seconds from right before it was started until it had ended.
    pub wall_s: f64,
    /// How it ended.
    pub end: End,
    /// Processor time in user mode, in seconds. The sum with `sys_s` is exact; where the kernel counts by ticks, the
    /// split is good to some milliseconds only.
    pub user_s: f64,
    /// Processor time in the kernel, in seconds.
    pub sys_s: f64,
    /// The most memory that a single one of its processes held at once, in bytes. A value up to
    /// [`floor_rss_bytes`](crate::launcher::Launcher::floor_rss_bytes) means `at most that`.
    pub rss_bytes: u64,
    /// How often it gave its processor up by waiting.
    pub voluntary_switches: u64,
    /// How often its processor was taken from it.
    pub involuntary_switches: u64,
    /// Page faults answered from memory.
    pub minor_faults: u64,
    /// Page faults that had to wait for a disk.
    pub major_faults: u64,
    /// Seconds for which its main thread was ready and had no processor; other threads are not in it. Absent where the
    /// kernel has no such statistics.
    pub run_delay_s: Option<f64>,
    /// How often its main thread changed processors. Absent where the kernel has no such statistics.
    pub migrations: Option<u64>,
    /// Snapshots of its threads, where [`Launch::attention`] asked for them.
    pub seen: Option<ThreadSnapshots>,
}

/// Snapshots of the threads of a copy and its descendants while it ran. A process with one thread that waits for its own
/// children (a shell) counts as none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ThreadSnapshots {
    /// Number of snapshots.
    pub looks: u32,
    /// Processors that they were on.
    pub cpus: BTreeSet<u32>,
    /// The most threads in one snapshot.
    pub threads: u32,
    /// At n: number of snapshots with n runnable threads.
    pub running: Vec<u32>,
}

/// How a copy ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// By us, since it was still running when its time was over.
    TimedOut,
}

impl fmt::Display for End {
    /// In words, after the name of the command: `exited with code 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exited with code {code}"),
            Self::Signalled(signal) => write!(f, "was killed by {}", ending::signal_name(*signal)),
            Self::TimedOut => write!(f, "did not end in time and was killed"),
        }
    }
}

/// Why a command did not run. Each is one sentence that names the thing and the way out.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchError {
    /// The command cannot be started as it was asked for.
    #[error("{0}")]
    Refused(String),
    /// The launcher was lost; the next run has a fresh one.
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
