//! The emergency end of a job whose ranks no longer answer: the watchdog's thread saves and shows what was measured.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use paw_foreign::mpi::Aborter;
use paw_measure::watchdog::{Alarm, Overdue};

use crate::exit::Code;
use crate::print;
use crate::rendezvous::{FaultNote, RendezvousDirectory};
use crate::signals::Signals;

/// Polls from a signal to the emergency. There are ten a second, and launchers send SIGKILL one second after their
/// signal (Open MPI 4 and 5).
const POLLS_AFTER_SIGNAL: u32 = 4;

/// Polls from the deadline to the end of the job, in which ranks that are alive say so.
const POLLS_FOR_SIGNS: u32 = 5;

/// Polls that a rank waits for rank 0 to notice as well that peers do not answer.
const POLLS_FOR_THE_ROOT: u32 = 12;

/// Longest time of `MPI_Abort`, which tells the launcher to end all ranks; launchers that see one rank exit may leave the others of
/// far nodes alone (Hydra).
const ABORTS_WITHIN: Duration = Duration::from_secs(1);

/// Polls that a rank waits while rank 0 saves and shows: launchers end all ranks once one has ended.
const POLLS_WHILE_SAVING: u32 = 100;

/// Polls until a rank that left is reported: the first rank of its node may leave for the same reason a moment later.
const POLLS_BEFORE_ALONE: u32 = 10;

/// Polls from the deadline until ranks that wait in `MPI_Finalize` end without it: by then all of them have said that they are alive,
/// or one is lost.
const POLLS_TO_PART: u32 = 20;

/// Polls until a rank that waits in `MPI_Finalize` no longer waits for rank 0 to end.
const POLLS_WITHOUT_THE_ROOT: u32 = 2 * POLLS_TO_PART;

/// Why a job ends without waiting for its ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A rank did not answer within the deadline.
    Silence,
    /// A signal came while a library did not return.
    Signal,
}

/// The action of an emergency, given its reason; returns the process's exit code.
type Act = Box<dyn FnMut(Reason) -> Code + Send>;

/// The phase of the job, which decides what an emergency does.
#[derive(Default)]
enum Stage {
    /// Before the first sample: the ranks join.
    #[default]
    Joining,
    /// Samples are not all saved yet.
    Measuring(Act),
    /// The measuring thread saves and shows, or has finished.
    Saving,
    /// All is saved and shown, and this many ranks, which know each other's exit code, finalise MPI.
    Parting(Code, usize),
}

/// The action of an emergency, if one is set. Clones share it.
#[derive(Clone, Default)]
pub struct Emergency {
    stage: Arc<Mutex<Stage>>,
    /// Set once MPI runs.
    aborter: Arc<OnceLock<Aborter>>,
}

impl Emergency {
    /// Sets what ends the other ranks.
    pub fn abort_by(&self, aborter: Aborter) {
        self.aborter.get_or_init(|| aborter);
    }

    /// Sets the action.
    pub fn prepare(&self, act: impl FnMut(Reason) -> Code + Send + 'static) {
        *self.stage() = Stage::Measuring(Box::new(act));
    }

    /// Removes the action, because the measuring thread saves and shows. Blocks during an emergency, which ends the process.
    pub fn stand_down(&self) {
        *self.stage() = Stage::Saving;
    }

    /// Says that all ranks know the job's exit code, and finalise MPI.
    pub fn part(&self, code: Code, ranks: usize) {
        *self.stage() = Stage::Parting(code, ranks);
    }

    /// The exit code and the number of the ranks that finalise MPI, once they do.
    fn parting(&self) -> Option<(Code, usize)> {
        match *self.stage() {
            Stage::Parting(code, ranks) => Some((code, ranks)),
            _ => None,
        }
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the job because a rank has left before MPI began.
    fn end_without_rank(&self) {
        if matches!(*self.stage(), Stage::Joining) {
            print::message("paw: a rank has left before MPI began; nothing was measured");
            signal_hook::low_level::exit(Code::Missing as i32);
        }
    }

    fn happen(&self, reason: Reason) {
        let mut stage = self.stage();
        let code = match (&mut *stage, reason) {
            (Stage::Measuring(act), reason) => act(reason),
            (Stage::Joining | Stage::Saving | Stage::Parting(..), Reason::Signal) => return,
            (Stage::Joining, Reason::Silence) => {
                print::message(
                    "paw: the ranks of this job do not answer each other; nothing was measured. hint: if no rank printed a reason, the library may not fit the launcher; choose another with --mpi-library. Where MPI takes its time to begin, PAW_DEADLINE=600 waits ten minutes",
                );
                Code::Failed
            }
            (Stage::Saving | Stage::Parting(..), Reason::Silence) => {
                print::message("paw: the ranks of this job did not end together; what was measured is saved");
                Code::Failed
            }
        };
        self.leave(code);
    }

    /// Ends the job: all ranks, where the library still can, and this one in any case.
    fn leave(&self, code: Code) {
        if let Some(aborter) = self.aborter.get().copied() {
            let (returned, waits) = mpsc::channel::<()>();
            thread::spawn(move || {
                aborter.abort(code as i32);
                drop(returned);
            });
            // It ends this process too, or hangs as the measuring thread does.
            let _ = waits.recv_timeout(ABORTS_WITHIN);
        }
        signal_hook::low_level::exit(code as i32);
    }
}

/// The watchdog's alarm: turns silence, faults and signals into emergencies.
pub struct Guard {
    emergency: Emergency,
    rank: usize,
    run: RendezvousDirectory,
    node: RendezvousDirectory,
    left: Vec<FaultNote>,
    polls_since_left: u32,
    signals: Signals,
    polls_since_signal: u32,
    polls_since_silence: Option<u32>,
}

impl Guard {
    /// A guard of rank `rank`; it writes its fault to the directory `run` and reads the faults of other ranks there.
    pub fn new(emergency: Emergency, rank: usize, run: RendezvousDirectory, signals: Signals) -> Self {
        Self {
            emergency,
            rank,
            run,
            node: RendezvousDirectory::default(),
            left: Vec::new(),
            polls_since_left: 0,
            signals,
            polls_since_signal: 0,
            polls_since_silence: None,
        }
    }

    /// This guard, which also reads from the directory `node` which ranks have left, until the directory is removed.
    pub fn watching(self, node: RendezvousDirectory) -> Self {
        Self { node, ..self }
    }

    /// Prints which ranks have left, unless this rank leaves too. MPI cannot begin without them: rank 0 ends the job.
    fn report_leavers(&mut self) {
        self.left.extend(self.node.take());
        if self.left.is_empty() {
            return;
        }
        self.polls_since_left += 1;
        if self.polls_since_left == POLLS_BEFORE_ALONE {
            self.left.iter().for_each(|note| print::message_from_any_rank(&format!("paw: {note}")));
            if self.rank == 0 {
                self.node.remove();
                self.emergency.end_without_rank();
            }
        }
    }

    /// Ends a job that has saved and shown all, if its library does not return from `MPI_Finalize`: those of MPICH 4.0 hang there
    /// at times when messages pass UCX's TCP (<https://github.com/pmodels/mpich/pull/6596>).
    fn part(&self, polls: u32, code: Code, ranks: usize) {
        let is_root = self.rank == 0;
        let is_hung = || if is_root { self.run.signs().len() == ranks } else { !self.run.exists() };
        match departure(polls, is_root, is_hung) {
            None => {}
            Some(Departure::Lost) if is_root => self.happen(Reason::Silence),
            Some(Departure::Lost) => self.emergency.leave(Code::Failed),
            Some(Departure::Whole) => {
                if is_root {
                    print::message(&format!(
                        "paw: all {ranks} ranks are alive, and MPI_Finalize does not return: the MPI library hangs there. The run is whole and saved, whatever the launcher says of this job"
                    ));
                    self.run.remove();
                }
                // `MPI_Abort` would make a failure of it, and may fail itself there.
                signal_hook::low_level::exit(code as i32);
            }
        }
    }

    /// Ends the job and removes the node's rendezvous.
    fn happen(&self, reason: Reason) {
        self.node.remove();
        self.emergency.happen(reason);
    }
}

/// How a rank leaves whose library does not return from `MPI_Finalize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Departure {
    /// Only the library hangs: with the job's exit code.
    Whole,
    /// A rank is lost.
    Lost,
}

/// How a rank leaves this many polls after the deadline of `MPI_Finalize`; `None` while it stays. Rank 0 leaves first, and asks
/// whether all ranks are alive; the others ask whether it has left: Hydra kills all ranks once one has left without `MPI_Finalize`.
fn departure(polls: u32, is_root: bool, is_hung: impl FnOnce() -> bool) -> Option<Departure> {
    let waits = if is_root { POLLS_TO_PART } else { POLLS_WITHOUT_THE_ROOT };
    match (is_root, polls > waits) {
        (true, false) => None,
        (true, true) => Some(if is_hung() { Departure::Whole } else { Departure::Lost }),
        (false, is_late) => {
            if is_hung() {
                Some(Departure::Whole)
            } else {
                is_late.then_some(Departure::Lost)
            }
        }
    }
}

/// Whether a rank leaves by itself, this many polls after its peers fell silent.
fn leaves(polls: u32, is_root_saving: impl FnOnce() -> bool) -> bool {
    polls > POLLS_FOR_THE_ROOT && (polls > POLLS_WHILE_SAVING || !is_root_saving())
}

impl Alarm for Guard {
    fn expired(&mut self, _overdue: Overdue) {
        self.run.sign(self.rank);
        self.polls_since_silence = Some(0);
    }

    fn unheard(&mut self, why: &str) {
        let note = FaultNote { rank: self.rank, why: why.to_owned() };
        print::message_from_any_rank(&format!("paw: {note}"));
        self.run.write(&note);
    }

    fn relieved(&mut self) {
        self.run.unsign(self.rank);
        self.polls_since_silence = None;
    }

    fn asked(&mut self) {
        self.report_leavers();
        if let Some(polls) = &mut self.polls_since_silence {
            *polls += 1;
            let polls = *polls;
            let parting = self.emergency.parting();
            match self.rank {
                _ if parting.is_some() => parting.into_iter().for_each(|(code, ranks)| self.part(polls, code, ranks)),
                0 if polls > POLLS_FOR_SIGNS => self.happen(Reason::Silence),
                0 => {}
                _ if leaves(polls, || self.run.is_saving()) => {
                    self.node.remove();
                    self.emergency.leave(Code::Failed);
                }
                _ => {}
            }
        }
        if self.rank == 0 && self.signals.code().is_some() {
            self.polls_since_signal += 1;
            if self.polls_since_signal == POLLS_AFTER_SIGNAL {
                self.happen(Reason::Signal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_leave_a_second_after_the_others_unless_rank_0_saves() {
        let first = |is_saving: bool| (0..).find(|polls| leaves(*polls, || is_saving)).unwrap();
        assert_eq!(first(false), 13);
        assert_eq!(first(true), 101);
    }

    #[test]
    fn ranks_that_are_all_alive_in_the_library_leave_with_the_jobs_code() {
        let first =
            |is_root, is_hung| (0..).find_map(|polls| Some((polls, departure(polls, is_root, || is_hung)?))).unwrap();
        assert_eq!(first(true, true), (21, Departure::Whole));
        assert_eq!(first(false, true), (0, Departure::Whole), "rank 0 has left");
        assert_eq!(first(true, false), (21, Departure::Lost), "rank 0 ends the job, which ends the rank that is lost");
        assert_eq!(first(false, false), (41, Departure::Lost), "unless rank 0 itself is lost");
    }
}
