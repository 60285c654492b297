//! The end of a job whose ranks no longer answer: what was measured is saved and shown by a thread that does not wait for them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use paw_measure::watchdog::{Alarm, Overdue};

use crate::exit::Code;
use crate::print;
use crate::rendezvous::{FaultNote, RendezvousDirectory};
use crate::signals::Signals;

/// Looks between a signal and the end without the other thread: launchers kill a second after they have asked (Open MPI 4 and 5),
/// and there are ten looks a second.
const LOOKS_AFTER_SIGNAL: u32 = 4;

/// Looks that a rank leaves rank 0 to notice too that peers do not answer: it has waited about as long.
const LOOKS_FOR_THE_ROOT: u32 = 10;

/// Looks that a rank leaves rank 0 where it is seen to save and show: a launcher that sees one rank end stops all others.
const LOOKS_WHILE_SAVING: u32 = 100;

/// Looks until a rank that has left is said to have left alone: what it lacked, the first rank of its node may find lacking a moment later.
const LOOKS_BEFORE_ALONE: u32 = 10;

/// Why a job ends without its ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A rank was waited for too long.
    Silence,
    /// A signal came while a library did not return.
    Signal,
}

/// What is to be done, given the reason; the code is what the process exits with.
type Act = Box<dyn FnMut(Reason) -> Code + Send>;

/// How far the job is, as an emergency sees it.
#[derive(Default)]
enum Stage {
    /// Nothing is measured yet.
    #[default]
    Joining,
    /// What is measured is still to be saved.
    Measuring(Act),
    /// The other thread saves and shows, or has done so.
    Saving,
}

/// What is to be done in an emergency, as long as there is something to do.
#[derive(Clone, Default)]
pub struct Emergency {
    stage: Arc<Mutex<Stage>>,
}

impl Emergency {
    /// Says what is to be done from now on.
    pub fn prepare(&self, act: impl FnMut(Reason) -> Code + Send + 'static) {
        *self.stage() = Stage::Measuring(Box::new(act));
    }

    /// Nothing is to be done any more: the other thread saves and shows. Where an emergency is under way, it is waited for, and ends the process.
    pub fn stand_down(&self) {
        *self.stage() = Stage::Saving;
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A rank has left before MPI began, so that it never does; later there is none to leave.
    fn lack_a_rank(&self) {
        if matches!(*self.stage(), Stage::Joining) {
            print::message("paw: a rank has left before MPI began; nothing was measured");
            signal_hook::low_level::exit(Code::Missing as i32);
        }
    }

    fn happen(&self, reason: Reason) {
        let mut stage = self.stage();
        let code = match (&mut *stage, reason) {
            (Stage::Measuring(act), reason) => act(reason),
            (Stage::Joining | Stage::Saving, Reason::Signal) => return,
            (Stage::Joining, Reason::Silence) => {
                print::message(
                    "paw: the ranks of this job do not answer each other; nothing was measured. hint: where no rank has said why, the library may not fit the launcher; --mpi-library names another",
                );
                Code::Failed
            }
            (Stage::Saving, Reason::Silence) => {
                print::message("paw: the ranks of this job did not end together; what was measured is saved");
                Code::Failed
            }
        };
        signal_hook::low_level::exit(code as i32);
    }
}

/// Hears of emergencies.
pub struct Guard {
    emergency: Emergency,
    rank: usize,
    run: RendezvousDirectory,
    node: RendezvousDirectory,
    left: Vec<FaultNote>,
    looks_since_left: u32,
    signals: Signals,
    looks_since_signal: u32,
    looks_since_silence: Option<u32>,
}

impl Guard {
    /// A guard of this rank, which leaves and finds notes in the directory `run`.
    pub fn new(emergency: Emergency, rank: usize, run: RendezvousDirectory, signals: Signals) -> Self {
        Self {
            emergency,
            rank,
            run,
            node: RendezvousDirectory::default(),
            left: Vec::new(),
            looks_since_left: 0,
            signals,
            looks_since_signal: 0,
            looks_since_silence: None,
        }
    }

    /// This guard reading who leaves in the directory of its node, until that is removed.
    pub fn watching(self, node: RendezvousDirectory) -> Self {
        Self { node, ..self }
    }

    /// Says who has left, unless this rank leaves too; without them nothing begins, so that rank 0 ends the job.
    fn hear_of_leaving(&mut self) {
        self.left.extend(self.node.take());
        if self.left.is_empty() {
            return;
        }
        self.looks_since_left += 1;
        if self.looks_since_left == LOOKS_BEFORE_ALONE {
            self.left.iter().for_each(|note| print::message_from_any_rank(&format!("paw: {note}")));
            if self.rank == 0 {
                self.node.remove();
                self.emergency.lack_a_rank();
            }
        }
    }

    /// Ends the job, and with it the rendezvous of the node.
    fn happen(&self, reason: Reason) {
        self.node.remove();
        self.emergency.happen(reason);
    }
}

/// Whether a rank leaves by itself, so many looks after its peers fell silent.
fn leaves(looks: u32, is_root_saving: impl FnOnce() -> bool) -> bool {
    looks > LOOKS_FOR_THE_ROOT && (looks > LOOKS_WHILE_SAVING || !is_root_saving())
}

impl Alarm for Guard {
    fn expired(&mut self, _overdue: Overdue) {
        match self.rank {
            0 => self.happen(Reason::Silence),
            _ => self.looks_since_silence = Some(0),
        }
    }

    fn unheard(&mut self, why: &str) {
        let note = FaultNote { rank: self.rank, why: why.to_owned() };
        print::message_from_any_rank(&format!("paw: {note}"));
        self.run.write(&note);
    }

    fn relieved(&mut self) {
        self.looks_since_silence = None;
    }

    fn asked(&mut self) {
        self.hear_of_leaving();
        if let Some(looks) = &mut self.looks_since_silence {
            *looks += 1;
            if leaves(*looks, || self.run.is_saving()) {
                self.node.remove();
                signal_hook::low_level::exit(Code::Failed as i32);
            }
        }
        if self.rank == 0 && self.signals.code().is_some() {
            self.looks_since_signal += 1;
            if self.looks_since_signal == LOOKS_AFTER_SIGNAL {
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
        let first = |is_saving: bool| (0..).find(|looks| leaves(*looks, || is_saving)).unwrap();
        assert_eq!(first(false), 11);
        assert_eq!(first(true), 101);
    }
}
