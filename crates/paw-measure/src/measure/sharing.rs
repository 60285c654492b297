//! The cells of a group that are compared with each other, and the loop count they share.

use paw_data::method::LoopRule;
use paw_data::sample::Phase;

use super::{Group, SampleSlot};
use crate::fault::Fault;
use crate::shared_loops::{self, OwnLoops, SharedLoops};

/// A step towards shared loops is tenfold at most.
const CLIMB: u64 = 10;

impl Group<'_, '_> {
    /// The cells of each task that still go on, by their places.
    pub(super) fn tasks(&self) -> Vec<Vec<usize>> {
        let mut tasks = Vec::new();
        for (i, cell) in self.cells.iter().enumerate().filter(|(i, _)| self.series[*i].is_alive()) {
            let Some(task) = shared_loops::task(&cell.cell) else { continue };
            match tasks.iter_mut().find(|(known, _)| *known == task) {
                Some((_, members)) => members,
                None => &mut tasks.push_mut((task, Vec::new())).1,
            }
            .push(i);
        }
        tasks.into_iter().map(|(_, members)| members).collect()
    }

    /// Gives the cells of a task one loop count, where the floor chooses their loops.
    pub(super) fn share_loops(&mut self) {
        for members in self.tasks() {
            let chosen = members.into_iter().filter(|i| matches!(self.cells[*i].method.loops, LoopRule::Floor { .. }));
            let own = chosen.map(|i| {
                let per_loop_s = self.series[i].fastest_s.unwrap_or(0.0);
                (i, OwnLoops { loops: self.series[i].loops, per_loop_s })
            });
            let members: Vec<(usize, OwnLoops)> = own.collect();
            let own: Vec<OwnLoops> = members.iter().map(|(_, own)| *own).collect();
            let Some(shared) = SharedLoops::of(&own) else { continue };
            for (i, own) in members {
                self.series[i].loops = shared.of_cell(&own);
                if self.series[i].loops < shared.loops && self.series[i].is_unverified() {
                    let climbed = self.climb(i, shared);
                    climbed.unwrap_or_else(|fault| self.give_up(i, fault));
                    self.pause_unless_alone(i);
                }
            }
        }
    }

    /// Raises the loops of a cell step by step to the shared count, as long as regions are short: its own calibration saw disturbed
    /// regions alone, which say how long an iteration lasts at most.
    fn climb(&mut self, i: usize, shared: SharedLoops) -> Result<(), Fault> {
        self.resume(i)?;
        while self.series[i].loops < shared.loops {
            let loops = shared.loops.min(self.series[i].loops.saturating_mul(CLIMB));
            let slot = SampleSlot { cell: i, round: 0, position: i };
            let sample = self.take(slot, Phase::Warmup, loops)?;
            if sample.loops < loops || sample.elapsed_s > shared.region_max_s {
                break;
            }
            self.series[i].loops = loops;
        }
        Ok(())
    }
}
