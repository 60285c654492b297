//! Leads a group from one invocation to the next.

use paw_data::method::EndRule;
use paw_data::outcome::Check;
use paw_data::run::Instrument;
use paw_data::sample::Phase;

use super::deciding::LOOKS;
use super::{Group, SampleSlot};
use crate::ending::{EVERY, Stage, estimate, variances};
use crate::fault::Fault;
use crate::invocations::{Costs, ROUNDS_MIN, Source, Spread};
use crate::workload::{Reading, Workload};

/// The invocations of a group so far, and those to come.
#[derive(Debug)]
pub(super) struct Pace {
    /// Invocations that the user asks for.
    asked: Option<u32>,
    /// How samples are spread from here on; `None` while all are alike.
    spread: Option<Spread>,
    /// Whether no further invocation fits the budget.
    is_last: bool,
    /// Number of the invocation.
    invocation: u32,
    /// Rounds of it.
    rounds: u32,
    /// Rounds of all, and the seconds they took.
    all: (u32, f64),
    start_s: f64,
}

impl Pace {
    pub(super) fn new(asked: Option<u32>, start_s: f64) -> Self {
        let (invocation, rounds, all) = (0, 0, (0, 0.0));
        Self { asked, spread: None, is_last: false, invocation, rounds, all, start_s }
    }

    /// Whether samples are spread over several processes.
    pub(super) fn is_spread(&self) -> bool {
        self.spread.is_some()
    }

    /// Whether samples were to come from a further process that does not fit the budget.
    pub(super) fn has_no_room(&self) -> bool {
        self.is_last
    }

    /// Invocations begun.
    pub(super) fn invocations(&self) -> u32 {
        self.invocation + 1
    }

    /// Rounds of this invocation.
    pub(super) fn rounds(&self) -> u32 {
        self.rounds
    }

    fn round_s(&self) -> f64 {
        self.all.1 / f64::from(self.all.0)
    }
}

/// A workload whose process has ended, until the next one has started.
struct Ended(Instrument);

impl Ended {
    fn fault<T>() -> Result<T, Fault> {
        Err(Fault::Broken("the process of this cell has ended".to_owned()))
    }
}

impl Workload for Ended {
    fn resume(&mut self) -> Result<(), Fault> {
        Self::fault()
    }

    fn sample(&mut self, _loops: u64) -> Result<Option<Reading>, Fault> {
        Self::fault()
    }

    fn pause(&mut self) {}

    fn renew(&mut self) -> Result<(), Fault> {
        Self::fault()
    }

    fn instrument(&self) -> Instrument {
        self.0.clone()
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        Self::fault()
    }
}

impl Group<'_, '_> {
    /// Decides from the rules of the cells how samples are spread over invocations.
    pub(super) fn plan_invocations(&mut self) {
        if !matches!(self.source, Source::Processes(_)) {
            return;
        }
        let asked = self.pace.asked;
        // A load that lasts is not taken up again by another process.
        let waited = (0..self.cells.len()).filter(|i| self.waits_for(*i) && self.cells[*i].lasting_s.is_none());
        let spreads = waited.filter_map(|i| {
            let region_s = self.series[i].fastest_s.unwrap_or(0.0) * self.series[i].loops as f64;
            Spread::of(&self.cells[i].method, asked, region_s)
        });
        let most = self.until.and_then(|_| LOOKS.last().copied());
        let spread = spreads.reduce(Spread::joined);
        self.pace.spread = spread.map(|spread| Spread { most: most.unwrap_or(spread.most), ..spread });
    }

    /// Number of the invocation that a sample belongs to.
    pub(super) fn invocation_of(&self, round: u32, phase: Phase) -> u32 {
        match (&self.source, phase) {
            (Source::EachSample, Phase::Measure) => round,
            _ => self.pace.invocation,
        }
    }

    /// Counts a round that took `round_s` seconds. After the first ones the budget shows how many invocations have room.
    pub(super) fn count_round(&mut self, round_s: f64) {
        let pace = &mut self.pace;
        pace.rounds += 1;
        pace.all = (pace.all.0 + 1, pace.all.1 + round_s);
        if pace.invocation == 0 && pace.rounds == ROUNDS_MIN {
            let (spread, costs) = (self.pace.spread, self.costs());
            self.pace.spread = spread.and_then(|spread| spread.fitted(ROUNDS_MIN, &costs));
        }
    }

    fn costs(&self) -> Costs {
        let round_s = self.pace.round_s();
        let left_s = self.budget_s - (self.session.at_s() - self.began_s);
        // Every cell is warmed up by a sample.
        Costs { start_s: self.pace.start_s + round_s, round_s, left_s }
    }

    /// Whether the invocation has its rounds: as many undisturbed ones of each awaited cell, or twice as many in all.
    pub(super) fn is_invocation_over(&self) -> bool {
        let Pace { is_last, rounds, invocation, .. } = self.pace;
        let Some(spread) = self.pace.spread.filter(|_| !is_last) else { return false };
        let is_served = |i: usize| {
            !self.waits_for(i)
                || self.series[i].ending.is_some()
                || self.series[i].clean_in(invocation) >= spread.rounds as usize
        };
        rounds >= spread.rounds && (rounds >= 2 * spread.rounds || (0..self.cells.len()).all(is_served))
    }

    /// How far the invocations are, as the rules look at them.
    pub(super) fn stage(&self) -> Stage {
        let Some(spread) = self.pace.spread else { return Stage::Alike };
        let is_due = self.pace.is_last && (self.pace.rounds as usize).is_multiple_of(EVERY);
        if is_due || self.is_invocation_over() { Stage::Between(spread) } else { Stage::Within(spread) }
    }

    /// Closes all cells and starts them again in fresh processes; where that does not fit the budget, the processes stay.
    pub(super) fn next_invocation(&mut self, round: u32) {
        let costs = self.costs();
        let invocations = self.pace.invocation + 1;
        if !costs.have_room() {
            self.pace.is_last = true;
            let stay = |spread: Spread| (invocations > 1).then_some(Spread { least: invocations, ..spread });
            self.pace.spread = self.pace.spread.and_then(stay);
            self.note_needs();
            return;
        }
        self.replan(&costs);
        let began_s = self.session.at_s();
        self.end_processes();
        self.pace.invocation = invocations;
        self.pace.rounds = 0;
        for i in 0..self.cells.len() {
            if self.outcomes[i].is_some() {
                continue;
            }
            if let Err(fault) = self.start_again(i, round) {
                self.give_up(i, fault);
            }
            self.pause_unless_alone(i);
        }
        self.pace.start_s = self.session.at_s() - began_s;
    }

    /// Rounds of the next invocation, by the widest interval that is waited for.
    fn replan(&mut self, costs: &Costs) {
        let Some(spread) = self.pace.spread.filter(|spread| self.pace.invocation + 1 >= spread.least) else { return };
        let found = (0..self.cells.len()).filter(|i| self.waits_for(*i) && self.series[*i].ending.is_none());
        let found = found.filter_map(|i| match self.cells[i].method.ending {
            EndRule::Interval { within, .. } => {
                let (clean, of) = (&self.series[i].clean, &self.series[i].clean_of);
                Some((estimate(clean, of)?.half_width()?, variances(clean, of)?, within))
            }
            EndRule::Fixed { .. } | EndRule::KBest { .. } => None,
        });
        if let Some((_, variances, within)) = found.max_by(|a, b| a.0.total_cmp(&b.0)) {
            self.pace.spread = Some(spread.replanned(variances, within, costs));
        }
    }

    /// Checks the answers of all cells, and ends their processes.
    fn end_processes(&mut self) {
        for i in 0..self.cells.len() {
            self.leave_process(i);
            self.pause(i);
            let instrument = self.cells[i].workload.instrument();
            self.cells[i].workload = Box::new(Ended(instrument));
        }
        if let Source::Processes(again) = &mut self.source {
            again.end();
        }
    }

    /// Checks the answer of a cell and keeps the caveats of its process; a cell that is not timed any more is closed.
    fn leave_process(&mut self, i: usize) {
        if self.outcomes[i].is_some() {
            return;
        }
        if !self.is_timed(i) {
            return self.close(i);
        }
        if let Err(fault) = self.check_process(i) {
            return self.give_up(i, fault);
        }
        self.series[i].warn(self.cells[i].workload.caveats());
    }

    /// Starts a cell in a fresh process and warms it up at its loops.
    fn start_again(&mut self, i: usize, round: u32) -> Result<(), Fault> {
        self.permission()?;
        let Source::Processes(again) = &mut self.source else { return Ok(()) };
        let invocation = self.pace.invocation + 1;
        let broken = |fault| match fault {
            Fault::Missing(why) | Fault::Broken(why) => {
                Fault::Broken(format!("{why} (when process {invocation} was started)"))
            }
            other => other,
        };
        self.cells[i].workload = again.start(i).map_err(broken)?;
        self.resume(i).map_err(broken)?;
        for _ in 0..self.cells[i].method.warmup.max(1) {
            self.take(SampleSlot { cell: i, round, position: i }, Phase::Warmup, self.series[i].loops)?;
        }
        Ok(())
    }
}
