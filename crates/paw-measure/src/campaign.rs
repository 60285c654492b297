//! Measures a campaign: starts the cells of each group in turn, and measures the group within its share of the budget.

use std::collections::{HashMap, VecDeque};

use paw_data::cell::Cell;
use paw_data::method::Plan;
use paw_data::outcome::{Ending, Outcome};
use paw_data::run::Instrument;
use paw_sort::OrderBy;

use crate::campaign::budget::{Budget, GROUP_MIN_S};
use crate::fault::{Fault, NOT_TRIED};
use crate::invocations::{Restart, Source};
use crate::likeness::{first_of_each, left_out};
use crate::measure::{Invocations, over_invocations};
use crate::planned::{Campaign, Group, PlannedCell};
use crate::prepared_cell::PreparedCell;
use crate::session::Session;
use crate::team::Decision;
use crate::verdict;
use crate::watch::{Control, Event, Watch};
use crate::workload::Workload;

mod budget;

/// The part of a group's share, or of all time that is left, that its start may use up before cells are left out which are like others:
/// eight devices open in some ten seconds, once for all groups.
const START_SHARE: f64 = 0.5;
const START_OF_ALL: f64 = 0.2;

/// Starts the cells of a campaign.
pub trait Producer {
    /// The facts that this producer needs to start a cell.
    type Job;

    /// Starts a cell. On a team all ranks start it together, and all return the same fault or none.
    fn start(&mut self, planned: &PlannedCell<Self::Job>) -> Result<PreparedCell, Fault>;

    /// How the samples of a cell are spread over processes. The default has one process, or one job, for all.
    fn processes(&self) -> Processes {
        Processes::One
    }

    /// Comparisons of the whole campaign that are to hold at once; the default has those of each task apart.
    fn together(&self) -> usize {
        1
    }

    /// What cells of a group have in common that cost the same: the first one of them is calibrated for all, and where a budget has no
    /// room for all, the others are left out. The default has none.
    fn likeness(&self, _planned: &PlannedCell<Self::Job>) -> Option<String> {
        None
    }

    /// Ends all processes, so that cells that are started next run in fresh ones.
    fn end_processes(&mut self) {}

    /// Whether a reference has a subject among the cells of its group that were started. The default keeps every reference.
    fn is_wanted(&self, _reference: &Cell, _started: &[PreparedCell]) -> bool {
        true
    }

    /// The clock of cells that could not be started.
    fn instrument(&self) -> Instrument;

    /// Groups that what was measured calls for: they come before `next`. The default has none; ranks of a team, which would have to
    /// agree, too.
    fn follow_up(&mut self, _next: Option<&Group<Self::Job>>) -> Vec<Group<Self::Job>> {
        Vec::new()
    }

    /// Takes back the cells of a group, with their ladder states for the next step. The default drops them.
    fn finish(&mut self, _cells: Vec<PreparedCell>) {}
}

/// How a producer spreads the samples of a cell over processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processes {
    /// One process, or one job of ranks, takes them all.
    One,
    /// Every sample is a process of its own.
    EachSample,
    /// Cells can be started again in fresh processes.
    Fresh,
}

/// Starts the cells of a group again.
struct GroupRestart<'p, P: Producer> {
    producer: &'p mut P,
    planned: Vec<PlannedCell<P::Job>>,
}

impl<P: Producer> Restart for GroupRestart<'_, P> {
    fn end(&mut self) {
        self.producer.end_processes();
    }

    fn start(&mut self, cell: usize) -> Result<Box<dyn Workload>, Fault> {
        self.producer.start(&self.planned[cell]).map(|prepared| prepared.workload)
    }
}

/// Measures all groups of `campaign`; `watch` sees every event and may stop it (on a team that of rank 0).
/// Returns [`Control::Stop`] if it was stopped, or if a fault left the ranks of a team out of step.
pub fn run<P: Producer>(
    campaign: Campaign<P::Job>,
    plan: &Plan,
    session: &Session<'_>,
    producer: &mut P,
    watch: &mut dyn Watch,
) -> Control {
    let mut budget = Budget::new(&campaign, plan.budget_s);
    let mut runner =
        Runner { session, producer, watch: &mut Latch { watch, control: Control::Go }, starts_s: HashMap::new() };
    let mut groups = VecDeque::from(campaign.groups);
    let mut is_first = true;
    while let Some(group) = groups.pop_front() {
        if !std::mem::take(&mut is_first) && !runner.has_time(&budget, &group) {
            budget.share_s(&group, session.at_s());
            if runner.leave_out(group, &budget) == Control::Stop {
                return Control::Stop;
            }
            continue;
        }
        let plan = Plan {
            budget_s: budget.share_s(&group, session.at_s()),
            seed: plan.seed.wrapping_add(u64::from(group.cells.first().map_or(0, |planned| planned.cell.group))),
            ..plan.clone()
        };
        if runner.group(group, &plan, budget.budget_s) == Control::Stop {
            groups.into_iter().flat_map(|group| group.cells).for_each(|planned| runner.not_tried(&planned.cell));
            return Control::Stop;
        }
        for group in runner.producer.follow_up(groups.front()).into_iter().rev() {
            budget.add(&group);
            groups.push_front(group);
        }
    }
    runner.watch.control
}

/// Starts every cell and checks its answer; times nothing.
pub fn check<P: Producer>(campaign: Campaign<P::Job>, producer: &mut P, watch: &mut dyn Watch) -> Control {
    for planned in campaign.groups.into_iter().flat_map(|group| group.cells) {
        if watch.asked() == Control::Stop {
            return Control::Stop;
        }
        watch.on(Event::Starting { cell: &planned.cell });
        match producer.start(&planned) {
            Ok(PreparedCell { mut cell, mut workload, .. }) => {
                workload.describe(&mut cell);
                watch.on(Event::Begun { cell: &cell, instrument: &workload.instrument() });
                let mut outcome = verdict::unmeasured(cell.id, workload.verify());
                outcome.caveats.extend(workload.caveats());
                watch.on(Event::Ended { outcome: &outcome });
            }
            Err(fault) => {
                refuse(&planned.cell, fault, &producer.instrument(), watch);
            }
        }
    }
    Control::Go
}

/// Records a cell that could not be started.
fn refuse(cell: &Cell, fault: Fault, instrument: &Instrument, watch: &mut dyn Watch) -> Outcome {
    let outcome = verdict::unmeasured(cell.id, Err(fault));
    watch.on(Event::Begun { cell, instrument });
    watch.on(Event::Ended { outcome: &outcome });
    outcome
}

/// A watch that remembers a request to stop.
struct Latch<'w> {
    watch: &'w mut dyn Watch,
    control: Control,
}

impl Latch<'_> {
    fn hold(&mut self, control: Control) -> Control {
        if control == Control::Stop {
            self.control = Control::Stop;
        }
        self.control
    }
}

impl Watch for Latch<'_> {
    fn on(&mut self, event: Event<'_>) -> Control {
        let control = self.watch.on(event);
        self.hold(control)
    }

    fn asked(&mut self) -> Control {
        let control = self.watch.asked();
        self.hold(control)
    }
}

/// The cells of a group that were started.
struct Started<J> {
    cells: Vec<PreparedCell>,
    /// The planned cell of each, in the same order.
    planned: Vec<PlannedCell<J>>,
    /// On [`Control::Stop`] none of them may be measured.
    control: Control,
}

impl<J> Started<J> {
    /// All of them may be measured, in the order of the plan.
    fn complete(self) -> Self {
        let mut both: Vec<_> = self.cells.into_iter().zip(self.planned).collect();
        both.order_by_key(|(cell, _)| cell.cell.id);
        let (cells, planned) = both.into_iter().unzip();
        Self { cells, planned, control: Control::Go }
    }
}

struct Runner<'r, P> {
    session: &'r Session<'r>,
    producer: &'r mut P,
    watch: &'r mut Latch<'r>,
    /// The longest start of a group so far, in seconds, by suite; later groups may reuse processes and start faster.
    starts_s: HashMap<String, f64>,
}

impl<P: Producer> Runner<'_, P> {
    /// Records a cell that is not tried because the ranks are out of step; one that the user stopped is not recorded.
    fn not_tried(&mut self, cell: &Cell) {
        if !self.session.team().is_in_step() {
            refuse(cell, Fault::Missing(NOT_TRIED.to_owned()), &self.producer.instrument(), self.watch);
        }
    }

    /// Whether the budget suffices for `group`. The first group is measured whatever the budget.
    fn has_time(&self, budget: &Budget, group: &Group<P::Job>) -> bool {
        budget.budget_s.is_none() || budget.suffices(group, self.session.at_s())
    }

    /// Records the subjects of a group for which no time is left.
    fn leave_out(&mut self, group: Group<P::Job>, budget: &Budget) -> Control {
        let budget_s = budget.budget_s.unwrap_or(0.0);
        for planned in group.cells.iter().filter(|planned| !planned.cell.role.is_reference()) {
            if self.asked() == Control::Stop {
                return Control::Stop;
            }
            let why = format!("the budget of {budget_s} s was used up before it. hint: --budget gives more time");
            refuse(&planned.cell, Fault::Missing(why), &self.producer.instrument(), self.watch);
        }
        Control::Go
    }

    /// Measures a group. Its budget includes its start: processes, and operands written for the first time.
    ///
    /// What is started in one group serves others: its start may use a part of all time that is left, and leaves the group half its share.
    fn group(&mut self, group: Group<P::Job>, plan: &Plan, whole_s: Option<f64>) -> Control {
        let began_s = self.session.at_s();
        let share_s = START_SHARE * plan.budget_s.unwrap_or(f64::INFINITY);
        let late_s = began_s + share_s.max(START_OF_ALL * whole_s.map_or(0.0, |whole_s| whole_s - began_s));
        let Started { mut cells, planned, control } = self.start(group, late_s);
        let start_s = self.session.at_s() - began_s;
        let left_s = |share_s: f64| (share_s - start_s).max(share_s * (1.0 - START_SHARE)).max(GROUP_MIN_S);
        let plan = Plan { budget_s: plan.budget_s.map(left_s), ..plan.clone() };
        let outcomes = match control {
            Control::Go => self.measure(&mut cells, planned, &plan, start_s),
            Control::Stop => Vec::new(),
        };
        self.producer.finish(cells);
        if !self.session.team().is_in_step() {
            return Control::Stop;
        }
        let is_interrupted = |outcome: &Outcome| outcome.ending == Some(Ending::Interrupted);
        if outcomes.iter().any(is_interrupted) { Control::Stop } else { control }
    }

    /// Measures started cells over their invocations.
    fn measure(
        &mut self,
        cells: &mut [PreparedCell],
        planned: Vec<PlannedCell<P::Job>>,
        plan: &Plan,
        start_s: f64,
    ) -> Vec<Outcome> {
        let (processes, together) = (self.producer.processes(), self.producer.together());
        let suite = cells.first().map_or_else(String::new, |cell| cell.cell.suite.to_string());
        let known_s = self.starts_s.entry(suite).or_insert(0.0);
        *known_s = known_s.max(start_s);
        let mut again = GroupRestart { producer: &mut *self.producer, planned };
        let source = match processes {
            Processes::One => Source::One,
            Processes::EachSample => Source::EachSample,
            Processes::Fresh => Source::Processes(&mut again),
        };
        over_invocations(cells, plan, self.session, self.watch, Invocations { source, start_s: *known_s, together })
    }

    /// Starts the cells of a group.
    ///
    /// The first of each kind goes first, and from the second `late_s` of the session on, all others that have likes are left out.
    fn start(&mut self, group: Group<P::Job>, late_s: f64) -> Started<P::Job> {
        let mut started = Started { cells: Vec::new(), planned: Vec::new(), control: Control::Stop };
        // References alone are measured for themselves: roofs.
        let has_subjects = group.cells.iter().any(|planned| !planned.cell.role.is_reference());
        let mut cells = first_of_each(group.cells, |planned| self.producer.likeness(planned)).into_iter();
        while let Some((planned, likeness)) = cells.next() {
            let is_reference = has_subjects && planned.cell.role.is_reference();
            if is_reference && !self.producer.is_wanted(&planned.cell, &started.cells) {
                continue;
            }
            if self.asked() == Control::Stop {
                return self.abandoned(started, std::iter::once(planned).chain(cells.map(|(planned, _)| planned)));
            }
            // The first cell answers; of those that have likes elsewhere, others can be done without.
            let is_spare = likeness.is_some() && !started.cells.is_empty();
            if is_spare && self.session.at_s() > late_s {
                refuse(&planned.cell, left_out(), &self.producer.instrument(), self.watch);
                continue;
            }
            self.watch.on(Event::Starting { cell: &planned.cell });
            match self.producer.start(&planned) {
                Ok(cell) => {
                    started.cells.push(PreparedCell { likeness, ..cell });
                    started.planned.push(planned);
                }
                Err(fault) => {
                    let is_interrupted = fault == Fault::Interrupted;
                    refuse(&planned.cell, fault, &self.producer.instrument(), self.watch);
                    if !self.session.team().is_in_step() {
                        return self.abandoned(started, cells.map(|(planned, _)| planned));
                    }
                    if is_interrupted {
                        return started;
                    }
                }
            }
        }
        started.complete()
    }

    /// What was started of a group that is not measured; `rest` are its other cells.
    fn abandoned(
        &mut self,
        started: Started<P::Job>,
        rest: impl Iterator<Item = PlannedCell<P::Job>>,
    ) -> Started<P::Job> {
        started.planned.iter().for_each(|planned| self.not_tried(&planned.cell));
        rest.for_each(|planned| self.not_tried(&planned.cell));
        started
    }

    /// Rank 0's decision to go on or stop. All ranks follow it: the others would wait for a rank that left alone.
    fn asked(&mut self) -> Control {
        let wish = match self.watch.asked() {
            Control::Go => Decision::Go,
            Control::Stop => Decision::Stop(Ending::Interrupted),
        };
        match self.session.team().decide(wish) {
            Ok(Decision::Go | Decision::Seconds(_)) => Control::Go,
            Ok(Decision::Stop(_)) | Err(_) => Control::Stop,
        }
    }
}
