//! Waits for the end of a program's copies, its time limit, or a message from `paw`.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use crate::control::Control;
use crate::launch::ThreadSnapshots;
use crate::output_pipe::OutputPipe;
use crate::protocol::LauncherRequest;
use crate::sys::{self, Pid};
use crate::thread_snapshot;

/// Time between SIGTERM and SIGKILL, for a program to save its work.
const GRACE: Duration = Duration::from_secs(1);

/// Time between two snapshots of a program's threads: ten in a run of 50 ms.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// A signalfd(2) of SIGCHLD, readable when children of this process have ended.
#[derive(Debug)]
pub(crate) struct ChildSignals(File);

impl ChildSignals {
    pub(crate) fn new(signals: OwnedFd) -> Self {
        Self(signals.into())
    }

    /// Waits for SIGCHLD, no longer than `limit`.
    pub(crate) fn wait(&mut self, limit: Duration) {
        sys::wait_for(&[self.0.as_fd()], Some(limit));
        self.quiet();
    }

    /// Discards pending signals: one SIGCHLD may announce several children.
    fn quiet(&mut self) {
        let mut signals = [0; size_of::<libc::signalfd_siginfo>()];
        while self.0.read(&mut signals).is_ok_and(|count| count > 0) {}
    }
}

/// A copy that was started.
#[derive(Debug)]
pub(crate) struct RunningCopy {
    pub(crate) pid: Pid,
    pub(crate) started: Instant,
    pub(crate) ended: Option<Instant>,
    pub(crate) timing: Timing,
    /// Snapshots of its threads; `None`: none are taken.
    pub(crate) seen: Option<ThreadSnapshots>,
}

/// Whether a copy ended within its time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    InTime,
    Late,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// Every copy ended, by itself or at its time limit.
    Finished,
    /// `paw` asked to stop.
    Stopped,
    /// `paw` closed its socket.
    Abandoned,
}

/// The signal that the copies have been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SentSignal {
    None,
    Asked,
    Killed,
}

/// Waits until every copy has ended. One system call lies between a copy's end and the reading of the clock.
pub(crate) fn watch(
    copies: &mut [RunningCopy],
    pipes: &mut [[Option<OutputPipe>; 2]],
    limit: Option<Instant>,
    bell: &mut ChildSignals,
    control: &mut Control,
) -> Course {
    let mut course = Course::Finished;
    let mut pressure = SentSignal::None;
    let mut limit = limit;
    while copies.iter().any(|copy| copy.ended.is_none()) {
        let next_look = copies.iter().any(|copy| copy.seen.is_some()).then_some(BETWEEN_LOOKS);
        let left = limit.map(|limit| limit.saturating_duration_since(Instant::now()));
        let left = left.into_iter().chain(next_look).min();
        let spoken = listen(left, course, pipes, bell, control);
        let now = Instant::now();
        bell.quiet();
        for copy in copies.iter_mut().filter(|copy| copy.ended.is_none()) {
            copy.ended = sys::has_ended(copy.pid).then_some(now);
            if let (None, Some(seen)) = (copy.ended, &mut copy.seen) {
                thread_snapshot::at(copy.pid, seen);
            }
        }
        pipes.iter_mut().flatten().flatten().for_each(OutputPipe::drain);
        if spoken {
            course = match control.next() {
                Ok(Some(LauncherRequest::Stop)) => Course::Stopped,
                Ok(Some(LauncherRequest::Run(_)) | None) | Err(_) => Course::Abandoned,
            };
            pressure = press(copies, SentSignal::Asked);
            limit = None;
        } else if limit.is_some_and(|limit| now >= limit) {
            copies.iter_mut().filter(|copy| copy.ended.is_none()).for_each(|copy| copy.timing = Timing::Late);
            pressure = press(copies, pressure);
            limit = (pressure == SentSignal::Asked).then(|| now + GRACE);
        }
    }
    course
}

/// Waits for SIGCHLD, for output, for `paw`, or for `left` to pass. Returns whether there is a message from `paw`.
fn listen(
    left: Option<Duration>,
    course: Course,
    pipes: &[[Option<OutputPipe>; 2]],
    bell: &ChildSignals,
    control: &Control,
) -> bool {
    let mut files = vec![bell.0.as_fd()];
    files.extend(pipes.iter().flatten().flatten().filter_map(OutputPipe::waited));
    // After SIGKILL, or once `paw` has closed its socket, do not wait for it: a closed socket always polls readable and would spin.
    if course != Course::Finished {
        sys::wait_for(&files, left);
        return false;
    }
    if control.holds_request() {
        return true;
    }
    files.push(control.as_fd());
    sys::wait_for(&files, left).pop() == Some(true)
}

/// Sends SIGTERM to the groups of the copies that still run or, after that, SIGKILL to the copies.
fn press(copies: &[RunningCopy], before: SentSignal) -> SentSignal {
    let alive = copies.iter().filter(|copy| copy.ended.is_none()).map(|copy| copy.pid);
    match before {
        SentSignal::None => {
            for leader in alive {
                sys::signal_group(leader, libc::SIGTERM);
                // A stopped process acts on SIGTERM only after SIGCONT.
                sys::signal_group(leader, libc::SIGCONT);
            }
            SentSignal::Asked
        }
        // Their descendants outlive them, and are ended and counted as leftovers.
        SentSignal::Asked | SentSignal::Killed => {
            alive.for_each(|pid| sys::signal(pid, libc::SIGKILL));
            SentSignal::Killed
        }
    }
}
