//! `paw run`: measures, saves, shows.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use paw_data::axis;
use paw_data::cell::Cell;
use paw_data::outcome::Caveat;
use paw_data::selftest::Selftest;
use paw_data::store::dat::{DatFiles, Folders};
use paw_foreign::blas::environment::OBEYED_FIRST;
use paw_machine::environment::{self, Cap, Variables};
use paw_measure::planned::Campaign;
use paw_measure::watch::Unwatched;
use paw_suites::benchmark::Providers;
use paw_suites::campaign;
use paw_suites::choice::WorkerEnvironment;
use paw_suites::executor::Executor;
use paw_suites::host::Host;
use paw_suites::mpi::world::World;
use paw_suites::plan::{Assignment, PlannedBenchmark, fingerprint, plan};
use paw_suites::plan_error::PlanError;
use paw_suites::provider::Resolved;
use paw_suites::request::RunRequest;

use crate::amount::counted;
use crate::benchmark_roofs;
use crate::cli::RunArgs;
use crate::command::dry_run;
use crate::command::selftest;
use crate::confidential;
use crate::config;
use crate::emergency::Reason;
use crate::environment::EnvVars;
use crate::exit::{self, Code, Skips};
use crate::failure::Failure;
use crate::finish::{self, ExitRule};
use crate::host_facts::{self, HostFacts};
use crate::job::{self, JoinedJob, Role};
use crate::outdir::{self, OutDir};
use crate::print;
use crate::progress::{Expected, Progress, ShowProgress};
use crate::roofs::Roofs;
use crate::run_request::{self, RequestInputs};
use crate::session::{Session, SharedSession};
use crate::signals::Signals;
use crate::silence::Silence;
use crate::startup;

/// Measures, saves, shows.
pub fn run(args: &RunArgs) -> Result<Code, Failure> {
    startup::announce(&args.leaving, startup::READING);
    let mut facts = host_facts::read()?.with_libraries();
    let mut request = request(args, &facts)?;
    // The self-test runs before the ranks of a job wait for each other.
    let selftest = if job::role() == Role::Leader { selftest::kept(&args.leaving)? } else { None };
    let signals =
        Signals::listen(job::delivery()).map_err(|error| Failure::io(format!("cannot listen to signals: {error}")))?;
    if job::is_launched() {
        startup::announce(&args.leaving, "joining the ranks of this job");
    }
    let joined = job::join(&mut request, &mut facts, &args.ranks, &signals)?;
    if request.benchmarks.iter().any(|benchmark| matches!(benchmark.common.providers, Providers::Device(_))) {
        startup::announce(&args.leaving, "looking for devices");
        facts.look_for_devices()?;
    }
    if !args.leaving.dry_run && matches!(joined.executor, Executor::Workers) {
        facts.watch();
    }
    let campaign = agreed(plan(&request, &facts.host).map_err(unplanned), &request, &joined)?;
    let context = RunContext { args, request: &request, facts: &facts, joined: &joined, signals: &signals, selftest };
    match (&joined.executor, joined.role) {
        (Executor::Workers, Role::Follower) => Ok(Code::Done),
        (Executor::Workers, Role::Leader) => context.execute(campaign),
        (Executor::Ranks(world), Role::Leader) => {
            let led = context.execute(campaign);
            let code = led.as_ref().map_or_else(|failure| failure.code, |code| *code);
            let parted = joined.part(world, code);
            joined.notes.remove();
            parted.and(led)
        }
        (Executor::Ranks(world), Role::Follower) => context.follow(campaign, world),
    }
}

/// The plan, after checking that all ranks made the same one; otherwise all ranks fail.
fn agreed(
    planned: Result<Campaign<Assignment>, Failure>,
    request: &RunRequest,
    joined: &JoinedJob,
) -> Result<Campaign<Assignment>, Failure> {
    let Executor::Ranks(world) = &joined.executor else { return planned };
    let fingerprint = planned.as_ref().map_or(0, |campaign| fingerprint(campaign, request));
    let same = world.agree_on_plan(fingerprint).map_err(job::broken);
    let failure = match (same, planned) {
        (Ok(()), Ok(campaign)) => return Ok(campaign),
        (Err(failure), _) | (Ok(()), Err(failure)) => failure,
    };
    joined.part(world, failure.code)?;
    Err(failure)
}

/// Directory of the ranks' notes to each other, below the run's.
const RENDEZVOUS: &str = ".rendezvous";

/// The inputs of a measurement: flags, host, job, variables.
struct RunContext<'a> {
    args: &'a RunArgs,
    request: &'a RunRequest,
    facts: &'a HostFacts,
    joined: &'a JoinedJob,
    signals: &'a Signals,
    /// The self-test that the run records, if the user asked for it.
    selftest: Option<Selftest>,
}

impl RunContext<'_> {
    /// Measures, saves and shows on rank 0; measures in step on the others.
    fn execute(&self, campaign: Campaign<Assignment>) -> Result<Code, Failure> {
        let roofs = self.roofs(&campaign).transpose();
        let prepared = roofs.and_then(|roofs| Ok((self.prepared(&campaign, roofs.as_ref())?, roofs)));
        if let Executor::Ranks(world) = &self.joined.executor {
            self.share_directory(
                world,
                prepared.as_ref().ok().and_then(|(made, _)| made.as_ref()).map(|(_, directory)| directory.as_path()),
            )?;
        }
        match prepared? {
            (Some((session, directory)), roofs) => self.lead(campaign, roofs, session, &directory),
            (None, _) => dry_run::dry_run(&campaign, self.request, &self.facts.host, self.args.leaving.format),
        }
    }

    /// The roofs over this campaign, where they are asked for: behind it, so that none of its budget is theirs. Ranks have none.
    fn roofs(&self, campaign: &Campaign<Assignment>) -> Option<Result<Roofs, Failure>> {
        if !self.args.roofline.roofline {
            return None;
        }
        if matches!(self.joined.executor, Executor::Ranks(_)) {
            print::message(
                "note: --roofline is for benchmarks of one process: no roofs are measured in a job of ranks",
            );
            return None;
        }
        Some(benchmark_roofs::roofs(campaign, self.request, &self.facts.host))
    }

    /// The session and the run directory; `None` for a dry run. Every error that only rank 0 can meet is returned here.
    fn prepared(
        &self,
        campaign: &Campaign<Assignment>,
        roofs: Option<&Roofs>,
    ) -> Result<Option<(Session, PathBuf)>, Failure> {
        if campaign.cells().next().is_none() {
            return Err(Failure::nothing("nothing was selected").hint("`paw list` shows what can be measured here"));
        }
        let leaving = &self.args.leaving;
        if leaving.dry_run {
            return Ok(None);
        }
        leaving.dat.iter().try_for_each(|directory| outdir::owned(directory))?;
        let out = outdir::make(leaving.out.as_deref(), SystemTime::now(), &mut fastrand::Rng::new())?;
        let directory = out.path.clone();
        Ok(Some((self.session(campaign, roofs, out)?, directory)))
    }

    fn lead(
        &self,
        campaign: Campaign<Assignment>,
        roofs: Option<Roofs>,
        session: Session,
        directory: &Path,
    ) -> Result<Code, Failure> {
        let session = SharedSession::new(session);
        let planned = campaign.cells().map(|planned| planned.cell.clone()).collect();
        self.joined.emergency.prepare(self.emergency_ending(&session, directory, planned));
        campaign::run(campaign, self.request, &self.facts.host, &self.joined.executor, &mut session.clone());
        self.joined.emergency.stand_down();
        let mut session =
            session.take().ok_or_else(|| Failure::io("the run was ended by the thread that watches over it"))?;
        roofs.into_iter().for_each(|roofs| roofs.measure(&self.facts.host, &mut session));
        let end = finish::end(gate(self.args), &session, self.signals, &self.facts.host);
        let (run, fault) = session.finish(end);
        finish::finish(&self.args.leaving, &run, fault, directory)
    }

    /// Measures in step with rank 0, which saves and shows.
    fn follow(&self, campaign: Campaign<Assignment>, world: &World) -> Result<Code, Failure> {
        if self.share_directory(world, None)?.is_some() {
            campaign::run(campaign, self.request, &self.facts.host, &self.joined.executor, &mut Unwatched);
        }
        self.joined.part(world, Code::Done)
    }

    /// Broadcasts rank 0's run directory; `None` if there is nothing to measure. Ranks leave notes for each other below it from now on.
    fn share_directory(&self, world: &World, roots: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if let Some(Err(why)) = roots.map(|path| self.joined.notes.make(&absolute(path).join(RENDEZVOUS))) {
            print::warn(&format!("ranks cannot leave notes in {RENDEZVOUS} of the run's directory: {why}"));
        }
        let mine = roots.map(absolute).map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
        let told = world.roots_text(mine).map_err(job::broken)?;
        let directory = (!told.is_empty()).then(|| PathBuf::from(told));
        if let Some(directory) = &directory {
            self.joined.notes.join(&directory.join(RENDEZVOUS));
            world.keep_files_in(directory);
        }
        Ok(directory)
    }

    /// Saves and shows the run from the watchdog's thread when ranks no longer answer.
    fn emergency_ending(
        &self,
        session: &SharedSession,
        directory: &Path,
        planned: Vec<Cell>,
    ) -> impl FnMut(Reason) -> Code + Send + 'static {
        let (args, host) = (self.args.clone(), self.facts.host.clone());
        let (session, signals, directory) = (session.clone(), self.signals.clone(), directory.to_owned());
        let notes = self.joined.notes.clone();
        move |reason| {
            let Some(mut session) = session.take() else { return Code::Failed };
            notes.announce_saving();
            let mut end = finish::end(gate(&args), &session, &signals, &host);
            match reason {
                Reason::Silence => {
                    let ranks = session.run().teams.first().map(|team| team.ranks.clone()).unwrap_or_default();
                    let silence = Silence { ranks: &ranks, notes: &notes.take(), signs: &notes.signs() };
                    let (of_cell, of_job) = silence.why_ended();
                    // Between two cells the reason belongs to the job.
                    if session.abandon(&of_cell) == 0 {
                        print::message(&format!("paw: {of_job}"));
                    }
                    session.not_tried(&planned);
                    end.exit = exit::strongest([Code::from_number(end.exit), Code::Failed]) as i32;
                }
                Reason::Signal => session.interrupt(),
            }
            let (run, fault) = session.finish(end);
            let code = finish::finish(&args.leaving, &run, fault, &directory).unwrap_or(Code::Io);
            notes.remove();
            code
        }
    }
}

fn request(args: &RunArgs, facts: &HostFacts) -> Result<RunRequest, Failure> {
    let env = EnvVars::of_process();
    let config = config::read(&std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")))?;
    let worker = startup::worker()?;
    let interpreted = run_request::interpret(&RequestInputs {
        args,
        catalogue: paw_suites::catalogue(),
        host: &facts.host,
        env: &env,
        config: &config,
        worker,
        seed: u64::from(fastrand::u32(..)),
    })?;
    bounded(&variables(&interpreted.request), &facts.host)?;
    interpreted.notes.iter().for_each(|note| print::message(&format!("note: {note}")));
    Ok(interpreted.request)
}

/// Refuses an absurd count of threads in a variable that a library obeys before paw's own: the library allocates memory for each.
fn bounded(variables: &Variables, host: &Host) -> Result<(), Failure> {
    for name in OBEYED_FIRST {
        let text = variables.get(name).map_or("", String::as_str);
        for digits in text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
            run_request::at_once(name, "threads", digits.parse().unwrap_or(i64::MAX), host)
                .map_err(|failure| failure.hint(format!("`unset {name}`, or use --clean-env")))?;
        }
    }
    Ok(())
}

fn unplanned(error: PlanError) -> Failure {
    let text = error.to_string();
    match text.split_once(". hint: ") {
        Some((sentence, hint)) => Failure::usage(sentence).hint(hint),
        None => Failure::usage(text),
    }
}

impl RunContext<'_> {
    /// Opens a session that saves as it goes; prints warnings about the machine.
    fn session(&self, campaign: &Campaign<Assignment>, roofs: Option<&Roofs>, out: OutDir) -> Result<Session, Failure> {
        let RunContext { args, request, facts, signals, joined, selftest } = self;
        let variables = variables(request);
        capped(campaign, &variables).iter().for_each(print::caveat);
        if !args.leaving.quiet {
            print::machine_caveats(&facts.machine.caveats);
        }
        let mut header = startup::header(&out, &request.plan, &variables, &facts.machine);
        header.selftest.clone_from(selftest);
        let cells = || campaign.cells().map(|planned| &planned.cell);
        let directory = args.leaving.dat.clone().unwrap_or_else(|| out.path.clone());
        let header = confidential::cleaned(&header);
        let dat = DatFiles::new(&directory, &header, args.leaving.dat_names.into(), folders(cells()));
        let wanted = if args.leaving.quiet { ShowProgress::No } else { ShowProgress::Yes };
        let nominal_s: Option<f64> = campaign.groups.iter().map(|group| group.estimate_s).sum();
        let count = cells().count() + roofs.map_or(0, Roofs::cells);
        let expected = Expected::new(count, &request.plan, nominal_s);
        let progress = Progress::new(expected, wanted, Instant::now());
        if wanted == ShowProgress::Yes {
            print::message(&format!("measuring {} into {}", counted(count, "cell"), out.path.display()));
        }
        if let Some(why) = dry_run::undecidable(campaign, request).filter(|_| wanted == ShowProgress::Yes) {
            print::message(&format!("note: {why}"));
        }
        let mut session = Session::begin(header, out.writer, dat, progress, (*signals).clone())?;
        if let (Executor::Ranks(world), Some(launcher)) = (&joined.executor, &joined.launcher) {
            let mut teams: Vec<u32> = cells().filter_map(|cell| cell.team).collect();
            teams.sort_unstable();
            teams.dedup();
            teams.into_iter().for_each(|id| session.team(world.recorded_team(id, launcher.kind.name())));
        }
        Ok(session)
    }
}

/// The flags that decide the exit code.
fn gate(args: &RunArgs) -> ExitRule {
    let skips = if args.measuring.require { Skips::Missing } else { Skips::Fine };
    ExitRule { skips, strict_env: args.measuring.strict_env, fail_on: None }
}

/// The environment variables that measured code sees.
fn variables(request: &RunRequest) -> Variables {
    let mut variables = environment::current();
    if request.environment == WorkerEnvironment::Clean {
        environment::steering(&variables).iter().for_each(|name| drop(variables.remove(name)));
    }
    variables
}

/// Variables that cap the instruction set, where the campaign measures a library. Thread limits do not count: workers set threads themselves.
fn capped(campaign: &Campaign<Assignment>, variables: &Variables) -> Vec<Caveat> {
    let foreign =
        |planned: &PlannedBenchmark| matches!(&planned.job.provider, Resolved::Here(p) if p.library.is_some());
    let is_blas = |planned: &&PlannedBenchmark| matches!(planned.job.benchmark.common.providers, Providers::Blas(_));
    let measured = campaign.cells().filter(is_blas).any(foreign);
    let capping = environment::capping(variables).into_iter().filter(|c| measured && c.cap == Cap::Isa);
    capping.map(|c| c.caveat()).collect()
}

/// One folder for each provider where several write `.dat` files.
fn folders<'a>(cells: impl Iterator<Item = &'a Cell>) -> Folders {
    // File names already distinguish the devices of a back-end.
    let name = |cell: &'a Cell| match cell.point.int(axis::DEVICES) {
        Some(_) => cell.provider.trim_end_matches(|c: char| c.is_ascii_digit() || c == '+'),
        None => cell.provider.as_str(),
    };
    let mut providers: Vec<_> = cells.filter(|cell| cell.dat.is_some()).map(name).collect();
    providers.sort_unstable();
    providers.dedup();
    if providers.len() > 1 { Folders::PerProvider } else { Folders::One }
}
