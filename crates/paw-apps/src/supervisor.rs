//! Waiting for the copies to end, with an ear for the clock and for `paw`.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use crate::control::Control;
use crate::launch::ThreadSnapshots;
use crate::protocol::LauncherRequest;
use crate::sys::{self, Pid};
use crate::thread_snapshot;

/// How long a program that is told to end (SIGTERM) may take to save what it has, before it is killed.
const GRACE: Duration = Duration::from_secs(1);

/// Between two looks at the threads of programs: a hundred of a run of half a second, and some of one of 50 ms.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// Rings when children of this process have ended: a signalfd(2) of SIGCHLD.
#[derive(Debug)]
pub(crate) struct Bell(File);

impl Bell {
    pub(crate) fn new(signals: OwnedFd) -> Self {
        Self(signals.into())
    }

    /// Waits until it rings, no longer than `limit`.
    pub(crate) fn wait(&mut self, limit: Duration) {
        sys::wait_for([self.0.as_fd()], Some(limit));
        self.quiet();
    }

    /// Rings that were heard are over; the same signal rings once for any number of children.
    fn quiet(&mut self) {
        let mut heard = [0; size_of::<libc::signalfd_siginfo>()];
        while self.0.read(&mut heard).is_ok_and(|count| count > 0) {}
    }
}

/// One copy since its start.
#[derive(Debug)]
pub(crate) struct RunningCopy {
    pub(crate) pid: Pid,
    pub(crate) started: Instant,
    pub(crate) ended: Option<Instant>,
    pub(crate) timing: Timing,
    /// What was seen of its threads; absent where nobody looks.
    pub(crate) seen: Option<ThreadSnapshots>,
}

/// Whether a copy ended in its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    InTime,
    Late,
}

/// What became of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// Every copy ended, late or not.
    Finished,
    /// `paw` wanted no more of it.
    Stopped,
    /// `paw` is gone.
    Abandoned,
}

/// How hard the copies have been asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pressure {
    None,
    Asked,
    Killed,
}

/// Waits until every copy has ended. Between a copy's end and the clock there is one system call.
pub(crate) fn watch(
    copies: &mut [RunningCopy],
    limit: Option<Instant>,
    bell: &mut Bell,
    control: &mut Control,
) -> Course {
    let mut course = Course::Finished;
    let mut pressure = Pressure::None;
    let mut limit = limit;
    while copies.iter().any(|copy| copy.ended.is_none()) {
        let next_look = copies.iter().any(|copy| copy.seen.is_some()).then_some(BETWEEN_LOOKS);
        let left = limit.map(|limit| limit.saturating_duration_since(Instant::now()));
        let left = left.into_iter().chain(next_look).min();
        let spoken = listen(left, course, bell, control);
        let now = Instant::now();
        bell.quiet();
        for copy in copies.iter_mut().filter(|copy| copy.ended.is_none()) {
            copy.ended = sys::has_ended(copy.pid).then_some(now);
            if let (None, Some(seen)) = (copy.ended, &mut copy.seen) {
                thread_snapshot::at(copy.pid, seen);
            }
        }
        if spoken {
            course = match control.next() {
                Ok(Some(LauncherRequest::Stop)) => Course::Stopped,
                Ok(Some(LauncherRequest::Run(_)) | None) | Err(_) => Course::Abandoned,
            };
            pressure = press(copies, Pressure::Asked);
            limit = None;
        } else if limit.is_some_and(|limit| now >= limit) {
            copies.iter_mut().filter(|copy| copy.ended.is_none()).for_each(|copy| copy.timing = Timing::Late);
            pressure = press(copies, pressure);
            limit = (pressure == Pressure::Asked).then(|| now + GRACE);
        }
    }
    course
}

/// Waits for a bell, for `paw`, or for `left` to pass; whether `paw` has spoken.
fn listen(left: Option<Duration>, course: Course, bell: &Bell, control: &Control) -> bool {
    // One who is gone could always be read, and nothing more can be wanted of what has been killed.
    if course != Course::Finished {
        sys::wait_for([bell.0.as_fd()], left);
        return false;
    }
    control.holds_request() || sys::wait_for([bell.0.as_fd(), control.as_fd()], left)[1]
}

/// Asks the copies that still run to end, with all they started, or kills them, one step harder than `before`.
fn press(copies: &[RunningCopy], before: Pressure) -> Pressure {
    let alive = copies.iter().filter(|copy| copy.ended.is_none()).map(|copy| copy.pid);
    match before {
        Pressure::None => {
            for leader in alive {
                sys::signal_group(leader, libc::SIGTERM);
                // One that is stopped hears only after it goes on.
                sys::signal_group(leader, libc::SIGCONT);
            }
            Pressure::Asked
        }
        // What they started outlives them, and is ended and counted with the rest that is left over.
        Pressure::Asked | Pressure::Killed => {
            alive.for_each(|pid| sys::signal(pid, libc::SIGKILL));
            Pressure::Killed
        }
    }
}
