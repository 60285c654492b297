//! `paw kernel profile`: where the time of each build goes while paw's driver calls it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use paw_data::cell::Cell;
use paw_data::kernel::{LEVEL, Question, SIZE};
use paw_data::run::Record;
use paw_kernels::builds::Built;
use paw_kernels::campaign::{Children, Planned};
use paw_kernels::plan::{CellSettings, KernelPlanner};
use paw_kernels::request::{KernelRequest, Workbench};
use paw_kernels::workload::TimingWatch;
use paw_measure::campaign;
use paw_measure::planned::Campaign;
use paw_measure::watch::{Control, Event, Watch};
use paw_perf::sampling::{Chains, Options, Sampled, Sampler, Scope};

use super::plan;
use super::setup::{self, Setup};
use crate::cli::KernelProfileArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel;
use crate::print;
use crate::profile::{self, Subject};
use crate::session::Session;
use crate::startup;

/// Seconds of a measured region unless others were typed: some thirty of them have about three thousand samples of each build.
const REGION_S: f64 = 0.1;

/// Builds, samples, saves, shows.
pub fn profile(KernelProfileArgs { sampling, asked: args }: &KernelProfileArgs) -> Result<Code, Failure> {
    kernel::not_on_a_device(&args.on)?;
    let options = profile::options(sampling, Scope::Windows)?;
    let mut spec = kernel::spec(&args.spec)?;
    let here = setup::here(&args.leaving)?;
    let wanted = setup::wanted(&mut spec, &args.builds)?;
    let levels = kernel::levels(&spec, &kernel::one_level(&args.sizes), &here.host.topology)?;
    let mut request = kernel::request(spec, Question::Matrix, &args.protocol, levels)?;
    request.region_s.get_or_insert(REGION_S);
    if args.leaving.dry_run {
        return plan::wanted(&wanted, &request, &args.leaving);
    }
    let mut setup = Setup::open(here, &args.protocol, &args.leaving)?;
    let mut builds = setup.build(&wanted.jobs, &request.spec, setup::identical(&args.builds), "");
    builds.extend(wanted.absent);
    let bench = setup.bench.clone();
    let reference = setup::reference(&request, &builds);
    let mut planner = KernelPlanner::new(&request, &bench, reference);
    let groups: Vec<_> =
        (0..).zip(&request.levels).map(|(group, level)| planner.level(group, level, &builds)).collect();
    // The compilers have ended: what starts from now on is sampled, while it is timed.
    let watch = Rc::new(SampledRegions {
        sampler: Sampler::open(&options).map_err(profile::refused)?,
        cells: RefCell::default(),
    });
    let cells = groups.iter().map(Vec::len).sum();
    let mut session = setup.session(&request, setup::facts(&request, reference), cells)?;
    let bench = watch.knocking(bench);
    let mut children = Children::new(&bench).watched(Rc::<SampledRegions>::clone(&watch));
    campaign::run(Campaign::unestimated(groups), &request.plan(), &setup::clocked(), &mut children, &mut session);
    drop(children);
    let mut refused = None;
    if let Some(SampledRegions { sampler, cells }) = Rc::into_inner(watch) {
        refused = sampler.refusal();
        keep(&sampler.finish(), &cells.into_inner(), &mut session)?;
    } else {
        print::message("paw: children are still timed, so that there is no profile");
    }
    let (run, fault) = setup.close(session, &args.protocol);
    if let Some(refused) = refused {
        return Err(profile::refused(refused));
    }
    setup.show(&args.leaving, &run, fault)
}

/// Lets the sampler work while a child times calls: not while it builds its arrays, warms up, or checks answers.
struct SampledRegions {
    sampler: Sampler,
    /// The cell of each process.
    cells: RefCell<BTreeMap<u32, u32>>,
}

impl SampledRegions {
    /// The workbench with children that knock at the sampler's door, if it has one.
    fn knocking(&self, mut bench: Workbench) -> Workbench {
        bench.child.1.extend(self.sampler.door().map(str::to_owned));
        bench
    }
}

impl TimingWatch for SampledRegions {
    fn begins(&self, cell: u32, pid: u32) {
        self.cells.borrow_mut().insert(pid, cell);
        self.sampler.begin(pid);
    }

    fn ends(&self) {
        self.sampler.end();
    }
}

/// Samples `builds` while they are called at the first size of `request`, once more than for their times, and keeps a profile for each
/// measured cell of theirs: what is sampled is not timed.
pub fn sample(request: &KernelRequest, builds: &[&Built], setup: &Setup, session: &mut Session) -> Result<(), Failure> {
    let Some(level) = request.levels.first() else { return Ok(()) };
    let mut request = request.clone();
    request.region_s = Some(REGION_S);
    let bench = setup.bench.clone();
    let mut planner = KernelPlanner::new(&request, &bench, None);
    let spot = || CellSettings { level: Some(&level.name), ..CellSettings::new(0, level.n, request.measure) };
    let group: Vec<_> = builds.iter().map(|built| planner.cell(built, spot())).collect();
    let measured = |planned: &Planned| {
        let name = |cell: &Cell| cell.build.as_ref().map(|build| build.full_name());
        let own =
            |record: &&Record| name(&record.cell) == name(&planned.cell) && record.cell.point == planned.cell.point;
        session.run().records.iter().find(own).map(|record| (planned.cell.id, record.cell.id))
    };
    let ids: BTreeMap<u32, u32> = group.iter().filter_map(measured).collect();
    let options = Options { hz: HZ, scope: Scope::Windows, chains: Chains::FramePointers };
    let watch = Rc::new(SampledRegions {
        sampler: Sampler::open(&options).map_err(profile::refused)?,
        cells: RefCell::default(),
    });
    let bench = watch.knocking(bench);
    let mut children = Children::new(&bench).watched(Rc::<SampledRegions>::clone(&watch));
    let groups = Campaign::unestimated(vec![group]);
    campaign::run(groups, &request.plan(), &setup::clocked(), &mut children, &mut Unrecorded(session));
    drop(children);
    let Some(SampledRegions { sampler, cells }) = Rc::into_inner(watch) else { return Ok(()) };
    let found = sampler.finish();
    let cells = cells.into_inner().into_iter().filter_map(|(pid, cell)| Some((pid, *ids.get(&cell)?))).collect();
    keep(&found, &cells, session)
}

/// Samples of a second of processor time, as `paw kernel profile` takes them.
const HZ: u32 = 997;

/// Measures without keeping anything, and stops when the session is asked to.
struct Unrecorded<'a>(&'a mut Session);

impl Watch for Unrecorded<'_> {
    fn on(&mut self, _: Event<'_>) -> Control {
        self.0.asked()
    }

    fn asked(&mut self) -> Control {
        self.0.asked()
    }
}

/// Keeps a profile of each measured cell.
fn keep(found: &Sampled, cells: &BTreeMap<u32, u32>, session: &mut Session) -> Result<(), Failure> {
    let driver = startup::own_file()?;
    let measured: Vec<(Cell, f64)> = session
        .run()
        .records
        .iter()
        .filter(|record| !record.samples.is_empty() && cells.values().any(|cell| *cell == record.cell.id))
        .map(|record| (record.cell.clone(), record.samples.elapsed_s.iter().sum()))
        .collect();
    for (cell, elapsed_s) in measured {
        let id = cell.id;
        let subject = Subject {
            name: name(&cell),
            cell: Some(id),
            elapsed: Duration::try_from_secs_f64(elapsed_s).unwrap_or_default(),
            driver: Some(driver.clone()),
            ..Subject::default()
        };
        let is_of_cell =
            |thread: usize| found.threads.get(thread).is_some_and(|thread| cells.get(&thread.pid) == Some(&id));
        session.profile(&profile::profile_of(found, subject, is_of_cell));
    }
    Ok(())
}

/// `gcc -O3 at L1`, or `gcc -O3 at n = 88` of a size that was typed.
fn name(cell: &Cell) -> String {
    let build = cell.build.as_ref().map_or_else(|| cell.provider.to_string(), |build| build.full_name());
    match (cell.point.text(LEVEL), cell.point.int(SIZE)) {
        (Some(level), _) => format!("{build} at {level}"),
        (None, Some(n)) => format!("{build} at n = {n}"),
        (None, None) => build,
    }
}
