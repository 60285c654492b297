//! Changes to the loops of a loaded library, as its job asks for them.

use paw_binary::ablation::{Destination, changed, counted};
use paw_binary::{CodeLoop, inner_loops};
use paw_measure::fault::Fault;

use crate::job::{CallJob, LoopChange};
use crate::load::library::Loaded;
use crate::load::patch::{DATA_BYTES, PatchRoom, write};

/// Where the counters begin in the data.
const COUNTERS: u64 = 1024;
/// The most blocks that are counted.
const BLOCKS_MAX: usize = (DATA_BYTES - COUNTERS as usize) / 8;

/// The changes that were made.
#[derive(Debug)]
pub(super) struct Changes {
    room: PatchRoom,
    counters: usize,
    /// What was changed, for the record.
    pub note: ChangeNote,
}

pub(super) use crate::job::ChangeNote;

impl Changes {
    /// Makes the change that `job` asks for in `library`; `None` if it asks for none.
    ///
    /// # Errors
    /// The loops cannot be found or changed.
    pub fn made(job: &CallJob, library: &Loaded) -> Result<Option<Self>, Fault> {
        let Some(change) = &job.change else { return Ok(None) };
        let loops = inner_loops(&job.library, &job.function).map_err(|error| Fault::Missing(error.to_string()))?;
        let function = library.function(&job.function)?;
        let home =
            paw_binary::address_of(&job.library, &job.function).map_err(|error| Fault::Missing(error.to_string()))?;
        let bias = (function.address() as u64).wrapping_sub(home);
        let mut made = Self { room: PatchRoom::near(function)?, counters: 0, note: ChangeNote::default() };
        match change {
            LoopChange::Count => made.count(&loops, bias)?,
            LoopChange::Ablate { address, ablation, cold } => {
                let own = loops.iter().find(|own| own.address == *address);
                let own = own.ok_or_else(|| Fault::Missing(format!("no loop begins at {address:#x}")))?;
                let change = changed(&own.without(cold), *ablation, made.destination(bias)).map_err(Fault::Missing)?;
                made.room.fill(&change.page);
                made.room.put(&change.code)?;
                write(change.at, &change.jump)?;
                made.note = ChangeNote { changed: change.changed, left: change.left };
            }
        }
        Ok(Some(made))
    }

    fn destination(&self, bias: u64) -> Destination {
        Destination { bias, code: self.room.next_code(), page: self.room.page() }
    }

    /// Gives every block of every loop a counter; those of loops that cannot be changed stay at zero.
    fn count(&mut self, loops: &[CodeLoop], bias: u64) -> Result<(), Fault> {
        for own in loops {
            let blocks = own.blocks().len();
            if self.counters + blocks > BLOCKS_MAX {
                break;
            }
            if let Ok(change) = counted(own, COUNTERS + 8 * self.counters as u64, self.destination(bias)) {
                self.room.put(&change.code)?;
                write(change.at, &change.jump)?;
            }
            self.counters += blocks;
        }
        Ok(())
    }

    /// The counters, loop after loop one for each block.
    pub fn counts(&self) -> Vec<u64> {
        (0..self.counters as u64).map(|number| self.room.word(COUNTERS + 8 * number)).collect()
    }
}
