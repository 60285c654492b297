//! Measures a group of cells, interleaved in rounds.

use paw_data::method::{Memory, Plan, Until};
use paw_data::outcome::{Ending, Outcome};
use paw_data::sample::{Phase, Sample};

use crate::ending::{ending, is_timed_on};
use crate::fault::{Fault, NOT_TRIED};
use crate::invocations::Source;
use crate::measure::pace::Pace;
use crate::prepared_cell::PreparedCell;
use crate::rounds::Rounds;
use crate::series::Series;
use crate::session::Session;
use crate::team::Decision;
use crate::verdict;
use crate::watch::{Control, Event, Watch};
use crate::workload::Reading;

mod calibrating;
mod checking;
mod compared;
mod deciding;
mod pace;
mod sharing;

pub use compared::rounds_needed;
pub use deciding::LOOKS_OF_ONE;

/// Rounds taken before a budget may end a group: a median and a spread need three samples.
const ROUNDS_MIN: u32 = 3;

/// Measures a group of cells. Each is started, warmed up and calibrated alone; then rounds time every cell once,
/// in an order that `plan.seed` decides, until every subject has its ending. Only the cell that is timed runs:
/// the others are paused. A cell alone is never paused.
///
/// `plan.budget_s` is this group's share of the run's time; `plan.method` is not looked at, each cell has its own.
/// Outcomes come in the order of the cells, and each cell's `ladder` is the state for the next step of its ladder.
pub fn measure(cells: &mut [PreparedCell], plan: &Plan, session: &Session<'_>, watch: &mut dyn Watch) -> Vec<Outcome> {
    over_invocations(cells, plan, session, watch, Invocations { source: Source::One, start_s: 0.0, together: 1 })
}

/// The processes that a group's samples come from.
pub struct Invocations<'r> {
    /// How the next invocation is started.
    pub source: Source<'r>,
    /// Seconds that starting all cells took.
    pub start_s: f64,
    /// Comparisons of the whole campaign that are to hold at once, where they are more than those of one task.
    pub together: usize,
}

/// As [`measure`], with samples from several invocations: after some rounds all cells are closed and started again in fresh processes.
/// Rounds go on counting, loops stay, and each cell is warmed up by a probe.
pub fn over_invocations(
    cells: &mut [PreparedCell],
    plan: &Plan,
    session: &Session<'_>,
    watch: &mut dyn Watch,
    invocations: Invocations<'_>,
) -> Vec<Outcome> {
    let mut group = Group::new(cells, plan, session, watch, invocations);
    group.prepare();
    group.share_loops();
    group.rounds(plan.seed);
    group.finish()
}

/// A group while it is measured.
struct Group<'g, 'r> {
    cells: &'g mut [PreparedCell],
    series: Vec<Series>,
    outcomes: Vec<Option<Outcome>>,
    session: &'g Session<'g>,
    watch: &'g mut dyn Watch,
    began_s: f64,
    budget_s: f64,
    source: Source<'r>,
    pace: Pace,
    /// Comparisons of the whole campaign that are to hold at once.
    together: usize,
    /// The rule that ends compared cells in place of their own rules.
    until: Option<Until>,
    /// The cell that runs now; all others are paused.
    running: Option<usize>,
    /// Why this process asks to stop; rank 0's request stops the team.
    wish: Option<Ending>,
    /// Why the team has stopped.
    halt: Option<Ending>,
}

/// Where in a group a sample is taken.
#[derive(Debug, Clone, Copy)]
struct SampleSlot {
    cell: usize,
    round: u32,
    position: usize,
}

impl<'g, 'r> Group<'g, 'r> {
    fn new(
        cells: &'g mut [PreparedCell],
        plan: &Plan,
        session: &'g Session<'g>,
        watch: &'g mut dyn Watch,
        invocations: Invocations<'r>,
    ) -> Self {
        Self {
            source: invocations.source,
            together: invocations.together,
            until: plan.until,
            pace: Pace::new(plan.invocations, invocations.start_s),
            series: cells.iter().map(|_| Series::default()).collect(),
            outcomes: cells.iter().map(|_| None).collect(),
            cells,
            session,
            watch,
            began_s: session.at_s(),
            budget_s: plan.budget_s.unwrap_or(f64::INFINITY),
            running: None,
            wish: None,
            halt: None,
        }
    }

    /// Starts, warms up and calibrates every cell.
    fn prepare(&mut self) {
        for i in 0..self.cells.len() {
            let begun = if self.has_room(i) { self.begin(i) } else { Err(self.leave_out(i)) };
            if let Err(fault) = begun {
                self.give_up(i, fault);
            }
            self.pause_unless_alone(i);
        }
    }

    /// Starts one cell and reports it, whether or not it could be started.
    fn begin(&mut self, i: usize) -> Result<(), Fault> {
        let started = if self.halt.is_none() { self.resume(i) } else { Err(Fault::Interrupted) };
        let cell = &mut self.cells[i];
        if started.is_ok() {
            cell.workload.describe(&mut cell.cell);
        }
        let instrument = cell.workload.instrument();
        cell.cell.instrument = instrument.id;
        report(self.watch, &mut self.wish, Event::Begun { cell: &self.cells[i].cell, instrument: &instrument });
        started?;
        self.calibrate(i, instrument)
    }

    /// Times every cell once a round, in one invocation after the other, until no subject needs more or the team stops.
    fn rounds(&mut self, seed: u64) {
        self.plan_invocations();
        for (round, order) in (0..).zip(Rounds::new(seed, self.cells.len())) {
            if !self.is_awaited() || self.permission().is_err() {
                break;
            }
            if self.is_invocation_over() {
                self.next_invocation(round);
                if !self.is_awaited() || self.halt.is_some() {
                    break;
                }
            }
            let began_s = self.session.at_s();
            self.round(round, &order);
            report(self.watch, &mut self.wish, Event::RoundEnded { round });
            let ended_s = self.session.at_s();
            self.count_round(ended_s - began_s);
            self.note_endings();
            self.spend(round, began_s, ended_s);
        }
    }

    fn round(&mut self, round: u32, order: &[usize]) {
        let timed: Vec<usize> = order.iter().copied().filter(|i| self.is_timed(*i)).collect();
        for (position, i) in timed.into_iter().enumerate() {
            if self.halt.is_some() {
                return;
            }
            if let Err(fault) = self.turn(SampleSlot { cell: i, round, position }) {
                self.give_up(i, fault);
            }
            self.pause_unless_alone(i);
        }
    }

    /// Whether the cell takes part in the next round: a series that has its number is left as it is.
    fn is_timed(&self, i: usize) -> bool {
        let series = &self.series[i];
        series.is_alive() && (series.ending.is_none() || is_timed_on(&self.cells[i].method.ending))
    }

    /// Takes one sample that counts.
    fn turn(&mut self, slot: SampleSlot) -> Result<(), Fault> {
        let i = slot.cell;
        self.resume(i)?;
        if self.cells[i].method.memory == Memory::Fresh {
            let renewed = self.cells[i].workload.renew();
            self.session.team().agree(renewed)?;
            for _ in 0..self.cells[i].method.warmup {
                self.take(slot, Phase::Warmup, 1)?;
            }
        }
        let sample = self.take(slot, Phase::Measure, self.series[i].loops)?;
        self.series[i].push(sample, &self.cells[i].drive);
        Ok(())
    }

    /// Times one region of `asked` iterations and reports it; the sample says how many there were.
    fn take(&mut self, slot: SampleSlot, phase: Phase, asked: u64) -> Result<Sample, Fault> {
        self.permission()?;
        let invocation = self.invocation_of(slot.round, phase);
        let number = self.series[slot.cell].number_of_next(phase);
        let began_s = self.session.at_s();
        let cell = &mut self.cells[slot.cell];
        let mine = cell.workload.sample(asked).map_err(|fault| fault.of_sample(&number));
        let reading = self.session.team().combine(mine, cell.cell.combine)?;
        let loops = reading.loops(asked);
        if !(reading.elapsed_s.is_finite() && reading.elapsed_s >= 0.0) {
            return Err(Fault::Broken(format!(
                "a region of {loops} iterations read {} s: the clock is broken",
                reading.elapsed_s
            )));
        }
        cell.workload.learn(loops, &reading);
        let unwatched = reading.disturbance.sight == crate::disturbance::Sight::Unknown;
        // A region ends early where ranks wait for their processors.
        let disturbed =
            loops < asked || reading.judged(self.session.team().size()).exceeds(reading.elapsed_s, cell.placement);
        let at_s = self.session.at_s();
        let sample = sample(slot, loops, reading, disturbed, (invocation, at_s));
        let series = &mut self.series[slot.cell];
        series.unwatched += usize::from(unwatched);
        series.warmups += u32::from(phase == Phase::Warmup);
        series.turn_s = at_s - began_s;
        let per_loop_s = sample.per_loop_s();
        series.fastest_s = Some(series.fastest_s.map_or(per_loop_s, |fastest_s: f64| fastest_s.min(per_loop_s)));
        report(self.watch, &mut self.wish, Event::Sampled { cell: cell.cell.id, phase, sample: &sample });
        Ok(sample)
    }

    /// Whether the group waits for a cell: for its subjects, or for all cells where it has none.
    fn waits_for(&self, i: usize) -> bool {
        let has_subjects = self.cells.iter().any(PreparedCell::is_subject);
        (self.cells[i].is_subject() || !has_subjects) && self.series[i].is_alive()
    }

    /// Whether any cell that the group waits for still goes on.
    fn is_awaited(&self) -> bool {
        (0..self.cells.len()).any(|i| self.waits_for(i) && self.series[i].ending.is_none())
    }

    fn note_endings(&mut self) {
        if self.until.is_some() {
            self.note_decisions();
        }
        let stage = self.stage();
        if self.pace.rounds() <= crate::invocations::ROUNDS_MIN {
            self.note_needs();
        }
        let owing = self.owing_rounds();
        let goes_on: Vec<bool> = (0..self.cells.len()).map(|i| self.is_compared(i) || owing.contains(&i)).collect();
        for ((cell, series), goes_on) in self.cells.iter().zip(&mut self.series).zip(goes_on) {
            if series.is_alive() && series.ending.is_none() && !goes_on {
                let rule = cell.method.ending.with_least(series.needed as u32);
                series.ending = match cell.lasting_s {
                    Some(lasting_s) => (series.lasted_s() >= lasting_s).then_some(Ending::Complete),
                    None => ending(&rule, &series.progress(stage)),
                };
            }
        }
    }

    /// Stops the group before a round that would exceed the budget, after at least three rounds, or after one round as
    /// long as the budget.
    fn spend(&mut self, round: u32, began_s: f64, ended_s: f64) {
        let round_s = ended_s - began_s;
        let spent = ended_s - self.began_s + round_s > self.budget_s;
        if spent && (round + 1 >= ROUNDS_MIN || round_s > self.budget_s) {
            self.wish = self.wish.or(Some(Ending::Budget));
        }
    }

    /// Checks every answer and says how every cell ended.
    fn finish(mut self) -> Vec<Outcome> {
        for i in 0..self.cells.len() {
            self.close(i);
        }
        self.outcomes.into_iter().flatten().collect()
    }

    fn close(&mut self, i: usize) {
        if self.outcomes[i].is_some() {
            return;
        }
        let series = &mut self.series[i];
        if !self.session.team().is_in_step() && series.fault.is_none() && series.samples.is_empty() {
            series.fault = Some(Fault::Missing(NOT_TRIED.to_owned()));
        }
        let interrupted = self.halt == Some(Ending::Interrupted);
        let checkable = self.series[i].is_alive() && !self.series[i].samples.is_empty() && !interrupted;
        let check = checkable.then(|| self.check(i));
        if self.series[i].is_alive() && !self.series[i].samples.is_empty() {
            self.series[i].warn(self.cells[i].workload.caveats());
        }
        self.pause(i);
        self.cells[i].ladder = self.series[i].ladder().or(self.cells[i].ladder);
        let outcome = verdict::outcome(&self.cells[i], &self.series[i], self.halt, check);
        report(self.watch, &mut self.wish, Event::Ended { outcome: &outcome });
        self.outcomes[i] = Some(outcome);
    }

    /// Ends one cell at a fault; an interruption ends all cells, and so does a fault that leaves the ranks of a team out of step.
    fn give_up(&mut self, i: usize, fault: Fault) {
        if !self.session.team().is_in_step() || fault == Fault::Interrupted {
            self.halt = self.halt.or(Some(Ending::Interrupted));
        }
        if fault != Fault::Interrupted {
            self.series[i].fault = Some(fault);
            self.close(i);
        }
    }

    /// An error once the root has stopped the team; it stays stopped.
    fn permission(&mut self) -> Result<(), Fault> {
        if self.halt.is_some() {
            return Err(Fault::Interrupted);
        }
        let root = self.wish.map_or(Decision::Go, Decision::Stop);
        if let Decision::Stop(ending) = self.session.team().decide(root)? {
            self.halt = Some(ending);
            return Err(Fault::Interrupted);
        }
        Ok(())
    }

    fn resume(&mut self, i: usize) -> Result<(), Fault> {
        if self.running == Some(i) {
            return Ok(());
        }
        self.running = Some(i);
        let resumed = self.cells[i].workload.resume();
        self.session.team().agree(resumed)
    }

    fn pause(&mut self, i: usize) {
        if self.running == Some(i) {
            self.cells[i].workload.pause();
            self.running = None;
        }
    }

    fn pause_unless_alone(&mut self, i: usize) {
        if self.series.iter().filter(|series| series.is_alive()).count() > 1 {
            self.pause(i);
        }
    }
}

/// Reports an event; a request to stop is kept until the team's next decision.
fn report(watch: &mut dyn Watch, wish: &mut Option<Ending>, event: Event<'_>) {
    if watch.on(event) == Control::Stop {
        *wish = Some(Ending::Interrupted);
    }
}

fn sample(slot: SampleSlot, loops: u64, reading: Reading, disturbed: bool, (invocation, at_s): (u32, f64)) -> Sample {
    Sample {
        round: slot.round,
        position: slot.position as u32,
        invocation,
        at_s,
        loops,
        elapsed_s: reading.elapsed_s,
        run_delay_s: reading.disturbance.run_delay_s,
        switches: reading.disturbance.switches,
        migrations: reading.disturbance.migrations,
        disturbed,
        ops_s: reading.ops_s,
        extra: reading.extra.into_iter().collect(),
    }
}
