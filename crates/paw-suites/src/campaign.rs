//! Runs a plan: starts the cells of each group in workers, has them measured, and passes every event on.

use std::collections::HashMap;
use std::rc::Rc;

use paw_data::cell::{Cell, Role};
use paw_data::method::{EndRule, LoopRule};
use paw_data::outcome::{Caveat, Ending, Outcome, Status};
use paw_data::quantity::Quantity;
use paw_data::run::Instrument;
use paw_measure::clock::Clock;
use paw_measure::disturbance;
use paw_measure::fault::Fault;
use paw_measure::instrument;
use paw_measure::loops::LadderState;
use paw_measure::measure::measure;
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::session::Session;
use paw_measure::team::Decision;
use paw_measure::watch::{Control, Event, Watch};
use paw_measure::watchdog::Armed;
use paw_measure::workload::Workload;

use crate::benchmark::Providers;
use crate::device;
use crate::estimate::{self, SAMPLE_MAX_S};
use crate::host::Host;
use crate::library::Libraries;
use crate::memory;
use crate::mpi::world::World;
use crate::plan::{Campaign, Group, Planned};
use crate::provider::{Provider, Resolved};
use crate::recorder::Recorder;
use crate::refusal::Refusal;
use crate::request::{Ladder, Request};
use crate::worker_pool::WorkerPool;

/// How the reason begins where a default ladder ends by itself: nothing that was asked for is missing.
pub const LADDER_ENDS: &str = "the default ladder ends before samples longer than";

/// A group gets at least this, in seconds, however little of the budget is left: enough for the fewest rounds of short samples.
const GROUP_MIN_S: f64 = 0.2;

/// Who measures.
pub enum Executor {
    /// Processes that are started for it.
    Workers,
    /// The ranks of the job this process belongs to, all in step.
    Ranks(Rc<World>),
}

impl Executor {
    /// What speaks against everything that this executor measures.
    fn caveat(&self) -> Option<Caveat> {
        match self {
            Executor::Workers => None,
            Executor::Ranks(world) => world.caveat(),
        }
    }

    /// How many processes share this machine's memory.
    fn sharing(&self) -> f64 {
        match self {
            Executor::Workers => 1.0,
            Executor::Ranks(world) => world.ranks_here() as f64,
        }
    }

    /// Has ranks that wait for each other end the job should one be gone.
    fn armed(&self) -> Option<Armed> {
        match self {
            Executor::Workers => None,
            Executor::Ranks(world) => Some(world.armed()),
        }
    }

    fn session(&self, clock: Clock) -> Session<'_> {
        match self {
            Executor::Workers => Session::alone(clock),
            Executor::Ranks(world) => Session::with_team(clock, world.team()),
        }
    }
}

/// Runs `campaign`; `watch` hears of every cell, and may stop it: on several ranks, that of rank 0.
pub fn run(campaign: Campaign, request: &Request, host: &Host, executor: &Executor, watch: &mut dyn Watch) {
    let clock = Clock::monotonic();
    let instrument = instrument::measure(&clock);
    let mut running = Running {
        request,
        host,
        session: executor.session(clock),
        executor,
        instrument,
        workers: WorkerPool::new(request, host.last_cache_bytes()),
        tracks: HashMap::new(),
        left_s: campaign.groups.iter().map(|group| group.estimate_s).sum(),
    };
    let libraries = Libraries::new(host.isa.clone(), running.workers.environment());
    let mut recorder = Recorder::new(watch, libraries);
    for group in campaign.groups {
        if running.group(group, &mut recorder) == Control::Stop {
            break;
        }
    }
}

struct Running<'a> {
    request: &'a Request,
    host: &'a Host,
    session: Session<'a>,
    executor: &'a Executor,
    instrument: Instrument,
    workers: WorkerPool,
    tracks: HashMap<String, Track>,
    /// Nominal seconds of all groups that are not done.
    left_s: f64,
}

/// What one point of a ladder leaves to the next.
struct Track {
    ladder: LadderState,
    nominal_s: f64,
}

impl Running<'_> {
    fn group(&mut self, group: Group, recorder: &mut Recorder<'_>) -> Control {
        let mut plan = self.request.plan.clone();
        plan.budget_s = self.share_s(group.estimate_s);
        plan.seed = plan.seed.wrapping_add(u64::from(group.cells.first().map_or(0, |c| c.cell.group)));
        self.left_s -= group.estimate_s;
        let (subjects, references): (Vec<_>, Vec<_>) =
            group.cells.into_iter().partition(|c| !c.cell.role.is_reference());
        recorder.next_group();
        let mut entries = Vec::new();
        let mut tracks = Vec::new();
        for planned in subjects.into_iter().chain(references) {
            // A reference without a subject on as many threads is of no use; a device has none.
            let threads = |cell: &Cell| cell.point.int("threads");
            let beside = |entry: &PreparedCell| {
                entry.cell.point.int("devices").is_some() || threads(&entry.cell) == threads(&planned.cell)
            };
            if planned.cell.role.is_reference() && !entries.iter().any(beside) {
                continue;
            }
            if self.asked(recorder) == Control::Stop {
                self.close(entries);
                return Control::Stop;
            }
            match self.start(&planned, recorder.libraries()) {
                Ok(entry) => {
                    let caveats = small_arrays(&planned, self.host).into_iter().chain(self.executor.caveat());
                    caveats.for_each(|caveat| recorder.attach(planned.cell.id, caveat));
                    tracks.push((planned.track(), estimate::iteration_s(&planned.cell)));
                    entries.push(entry);
                }
                Err(refusal) => {
                    let outcome = refusal.outcome(planned.cell.id);
                    let ends_all = self.ends_all(&outcome);
                    recorder.on(Event::Begun { cell: &planned.cell, instrument: &self.instrument });
                    recorder.on(Event::Ended { outcome: &outcome });
                    if ends_all {
                        self.close(entries);
                        return Control::Stop;
                    }
                }
            }
        }
        let outcomes = measure(&mut entries, &plan, &self.session, recorder);
        for (entry, (track, nominal_s)) in entries.iter().zip(tracks) {
            if let Some(ladder) = entry.ladder {
                self.tracks.insert(track, Track { ladder, nominal_s });
            }
        }
        self.close(entries);
        if outcomes.iter().any(|outcome| self.ends_all(outcome)) { Control::Stop } else { Control::Go }
    }

    /// Whether nothing can follow: what broke on one rank may have left the others in the middle of a message.
    fn ends_all(&self, outcome: &Outcome) -> bool {
        self.session.team().size() > 1 && outcome.status == Status::Failed && outcome.check.is_none()
    }

    /// Gives back what cells hold. Ranks give windows back together, so that one that is gone is waited for here too.
    fn close(&self, entries: Vec<PreparedCell>) {
        let _armed = self.executor.armed();
        drop(entries);
    }

    /// Whether the root still wants to go on. Ranks leave a plan only here and after a fault of all: one that left alone would be
    /// waited for by all others.
    fn asked(&self, recorder: &mut Recorder<'_>) -> Control {
        let wants_to_stop = recorder.stopped() || recorder.asked() == Control::Stop;
        let mine = if wants_to_stop { Decision::Stop(Ending::Interrupted) } else { Decision::Go };
        match self.session.team().decide(mine) {
            Ok(Decision::Go | Decision::Seconds(_)) => Control::Go,
            Ok(Decision::Stop(_)) | Err(_) => Control::Stop,
        }
    }

    /// This group's share of what is left of the budget, by nominal time.
    fn share_s(&self, estimate_s: f64) -> Option<f64> {
        let left_s = self.request.plan.budget_s? - self.session.at_s();
        Some((left_s * estimate_s / self.left_s).max(GROUP_MIN_S))
    }

    fn start(&mut self, planned: &Planned, libraries: &mut Libraries) -> Result<PreparedCell, Refusal> {
        let provider = match &planned.provider {
            Resolved::Here(provider) => provider,
            Resolved::Missing { why, .. } => return Err(Fault::Missing(why.clone()).into()),
        };
        self.session.team().agree(self.fits(planned))?;
        let ladder = self.ladder_state(planned)?;
        if let Executor::Ranks(world) = self.executor {
            if ladder.is_none()
                && let Some(warm) = self.warm(planned)
            {
                self.session.team().agree(self.fits(&warm))?;
                let mut workload = world.workload(&warm, self.request.start, self.instrument.clone())?;
                // Resuming makes the call; nothing needs to be timed.
                self.session.team().agree(workload.resume())?;
            }
            return self.join(planned, world, ladder);
        }
        if ladder.is_none() {
            self.warm_up(planned, provider)?;
        }
        let (workload, opened) = self.workers.open(planned, provider)?;
        let mut cell = planned.cell.clone();
        cell.library = opened.library;
        libraries.remember(&cell, &opened.note, planned.placement.threads);
        let mut method = self.request.plan.method.clone();
        method.name.clone_from(&cell.method);
        if let (Some(most), LoopRule::Guide { loops_max, .. } | LoopRule::Code { loops_max, .. }) =
            (self.request.loops_max.get(planned.benchmark.name), &mut method.loops)
        {
            *loops_max = (*loops_max).min(*most);
        }
        let entry = PreparedCell::new(cell, method, Box::new(workload)).after(ladder);
        // A library's threads share the set of processors and may move within it; our own pool pins each.
        let cpus = planned.placement.cpus.len();
        let bound = cpus == 1 || (cpus > 1 && provider.library.is_none());
        Ok(entry.placed(if bound { disturbance::Placement::Pinned } else { disturbance::Placement::Free }))
    }

    /// Starts this rank's part of a cell. The launcher has placed the ranks, so a move between processors is no disturbance.
    fn join(&self, planned: &Planned, world: &Rc<World>, ladder: Option<LadderState>) -> Result<PreparedCell, Refusal> {
        let workload = world.workload(planned, self.request.start, self.instrument.clone())?;
        let cell = Cell { library: Some(world.library()), ..planned.cell.clone() };
        let mut method = self.request.plan.method.clone();
        if planned.benchmark.is_once() {
            method.warmup = 0;
            method.loops = LoopRule::Fixed(1);
            method.ending = EndRule::Fixed { samples: 1 };
        }
        Ok(PreparedCell::new(cell, method, workload).after(ladder))
    }

    /// One untimed iteration at the sizes PAW warmed up with, where the request has some.
    fn warm_up(&mut self, planned: &Planned, provider: &Provider) -> Result<(), Fault> {
        let Some(warm) = self.warm(planned) else { return Ok(()) };
        self.fits(&warm)?;
        let (mut workload, _) = self.workers.open(&warm, provider)?;
        // Resuming makes the call; nothing needs to be timed.
        workload.resume()?;
        workload.pause();
        Ok(())
    }

    /// The cell at the size PAW warmed up with, where the request has another than the cell's.
    fn warm(&self, planned: &Planned) -> Option<Planned> {
        let (value, ladder) = self.request.warmup.get(planned.benchmark.name).zip(planned.benchmark.axes.first())?;
        let mut warm = planned.clone();
        warm.cell.point.set(ladder.name, value.clone());
        (warm.cell.point != planned.cell.point).then_some(warm)
    }

    /// Refuses operands that memory does not hold.
    fn fits(&self, planned: &Planned) -> Result<(), Fault> {
        let each = (planned.benchmark.memory_bytes)(&planned.cell.point);
        let (needed, there) = (each * self.executor.sharing(), self.host.available_bytes());
        if needed <= there {
            return Ok(());
        }
        let why = format!(
            "{planned} needs {:.1} GB of memory and {:.1} GB are free; choose a smaller size",
            needed / 1e9,
            there / 1e9
        );
        Err(Fault::Missing(why))
    }

    /// What the previous step left; refuses a step whose sample would last too long, where the ladder is the default one.
    fn ladder_state(&self, planned: &Planned) -> Result<Option<LadderState>, Fault> {
        let Some(track) = self.tracks.get(&planned.track()) else { return Ok(None) };
        // Only a ladder going up hands on: a reference belongs to many ladders, and a smaller size needs more loops.
        if planned.cell.role.is_reference() || estimate::iteration_s(&planned.cell) < track.nominal_s {
            return Ok(None);
        }
        let expected_s = track.ladder.per_loop_s * estimate::iteration_s(&planned.cell) / track.nominal_s;
        // A short message takes as long as a shorter one: only work grows as it is counted.
        let grows = !matches!(planned.benchmark.providers, Providers::Mpi(_)) && !planned.cell.role.is_reference();
        if self.request.ladder == Ladder::UntilOneSecond && expected_s > SAMPLE_MAX_S && grows {
            let axis = planned.benchmark.axes.first().map_or("n", |axis| axis.name);
            let value = planned.cell.point.value(axis).map_or_else(String::new, ToString::to_string);
            return Err(Fault::Missing(format!(
                "{LADDER_ENDS} {SAMPLE_MAX_S:.0} s, and one at {axis}={value} would last about {expected_s:.1} s. hint: --set {axis}={value} measures it"
            )));
        }
        Ok(Some(track.ladder))
    }
}

/// `small-arrays`: what shall show the memory may be found in a cache.
fn small_arrays(planned: &Planned, host: &Host) -> Option<Caveat> {
    let bytes = planned.cell.point.float("bytes")?;
    let wanted = memory::CACHES * host.all_last_caches_bytes();
    let on_host = planned.benchmark.suite != device::SUITE;
    let streams = on_host && planned.benchmark.headline == Quantity::Bytes && planned.cell.role == Role::Subject;
    (streams && bytes < wanted).then(|| {
        Caveat::new(
            "small-arrays",
            format!("arrays of {bytes:.0} bytes are smaller than four times the last-level caches, {wanted:.0} bytes"),
            "read it as the bandwidth of a cache, or set larger arrays with --set bytes=",
        )
    })
}
