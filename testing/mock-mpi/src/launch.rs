//! A launcher: ranks as processes of this machine.
#![allow(unsafe_code)]

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often the launcher looks after its ranks.
const LOOK: Duration = Duration::from_millis(2);

/// What happens to the others when a signal ends a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// They are left alone.
    LiveOn,
    /// They are killed, as launchers of real libraries do.
    Die,
}

/// Where the output of ranks goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    /// To the launcher's own.
    Inherited,
    /// Into [`Ended`].
    Captured,
}

/// Ranks of one command.
///
/// Every rank finds itself through `MOCK_MPI_RANK`, `MOCK_MPI_SIZE` and `MOCK_MPI_FILE`, and through `PMI_RANK`, `PMI_SIZE`
/// and `MPI_LOCALNRANKS` as under Hydra. A rank dies with the launcher.
#[derive(Debug, Clone)]
pub struct Launch {
    ranks: usize,
    command: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    others: Others,
    streams: Streams,
    limit: Option<Duration>,
}

/// How the ranks ended.
#[derive(Debug)]
pub struct Ended {
    /// By rank; output is empty unless it was captured.
    pub ranks: Vec<Output>,
    /// Whether the limit ended them.
    pub timed_out: bool,
}

impl Launch {
    /// `ranks` processes of a program and its arguments; output captured, others left alone, no limit.
    pub fn new(ranks: usize, command: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Launch {
            ranks,
            command: command.into_iter().map(Into::into).collect(),
            variables: Vec::new(),
            others: Others::LiveOn,
            streams: Streams::Captured,
            limit: None,
        }
    }

    /// With a variable in the environment of all ranks: a cost, a fault.
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// With that fate of the others when a signal ends a rank.
    pub fn others(mut self, others: Others) -> Self {
        self.others = others;
        self
    }

    /// With output there.
    pub fn streams(mut self, streams: Streams) -> Self {
        self.streams = streams;
        self
    }

    /// With an end by force after that time.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Starts the ranks and waits for all of them.
    pub fn run(&self) -> io::Result<Ended> {
        let folder = Folder::new()?;
        let mut children = Vec::new();
        for rank in 0..self.ranks {
            match self.start(rank, &folder.0) {
                Ok(child) => children.push(child),
                Err(error) => {
                    kill_all(&mut children);
                    return Err(error);
                }
            }
        }
        let (statuses, timed_out) = self.look_after(children)?;
        let ranks = statuses.into_iter().enumerate().map(|(rank, status)| {
            let read = |stream: &str| fs::read(folder.0.join(format!("{stream}-{rank}"))).unwrap_or_default();
            Output { status, stdout: read("out"), stderr: read("err") }
        });
        Ok(Ended { ranks: ranks.collect(), timed_out })
    }

    fn start(&self, rank: usize, folder: &Path) -> io::Result<Child> {
        let (program, arguments) =
            self.command.split_first().ok_or_else(|| io::Error::other("mockrun: no command to run"))?;
        let mut command = Command::new(program);
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        let (rank_text, size_text) = (rank.to_string(), self.ranks.to_string());
        let own = [("MOCK_MPI_RANK", &rank_text), ("PMI_RANK", &rank_text)];
        let all = ["MOCK_MPI_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"].map(|name| (name, &size_text));
        command.envs(own).envs(all).env("MPI_LOCALRANKID", &rank_text).env("MOCK_MPI_FILE", folder.join("segment"));
        if self.streams == Streams::Captured {
            command.stdout(File::create(folder.join(format!("out-{rank}")))?);
            command.stderr(File::create(folder.join(format!("err-{rank}")))?);
        }
        if rank > 0 || self.streams == Streams::Captured {
            command.stdin(Stdio::null());
        }
        // SAFETY: prctl is a bare system call, and allowed between fork and exec.
        unsafe { command.pre_exec(die_with_the_launcher) };
        command.spawn()
    }

    /// Waits for all, killing where that is asked.
    fn look_after(&self, mut children: Vec<Child>) -> io::Result<(Vec<ExitStatus>, bool)> {
        let started = Instant::now();
        let mut timed_out = false;
        loop {
            let mut ended = Vec::new();
            for child in &mut children {
                ended.extend(child.try_wait()?);
            }
            if ended.len() == children.len() {
                return Ok((ended, timed_out));
            }
            let killed = self.others == Others::Die && ended.iter().any(|status| status.signal().is_some());
            let late = self.limit.is_some_and(|limit| started.elapsed() > limit);
            if killed || late {
                timed_out |= late && !killed;
                kill_all(&mut children);
            }
            thread::sleep(LOOK);
        }
    }
}

impl Ended {
    /// The code a launcher leaves with: of the first rank that ended badly, 128 and the signal for one that was killed.
    pub fn code(&self) -> i32 {
        let codes = self.ranks.iter().map(|rank| code(rank.status));
        let first = codes.into_iter().find(|code| *code != 0).unwrap_or(0);
        if self.timed_out { 124 } else { first }
    }
}

fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}

fn kill_all(children: &mut [Child]) {
    for child in children {
        // One that has ended cannot be killed, and need not.
        let _ = child.kill();
    }
}

fn die_with_the_launcher() -> io::Result<()> {
    // SAFETY: asks the kernel for a signal when the parent is gone.
    match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A folder in memory for the shared file, gone in the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let nth = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("mock-mpi-{}-{nth}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
