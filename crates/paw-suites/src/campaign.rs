//! Starts the cells of a plan in workers, or on the ranks of this job, for the campaign to measure them.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use paw_data::axis;
use paw_data::cell::{Cell, Role};
use paw_data::method::{EndRule, LoopRule, Method};
use paw_data::outcome::Caveat;
use paw_data::quantity::Quantity;
use paw_data::run::Instrument;
use paw_measure::campaign::{self, Processes, Producer};
use paw_measure::clock::Clock;
use paw_measure::disturbance;
use paw_measure::fault::Fault;
use paw_measure::instrument;
use paw_measure::planned::{Campaign, Group};
use paw_measure::prepared_cell::PreparedCell;
use paw_measure::session::Session;
use paw_measure::watch::Watch;
use paw_measure::workload::Workload;

use crate::benchmark::Providers;
use crate::device;
use crate::executor::Executor;
use crate::follow_up::FollowUps;
use crate::host::Host;
use crate::library::Libraries;
use crate::memory;
use crate::mpi::world::World;
use crate::plan::{self, Assignment, PlannedBenchmark};
use crate::provider::{Provider, Resolved};
use crate::recorder::{Measured, Recorder};
use crate::request::RunRequest;
use crate::teamwork::Carrier;
use crate::track::Tracks;
use crate::worker_pool::WorkerPool;

/// Measures `campaign`; `watch` sees every cell, and may stop it: on several ranks, that of rank 0.
pub fn run(
    campaign: Campaign<Assignment>,
    request: &RunRequest,
    host: &Host,
    executor: &Executor,
    watch: &mut dyn Watch,
) {
    let clock = Clock::monotonic();
    let instrument = instrument::measure(&clock);
    let session = executor.session(clock);
    let workers = WorkerPool::new(request, host.last_cache_bytes());
    let libraries = Rc::new(RefCell::new(Libraries::new(host.isa.clone(), workers.environment())));
    let measured = Measured::default();
    let mut recorder = Recorder::new(watch, Rc::clone(&libraries), Rc::clone(&measured));
    let tracks = Tracks::default();
    let follow_ups = FollowUps::new(request, host, (campaign.cells().count() as u32, campaign.groups.len() as u32));
    let mut starter = CellStarter {
        request,
        host,
        session: &session,
        executor,
        instrument,
        workers,
        libraries,
        tracks,
        measured,
        follow_ups,
    };
    campaign::run(campaign, &request.plan, &session, &mut starter, &mut recorder);
}

/// Samples of a load that lasts: long enough to look at the device a few times, and short beside what changes a clock.
const LASTING: LoopRule = LoopRule::Floor { overheads: 1000.0, floor_s: 0.1 };

/// Starts the cells of the catalogue's benchmarks.
struct CellStarter<'a> {
    request: &'a RunRequest,
    host: &'a Host,
    session: &'a Session<'a>,
    executor: &'a Executor,
    instrument: Instrument,
    workers: WorkerPool,
    libraries: Rc<RefCell<Libraries>>,
    tracks: Tracks,
    measured: Measured,
    follow_ups: FollowUps<'a>,
}

impl Producer for CellStarter<'_> {
    type Job = Assignment;

    fn start(&mut self, planned: &PlannedBenchmark) -> Result<PreparedCell, Fault> {
        let provider = match &planned.job.provider {
            Resolved::Here(provider) => provider,
            Resolved::Missing { why, .. } => return Err(Fault::Missing(why.clone())),
        };
        self.session.team().agree(self.fits(planned))?;
        let ladder = self.tracks.state(planned, self.request.ladder, &self.host.devices)?;
        if ladder.is_none() {
            self.warm_up(planned, provider)?;
        }
        let prepared = match self.executor {
            Executor::Workers => self.open(planned, provider),
            Executor::Ranks(world) => self.join(planned, world),
        }?;
        let caveats = small_arrays(planned, self.host).into_iter().chain(self.executor.caveats(&planned.cell.point));
        Ok(prepared.continuing(ladder).with_caveats(caveats))
    }

    /// Ranks of a job end with it: a job is one invocation.
    fn processes(&self) -> Processes {
        match self.executor {
            Executor::Workers => Processes::Fresh,
            Executor::Ranks(_) => Processes::One,
        }
    }

    fn likeness(&self, planned: &PlannedBenchmark) -> Option<String> {
        plan::likeness(planned, self.host)
    }

    fn end_processes(&mut self) {
        self.workers.end_processes();
    }

    /// A reference is measured if a subject has as many threads, or runs on devices, which have no threads.
    fn is_wanted(&self, reference: &Cell, started: &[PreparedCell]) -> bool {
        let threads = |cell: &Cell| cell.point.int(axis::THREADS);
        let mut cells = started.iter().map(|prepared| &prepared.cell);
        cells.any(|cell| cell.point.int(axis::DEVICES).is_some() || threads(cell) == threads(reference))
    }

    fn instrument(&self) -> Instrument {
        self.instrument.clone()
    }

    /// The ranks of a job measure what they planned.
    fn follow_up(&mut self, next: Option<&Group<Assignment>>) -> Vec<Group<Assignment>> {
        match self.executor {
            Executor::Workers => {
                self.follow_ups.look(self.measured.borrow().values());
                self.follow_ups.before(next)
            }
            Executor::Ranks(_) => Vec::new(),
        }
    }

    /// Ranks free windows together, so a rank that is gone is noticed here too.
    fn finish(&mut self, cells: Vec<PreparedCell>) {
        cells.iter().for_each(|cell| self.tracks.keep(cell, &self.host.devices));
        let _armed = self.executor.armed();
        drop(cells);
    }
}

impl CellStarter<'_> {
    /// Opens a cell in a worker.
    fn open(&mut self, planned: &PlannedBenchmark, provider: &Provider) -> Result<PreparedCell, Fault> {
        let (workload, opened) = self.workers.open(planned, provider)?;
        let placement = &planned.job.placement;
        let cell = Cell { library: opened.library.map(Arc::new), ..planned.cell.clone() };
        self.libraries.borrow_mut().remember(&cell, &opened.note, placement.threads);
        let mut method = Method { name: cell.method.to_string(), ..self.request.plan.method.clone() };
        if let (Some(most), LoopRule::Guide { loops_max, .. } | LoopRule::Code { loops_max, .. }) =
            (self.request.loops_max.get(planned.job.benchmark.name), &mut method.loops)
        {
            *loops_max = (*loops_max).min(*most);
        }
        let seconds = || cell.point.float(axis::SECONDS).unwrap_or(device::burn::LASTING_S as f64);
        let lasting_s = planned.job.benchmark.axis(axis::SECONDS).map(|_| seconds());
        if lasting_s.is_some() && !self.request.follows_paw() {
            method.loops = LASTING;
        }
        // A library's threads may move within the set of processors; paw's own pool pins each thread.
        let cpus = placement.cpus.len();
        let bound = cpus == 1 || (cpus > 1 && provider.library.is_none());
        let placement = if planned.job.benchmark.common.counts_waits {
            disturbance::Placement::Program
        } else if bound {
            disturbance::Placement::Pinned
        } else {
            disturbance::Placement::Free
        };
        let prepared = PreparedCell::new(cell, method, Box::new(workload)).placed(self.counted(placement));
        Ok(PreparedCell { lasting_s, ..prepared })
    }

    /// Starts this rank's part of a cell. The launcher has placed the ranks, so a move between processors is no disturbance.
    fn join(&self, planned: &PlannedBenchmark, world: &Rc<World>) -> Result<PreparedCell, Fault> {
        let workload = world.workload(planned, self.request.start, self.instrument.clone())?;
        let carrier = match planned.job.benchmark.common.providers {
            Providers::Mpi(teamwork) => teamwork.carrier,
            Providers::Native | Providers::Blas(_) | Providers::Device(_) => Carrier::Mpi,
        };
        let cell = Cell { library: Some(world.carrying_library(carrier).into()), ..planned.cell.clone() };
        let mut method = self.request.plan.method.clone();
        if planned.job.benchmark.is_once() {
            method.warmup = 0;
            method.loops = LoopRule::Fixed(1);
            method.ending = EndRule::Fixed { samples: 1 };
        }
        Ok(PreparedCell::new(cell, method, workload).placed(self.counted(disturbance::Placement::Free)))
    }

    /// PAW's methods count every sample: a row comes from NREPS samples, and from no others.
    fn counted(&self, placement: disturbance::Placement) -> disturbance::Placement {
        if self.request.follows_paw() { disturbance::Placement::Counted } else { placement }
    }

    /// Runs one untimed iteration at the size PAW warmed up with, if the request has one.
    fn warm_up(&mut self, planned: &PlannedBenchmark, provider: &Provider) -> Result<(), Fault> {
        let Some(warm) = self.warm(planned) else { return Ok(()) };
        self.session.team().agree(self.fits(&warm))?;
        let mut workload: Box<dyn Workload> = match self.executor {
            Executor::Workers => Box::new(self.workers.open(&warm, provider)?.0),
            Executor::Ranks(world) => world.workload(&warm, self.request.start, self.instrument.clone())?,
        };
        // `resume` makes one untimed call.
        self.session.team().agree(workload.resume())?;
        workload.pause();
        Ok(())
    }

    /// The cell at the size PAW warmed up with, if that differs from the cell's.
    fn warm(&self, planned: &PlannedBenchmark) -> Option<PlannedBenchmark> {
        let benchmark = planned.job.benchmark;
        let (value, ladder) = self.request.warmup.get(benchmark.name).zip(benchmark.common.axes.first())?;
        let mut warm = planned.clone();
        warm.cell.point.set(ladder.name, value.clone());
        (warm.cell.point != planned.cell.point).then_some(warm)
    }

    /// Refuses operands that memory does not hold.
    fn fits(&self, planned: &PlannedBenchmark) -> Result<(), Fault> {
        let each = (planned.job.benchmark.common.memory_bytes)(&planned.cell.point);
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
}

/// `small-arrays`: arrays meant for memory fit into a cache.
fn small_arrays(planned: &PlannedBenchmark, host: &Host) -> Option<Caveat> {
    let bytes = planned.cell.point.float(axis::BYTES)?;
    let wanted = memory::CACHES * host.all_last_caches_bytes();
    let benchmark = planned.job.benchmark;
    let on_host = benchmark.common.suite != device::SUITE;
    let is_of_caches = benchmark.name == memory::bandwidth::CACHE_BANDWIDTH.name;
    let streams =
        on_host && !is_of_caches && benchmark.common.headline == Quantity::Bytes && planned.cell.role == Role::Subject;
    (streams && bytes < wanted).then(|| {
        Caveat::new(
            "small-arrays",
            format!("arrays of {bytes:.0} bytes are smaller than four times the last-level caches, {wanted:.0} bytes"),
            "read it as the bandwidth of a cache, or set larger arrays with --set bytes=",
        )
    })
}
