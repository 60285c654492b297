//! Ends the processes that outlive a run: members of its process groups, and daemons that left them.

use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use paw_worker::children::kill_children;

use crate::supervisor::ChildSignals;
use crate::sys::{self, ChildState};

/// Time to wait for killed processes. A process that waits for a broken disk never dies.
const DYING: Duration = Duration::from_secs(2);
/// Time between two searches: processes may fork, or become our children, between them.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Kills every descendant of this process, and returns their number. The copies themselves must be reaped and their groups
/// killed: orphans become children of this process, their subreaper (PR_SET_CHILD_SUBREAPER of prctl(2)).
pub(crate) fn clear(bell: &mut ChildSignals) -> u32 {
    let limit = Instant::now() + DYING;
    let mut killed = 0;
    loop {
        match sys::reap_any() {
            ChildState::None => return killed,
            // A child that ended without SIGKILL was a zombie that its parent never reaped.
            ChildState::Ended(status) => killed += u32::from(status.signal() == Some(libc::SIGKILL)),
            ChildState::Alive => {
                let alive = kill_children();
                if Instant::now() > limit {
                    return killed + alive;
                }
                bell.wait(BETWEEN_LOOKS);
            }
        }
    }
}
