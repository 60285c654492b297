//! The MPI job that this process may be a rank of: joined if MPI benchmarks were asked for.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use paw_data::axis;
use paw_data::point::AxisValue;
use paw_foreign::mpi::discovery;
use paw_foreign::mpi::launcher::{self, Launcher};
use paw_foreign::mpi::{InitCall, Mpi, ThreadLevel, selftest};
use paw_measure::clock::Clock;
use paw_measure::ranks::Detail;
use paw_measure::watchdog::Watchdog;
use paw_suites::benchmark::{Benchmark, Providers};
use paw_suites::choice::StartMode;
use paw_suites::executor::Executor;
use paw_suites::mpi::world::{MpiStartup, NodeComm, World};
use paw_suites::mpi_job::MpiJob;
use paw_suites::request::RunRequest;
use paw_suites::teamwork::Carrier;

use crate::cli::{self, RankArgs};
use crate::device_messages;
use crate::emergency::{Emergency, Guard};
use crate::exit::Code;
use crate::failure::Failure;
use crate::host_facts::HostFacts;
use crate::rendezvous::{Rendezvous, RendezvousDirectory};
use crate::signals::{Delivery, Signals};

/// What each rank adds to the time in which MPI may begin: launchers may take minutes for ten thousand.
const BEGINNING_OF_A_RANK: Duration = Duration::from_millis(10);

/// This rank's role in output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Rank 0, or a process of its own: saves, prints, decides.
    Leader,
    /// Another rank: measures in step and prints nothing.
    Follower,
}

/// The result of joining.
pub struct JoinedJob {
    /// The executor of the campaign: workers, or this process as a rank.
    pub executor: Executor,
    /// This process's role.
    pub role: Role,
    /// The emergency that ends the job if ranks no longer answer.
    pub emergency: Emergency,
    /// The directory of the ranks' notes to each other.
    pub notes: RendezvousDirectory,
    /// The launcher of the ranks.
    pub launcher: Option<Launcher>,
    /// The node's rendezvous, open while ranks may still leave before MPI begins.
    rendezvous: Option<Rendezvous>,
}

impl JoinedJob {
    /// Finalises MPI, once rank 0 has saved and shown all, and returns rank 0's exit code on every rank.
    pub fn part(&self, world: &World, code: Code) -> Result<Code, Failure> {
        let code = Code::from_number(world.roots_code(code as u64).map_err(broken)? as i32);
        self.emergency.part(code, world.size());
        world.finalize().map_err(broken)?;
        Ok(code)
    }
}

/// Whether a launcher started this process.
pub fn is_launched() -> bool {
    launcher::of_process().is_some()
}

/// How many ranks this process's launcher has started; `None` without a launcher, and where it does not say.
pub fn size() -> Option<usize> {
    launcher::of_process().and_then(|launcher| launcher.size)
}

/// The name of this process's launcher.
pub fn launcher_name() -> Option<&'static str> {
    launcher::of_process().map(|launcher| launcher.kind.name())
}

/// This process's role by the launcher's variables.
pub fn role() -> Role {
    match launcher::of_process() {
        Some(launcher) if launcher.rank > 0 => Role::Follower,
        _ => Role::Leader,
    }
}

/// How often one press of Ctrl-C arrives here.
pub fn delivery() -> Delivery {
    launcher::of_process().map_or(Delivery::Once, |_| Delivery::Twice)
}

/// Joins the job if a requested benchmark needs its ranks. Benchmarks that this executor cannot run are removed from a quick request.
pub fn join(
    request: &mut RunRequest,
    here: &mut HostFacts,
    args: &RankArgs,
    signals: &Signals,
) -> Result<JoinedJob, Failure> {
    let launcher = launcher::of_process();
    let size = launcher.as_ref().and_then(|launcher| launcher.size).unwrap_or(1);
    settle(request, size, launcher.is_some())?;
    let (emergency, notes) = (Emergency::default(), RendezvousDirectory::default());
    let mut joined =
        JoinedJob { executor: Executor::Workers, role: role(), emergency, notes, launcher, rendezvous: None };
    let Some(launcher) = joined.launcher.as_ref().filter(|_| request.benchmarks.iter().any(|b| is_mpi(b))) else {
        return Ok(joined);
    };
    let rendezvous = Rendezvous::of(launcher);
    match discovery::find(Some(launcher), args.mpi_library.as_deref()) {
        Ok(found) => {
            let guard = Guard::new(joined.emergency.clone(), launcher.rank, joined.notes.clone(), signals.clone());
            let guard = guard.watching(rendezvous.directory());
            let watchdog = Watchdog::start(guard, request.rank_timeout.as_secs_f64());
            let world = Rc::new(world(launcher, found.path, request, here, args, Rc::new(watchdog), &rendezvous)?);
            joined.emergency.abort_by(world.aborter());
            drop(rendezvous);
            here.host.ranks = MpiJob::of(world.size(), world.ranks_of_a_node(), world.provider())
                .with_devices(world.device_collectives().provider());
            if args.sync.is_none() && world.is_oversubscribed() {
                // Ranks that share a processor receive an announced start too late.
                request.start = StartMode::Barrier;
            }
            request.plan.seed = world.roots_number(request.plan.seed).map_err(broken)?;
            joined.executor = Executor::Ranks(world);
        }
        Err(missing) => {
            rendezvous.leave(&missing.to_string());
            joined.rendezvous = Some(rendezvous);
            here.host.ranks = MpiJob::unusable(size, missing.to_string());
        }
    }
    Ok(joined)
}

/// Starts MPI and tests it before anything is measured with it.
fn world(
    launcher: &Launcher,
    library: PathBuf,
    request: &RunRequest,
    here: &HostFacts,
    args: &RankArgs,
    watchdog: Rc<Watchdog>,
    rendezvous: &Rendezvous,
) -> Result<World, Failure> {
    let unable = |why: String| {
        rendezvous.leave(&why);
        Failure::missing(why)
    };
    // Before MPI begins: a process of its own tries what may end a process.
    let local_rank = launcher.local_rank.unwrap_or(launcher.rank);
    let device = needs_device(request).then(|| device_messages::device_for(&library, local_rank));
    let updates = match &device {
        Some(Ok(_)) if needs_updates(request) => device_messages::updates_for(&library, local_rank),
        Some(Err(why)) => Err(why.clone()),
        _ => Err("no window in the memory of devices was asked for when the job began".to_owned()),
    };
    let collectives = needs_collectives(request).then(|| device_messages::collectives_for(local_rank));
    watchdog.expect(expected_s(begins_within(request.deadline, launcher.size)));
    let armed = watchdog.arm();
    let by = beginning(request, args.thread_level);
    let library = Mpi::open(&library).map_err(|error| unable(error.to_string()))?;
    let message = rendezvous.exit_message(exit_message(library.version(), launcher.kind.name()));
    let clock = Clock::monotonic();
    let start = clock.start();
    let mpi = library.begin(by, message).map_err(|error| unable(error.to_string()))?;
    let init_s = clock.seconds(start, clock.stop());
    // Every rank checks that its library belongs to the launcher.
    selftest::check_launcher(launcher, mpi).map_err(|error| Failure::missing(error.to_string()))?;
    selftest::self_test(mpi).map_err(|error| Failure { code: Code::Failed, ..unable(error.to_string()) })?;
    let detail = if args.keep_ranks { Detail::EveryRank } else { Detail::Summary };
    let name = &here.machine.identity.host;
    let begun = MpiStartup { by, init_s };
    let world = World::of(mpi, begun, &here.host.topology, name, detail, nodes(request), Rc::clone(&watchdog))
        .map_err(broken)?;
    drop(armed);
    watchdog.expect(0.0);
    let world = match device {
        Some(found) => world.with_device(found, updates, name).map_err(broken)?,
        None => world,
    };
    match collectives {
        Some(found) => world.with_device_collectives(found, name).map_err(broken),
        None => Ok(world),
    }
}

/// Whether collectives between devices are asked for.
fn needs_collectives(request: &RunRequest) -> bool {
    let is_between_devices = |benchmark: &&'static Benchmark| match benchmark.common.providers {
        Providers::Mpi(teamwork) => teamwork.carrier == Carrier::Devices,
        Providers::Native | Providers::Blas(_) | Providers::Device(_) => false,
    };
    request.benchmarks.iter().any(is_between_devices)
}

/// Whether messages from the memory of devices are asked for.
fn needs_device(request: &RunRequest) -> bool {
    let is_on_device = |value: &AxisValue| *value != AxisValue::from(axis::HOST);
    request.axes.get(axis::BUFFER).is_some_and(|buffers| buffers.iter().any(is_on_device))
}

/// Whether updates of another rank's memory are asked for.
fn needs_updates(request: &RunRequest) -> bool {
    request.benchmarks.iter().any(|benchmark| paw_suites::mpi::makes_updates(benchmark))
}

/// Node communicators, if collectives of each node are measured.
fn nodes(request: &RunRequest) -> NodeComm {
    let asked = request.axes.get(axis::SCOPE).is_some_and(|scopes| scopes.contains(&AxisValue::from("node")));
    if asked { NodeComm::Split } else { NodeComm::Unasked }
}

/// How long MPI may take to begin: as long as the user has it, and more where there are many ranks.
fn begins_within(deadline: Duration, ranks: Option<usize>) -> Duration {
    deadline + BEGINNING_OF_A_RANK * u32::try_from(ranks.unwrap_or(1)).unwrap_or(u32::MAX)
}

/// The expected time that gives the watchdog this deadline: it waits twenty times what is expected.
fn expected_s(deadline: Duration) -> f64 {
    deadline.as_secs_f64() / 20.0
}

/// The message for a library that ends the process instead of returning an error.
fn exit_message(version: &str, launcher: &str) -> String {
    format!(
        "paw: {version} ended the job in MPI_Init, under {launcher}; its own message is above. A library that does not belong to the launcher ends so: name the launcher's own with --mpi-library PATH or PAW_MPI_LIBRARY, or load the module of the MPI whose mpiexec you use\n"
    )
}

/// How MPI is initialised: by MPI_Init, as almost every program does, unless something else is asked for or measured. The one other
/// thread of this process never calls MPI. Open MPI 4.1 adds 50 ns to a message of 8 bytes at every level above MPI_THREAD_SINGLE.
fn beginning(request: &RunRequest, asked: Option<cli::ThreadLevel>) -> InitCall {
    let own = |benchmark: &Benchmark| match benchmark.common.providers {
        Providers::Mpi(teamwork) => teamwork.thread_level,
        Providers::Native | Providers::Blas(_) | Providers::Device(_) => None,
    };
    let level = asked.map(ThreadLevel::from).or_else(|| match &request.benchmarks[..] {
        [only] => own(only),
        _ => None,
    });
    level.map_or(InitCall::Init, InitCall::InitThread)
}

/// A fault of the ranks' agreement, as a failure of the command.
pub fn broken(fault: paw_measure::fault::Fault) -> Failure {
    Failure { code: Code::Failed, ..Failure::missing(fault.to_string()) }
}

/// Whether MPI carries what `benchmark` measures.
pub fn is_mpi(benchmark: &Benchmark) -> bool {
    matches!(benchmark.common.providers, Providers::Mpi(_))
}

/// Leaves in `request` what `ranks` processes can measure together: MPI, or, where there is but one, everything else.
fn settle(request: &mut RunRequest, ranks: usize, is_launched: bool) -> Result<(), Failure> {
    if request.quick {
        request.benchmarks.retain(|benchmark| is_mpi(benchmark) == (ranks > 1));
    }
    let alone = request.benchmarks.iter().find(|benchmark| !is_mpi(benchmark) && ranks > 1);
    if let Some(other) = alone {
        let failure = Failure::usage(format!("{} is measured by one process, and {ranks} were started", other.name));
        return Err(failure.hint("start it without mpirun, or name MPI benchmarks: paw list mpi"));
    }
    // If no named benchmark fits the number of ranks launched, the number is wrong.
    let mut unsuited = request.benchmarks.iter().filter_map(|benchmark| match benchmark.common.providers {
        Providers::Mpi(teamwork) => Some((benchmark.name, teamwork.ranks, teamwork.ranks.suit(ranks).err()?)),
        Providers::Native | Providers::Blas(_) | Providers::Device(_) => None,
    });
    match unsuited.next() {
        Some((name, fitting, needed)) if is_launched && 1 + unsuited.count() == request.benchmarks.len() => {
            let failure = Failure::usage(format!("{name} needs {needed}, and this job has {ranks}"));
            Err(failure.hint(format!("mpirun -n {} paw run {name}", fitting.nearest(ranks))))
        }
        _ => Ok(()),
    }
}
