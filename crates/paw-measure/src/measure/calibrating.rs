//! Finds the loops of the cells of a group, those of cells alike once; cells alike are left out where the group's time has no room for all.

use std::ops::Range;

use paw_data::method::LoopRule;
use paw_data::run::Instrument;
use paw_data::sample::{Phase, Sample};

use super::{Group, ROUNDS_MIN, SampleSlot};
use crate::fault::Fault;
use crate::likeness::left_out;
use crate::loops::{self, Calibrated, Probe, floor};
use crate::watch::Event;

/// The part of a group's time that the calibrations of all its cells may take together.
const CALIBRATING: f64 = 0.3;

impl Group<'_, '_> {
    /// Finds the loops at the current point; its regions warm the cell up, and more follow where the method wants more.
    pub(super) fn calibrate(&mut self, i: usize, mut instrument: Instrument) -> Result<(), Fault> {
        let team = self.session.team();
        instrument.resolution_s = team.roots_s(instrument.resolution_s)?;
        instrument.overhead_s = team.roots_s(instrument.overhead_s)?;
        let cell = &self.cells[i].cell;
        // PAW has no test of a chain of a million steps.
        let share = cell.dat.as_ref().map_or(1.0, |_| cell.share_of_iteration());
        let rule = loops::paw::of_share(self.cells[i].method.loops.clone(), share);
        let ladder = self.cells[i].ladder;
        let slot = SampleSlot { cell: i, round: 0, position: i };
        let found = match self.loops_of_likes(slot, &rule, &instrument)? {
            Some(found) => found,
            None => {
                let (late_s, turn_max_s) = (self.session.at_s() + self.calibration_s(), self.turn_max_s());
                let mut region = |loops| {
                    let sample = self.take(slot, Phase::Warmup, loops)?;
                    let is_late = sample.loops < loops || sample.at_s > late_s || self.series[i].turn_s > turn_max_s;
                    Ok(Probe { elapsed_s: seconds_of(loops, &sample), disturbed: sample.disturbed, is_late })
                };
                loops::calibrate(&rule, &instrument, ladder, &mut region)?
            }
        };
        self.series[i].loops = found.loops;
        self.series[i].caveats = found.caveats;
        while self.series[i].warmups < self.cells[i].method.warmup {
            self.take(slot, Phase::Warmup, found.loops)?;
        }
        Ok(())
    }

    /// A cell that was calibrated before and is like this one.
    fn like(&self, i: usize) -> Option<usize> {
        let likeness = self.cells[i].likeness.as_ref()?;
        let is_like = |other: &usize| self.cells[*other].likeness.as_ref() == Some(likeness);
        (0..i).filter(|other| self.series[*other].is_alive() && self.series[*other].loops > 0).find(is_like)
    }

    /// Seconds for the calibration of a cell, of as many as the group has kinds.
    fn calibration_s(&self) -> f64 {
        CALIBRATING * self.budget_s / self.kinds(0..self.cells.len()).max(1) as f64
    }

    /// Seconds that a sample may take, with what surrounds its region, so that the fewest rounds of all cells fit what calibrations leave
    /// of the group's time, with as much again for the checks.
    fn turn_max_s(&self) -> f64 {
        (1.0 - CALIBRATING) / 2.0 * self.budget_s / f64::from(ROUNDS_MIN) / self.cells.len().max(1) as f64
    }

    /// Whether the least rounds of all cells so far still fit the budget with this one, which is like one of them, and with the first of
    /// each kind to come, taken to cost as much. Another one that has likes elsewhere has room while there is time at all, and a cell
    /// without any always.
    pub(super) fn has_room(&self, i: usize) -> bool {
        let Some(like) = self.like(i) else {
            let is_spare = self.cells[i].likeness.is_some() && (0..i).any(|other| self.series[other].is_alive());
            return !is_spare || self.session.at_s() - self.began_s <= self.budget_s;
        };
        let alive = (0..i).filter(|other| self.series[*other].is_alive());
        let (turn_s, more) = (self.series[like].turn_s, 1 + self.kinds(i..self.cells.len()));
        let round_s: f64 = alive.map(|other| self.series[other].turn_s).sum::<f64>() + more as f64 * turn_s;
        // One more turn warms each up.
        let needed_s = f64::from(ROUNDS_MIN) * round_s + more as f64 * turn_s;
        self.session.at_s() - self.began_s + needed_s <= self.budget_s
    }

    /// How many of these cells are the first of their kind in the group.
    fn kinds(&self, cells: Range<usize>) -> usize {
        let is_first = |i: &usize| {
            let likeness = self.cells[*i].likeness.as_ref();
            likeness.is_none() || !(0..*i).any(|other| self.cells[other].likeness.as_ref() == likeness)
        };
        cells.filter(is_first).count()
    }

    /// Reports a cell that is left out as begun, and says why it is.
    pub(super) fn leave_out(&mut self, i: usize) -> Fault {
        let instrument = self.cells[i].workload.instrument();
        super::report(self.watch, &mut self.wish, Event::Begun { cell: &self.cells[i].cell, instrument: &instrument });
        left_out()
    }

    /// The loops of a like, if one region of them is as long here as the rule asks for; `None` where this cell has to find its own.
    fn loops_of_likes(
        &mut self,
        slot: SampleSlot,
        rule: &LoopRule,
        instrument: &Instrument,
    ) -> Result<Option<Calibrated>, Fault> {
        let (Some(like), LoopRule::Floor { overheads, floor_s }) = (self.like(slot.cell), rule) else {
            return Ok(None);
        };
        let (loops, caveats) = (self.series[like].loops, self.series[like].caveats.clone());
        let sample = self.take(slot, Phase::Warmup, loops)?;
        let is_long = seconds_of(loops, &sample) >= floor::target_s(*overheads, *floor_s, instrument);
        Ok(is_long.then_some(Calibrated { loops, caveats }))
    }
}

/// Seconds of a region of `loops` iterations at the pace of this one, which may have ended early.
fn seconds_of(loops: u64, sample: &Sample) -> f64 {
    if sample.loops == loops { sample.elapsed_s } else { sample.per_loop_s() * loops as f64 }
}
