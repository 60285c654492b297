//! A worker's process and its guard's: start, requests, end.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open, pidfd_send_signal};

use crate::ending::{ProcessEnd, Usage};
use crate::launch::Launch;
use crate::protocol::{Reply, Request};
use crate::sys::{self, WaitMode};
use crate::tail::OutputTail;

/// The longest line that can be a reply: a reading with a million stamps.
const LONGEST_LINE: usize = 64 << 20;
/// How long a process that closed its socket may take to end by itself, so that its own exit status is reported.
const DYING: Duration = Duration::from_secs(2);
/// Time between two polls of a process that is about to end.
const BETWEEN_LOOKS: Duration = Duration::from_millis(1);
/// A year: in effect no deadline, but it can be added to any instant.
const DEADLINE_MAX: Duration = Duration::from_secs(365 * 86_400);
/// The shortest read time-out; zero would mean none.
const READ_MIN: Duration = Duration::from_millis(1);
/// How long past the limit interrupted reads are repeated.
const GRACE: Duration = Duration::from_secs(1);

/// A worker's process, behind its guard's.
#[derive(Debug)]
pub(crate) struct Process {
    /// The started process: the guard of the worker. Before its first answer it may be any program.
    pid: Pid,
    worker: Option<Guarded>,
    socket: UnixStream,
    received: Vec<u8>,
    tail: OutputTail,
    ended: Option<ProcessEnd>,
}

/// A worker that is a child of its guard.
#[derive(Debug)]
struct Guarded {
    pid: Pid,
    /// Names this process even after its number belongs to another; Linux has it since 5.3.
    handle: Option<OwnedFd>,
}

/// Why there is no reply.
#[derive(Debug)]
pub(crate) enum NoReply {
    /// No reply came within the deadline.
    Late,
    /// The process ended, or closed its side.
    Closed,
    /// The line is not a reply.
    Garbage(String),
}

impl Process {
    /// Starts the program with one end of a socket as its standard input, and both its outputs in one pipe.
    pub(crate) fn start(launch: &Launch) -> io::Result<Process> {
        let (socket, theirs) = UnixStream::pair()?;
        let (output, into) = io::pipe()?;
        let mut command = Command::new(&launch.program);
        command.args(&launch.args);
        for name in &launch.remove {
            command.env_remove(name);
        }
        command.envs(launch.set.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(into.try_clone()?).stderr(into);
        // A worker in its own group does not receive the terminal's Ctrl-C: its sample is still finished and saved.
        command.process_group(0);
        let pid = Pid::from_child(&command.spawn()?);
        // The command owns copies of the child's ends; while they are open, the end of the pipe would not be seen.
        drop(command);
        Ok(Process { pid, worker: None, socket, received: Vec::new(), tail: OutputTail::of(output), ended: None })
    }

    /// Notes that the worker listens as the process `pid`, which is the one that was started where it has no guard.
    pub(crate) fn settled(&mut self, pid: u32) {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).filter(|pid| *pid != self.pid);
        self.worker = pid.map(|pid| Guarded { pid, handle: pidfd_open(pid, PidfdFlags::empty()).ok() });
    }

    pub(crate) fn pid(&self) -> u32 {
        let pid = self.worker.as_ref().map_or(self.pid, |worker| worker.pid);
        pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Sends `request` and waits for its reply, no longer than `deadline`.
    pub(crate) fn ask(&mut self, request: &Request, deadline: Duration) -> Result<Reply, NoReply> {
        let deadline = deadline.min(DEADLINE_MAX);
        let limit = Instant::now() + deadline;
        let mut line = serde_json::to_vec(request).expect("requests are plain data");
        line.push(b'\n');
        self.socket.set_write_timeout(Some(deadline)).map_err(|_| NoReply::Closed)?;
        self.socket.write_all(&line).map_err(|error| silence(&error))?;
        let line = self.line(limit)?;
        serde_json::from_slice(&line).map_err(|_| NoReply::Garbage(excerpt(&line)))
    }

    /// The next line, without its end.
    fn line(&mut self, limit: Instant) -> Result<Vec<u8>, NoReply> {
        let mut buffer = [0; 1 << 14];
        let mut searched = 0;
        loop {
            if let Some(end) = self.received[searched..].iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.received.drain(..=searched + end).collect();
                line.pop();
                return Ok(line);
            }
            searched = self.received.len();
            if searched > LONGEST_LINE {
                return Err(NoReply::Garbage(excerpt(&self.received)));
            }
            // Bytes that have arrived count, even if this process was stopped past the limit.
            let left = limit.saturating_duration_since(Instant::now()).max(READ_MIN);
            self.socket.set_read_timeout(Some(left)).map_err(|_| NoReply::Closed)?;
            match self.socket.read(&mut buffer) {
                Ok(0) => return Err(NoReply::Closed),
                Ok(count) => self.received.extend(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted && Instant::now() < limit + GRACE => {}
                Err(error) => return Err(silence(&error)),
            }
        }
    }

    /// Waits a moment for the end of a process that is about to end by itself, then kills it.
    pub(crate) fn end(&mut self) -> ProcessEnd {
        self.end_within(DYING).unwrap_or_else(|| self.kill())
    }

    /// How the process ended, if it does within `patience`.
    fn end_within(&mut self, patience: Duration) -> Option<ProcessEnd> {
        let limit = Instant::now() + patience;
        while Instant::now() < limit {
            if let Some(ended) = self.reap(WaitMode::Poll) {
                return Some(ended);
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        None
    }

    /// Kills the worker and what it has started, and reaps its guard.
    pub(crate) fn kill(&mut self) -> ProcessEnd {
        if self.ended.is_none() && self.worker.is_some() {
            // An unreaped child keeps its number.
            kill_process(self.pid, Signal::TERM).ok();
            if let Some(ended) = self.end_within(DYING) {
                return ended;
            }
        }
        if self.ended.is_none() {
            // Its number is its group's too; a worker dies with its guard.
            kill_process_group(self.pid, Signal::KILL).ok();
        }
        self.reap(WaitMode::Block).unwrap_or_else(gone)
    }

    /// How the process ended, after reaping it; `None` while it lives.
    fn reap(&mut self, mode: WaitMode) -> Option<ProcessEnd> {
        if self.ended.is_none() {
            self.ended = match sys::reap(self.pid, mode) {
                Ok(reaped) => reaped.map(|(status, usage)| ProcessEnd::new(status, usage)),
                // Reaped by other code.
                Err(_) => Some(gone()),
            };
        }
        self.ended.clone()
    }

    /// Sends `signal` to the worker.
    pub(crate) fn signal(&self, signal: Signal) {
        match &self.worker {
            _ if self.ended.is_some() => {}
            Some(Guarded { handle: Some(handle), .. }) => drop(pidfd_send_signal(handle, signal)),
            // The guard keeps the number until it ends with its worker.
            Some(Guarded { pid, handle: None }) => drop(kill_process(*pid, signal)),
            // An unreaped child keeps its number.
            None => drop(kill_process(self.pid, signal)),
        }
    }

    /// The last lines it printed.
    pub(crate) fn last_words(&self) -> String {
        self.tail.last_words()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn gone() -> ProcessEnd {
    ProcessEnd { how: "ended unseen".to_owned(), usage: Usage::default() }
}

fn silence(error: &io::Error) -> NoReply {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => NoReply::Late,
        _ => NoReply::Closed,
    }
}

/// The beginning of `line`, printable.
fn excerpt(line: &[u8]) -> String {
    const SHOWN: usize = 80;
    let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]);
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
