//! Gives the compared cells of a group one loop count.

use paw_data::sample::Phase;

use super::{Group, SampleSlot};
use crate::fault::Fault;
use crate::shared_loops::{self, OwnLoops, SharedLoops};

/// A step towards shared loops is tenfold at most.
const CLIMB: u64 = 10;

impl Group<'_, '_> {
    /// Gives the cells that are compared with each other one loop count.
    pub(super) fn share_loops(&mut self) {
        let mut sets = Vec::new();
        for (i, cell) in self.cells.iter().enumerate().filter(|(i, _)| self.series[*i].is_alive()) {
            let Some(key) = shared_loops::set(cell) else { continue };
            let own = OwnLoops { loops: self.series[i].loops, per_loop_s: self.series[i].fastest_s.unwrap_or(0.0) };
            match sets.iter_mut().find(|(known, _)| *known == key) {
                Some((_, members)) => members,
                None => &mut sets.push_mut((key, Vec::new())).1,
            }
            .push((i, own));
        }
        let sets: Vec<Vec<(usize, OwnLoops)>> = sets.into_iter().map(|(_, members)| members).collect();
        for members in sets {
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
            if self.take(slot, Phase::Warmup, loops)?.elapsed_s > shared.region_max_s {
                break;
            }
            self.series[i].loops = loops;
        }
        Ok(())
    }
}
