//! The steps common to all commands that measure a kernel: make builds, open a session, close the run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use paw_apps::input;
use paw_data::build::Build;
use paw_data::cell::Role;
use paw_data::kernel::{Kernel, Question};
use paw_data::method::Plan;
use paw_data::run::Run;
use paw_data::selftest::Selftest;
use paw_data::store::dat::{DatFiles, Folders};
use paw_foreign::NO_LOADER;
use paw_kernels::builds::compile::compile;
use paw_kernels::builds::identical::{Identical, merge};
use paw_kernels::builds::{BuildJob, Built, compiler, jobs};
use paw_kernels::campaign::{Children, Planned};
use paw_kernels::executed::executed;
use paw_kernels::plan::base;
use paw_kernels::request::{KernelRequest, Workbench};
use paw_kernels::search::FLAGS;
use paw_kernels::spec::{Reference, Spec};
use paw_machine::environment;
use paw_measure::campaign;
use paw_measure::clock::Clock;
use paw_measure::instrument;
use paw_measure::planned::Campaign;
use paw_measure::watch::{Control, Watch};
use paw_sort::OrderBy;

use super::processors;
use crate::amount;
use crate::amount::counted;
use crate::cli::{BuildArgs, LeavingArgs, ProtocolArgs};
use crate::command::selftest;
use crate::confidential;
use crate::exit::{Code, Skips};
use crate::failure::Failure;
use crate::finish::{self, ExitRule};
use crate::host_facts::{self, HostFacts};
use crate::kernel::wrong;
use crate::outdir::{self, OutDir};
use crate::print;
use crate::progress::{Expected, Progress, ShowProgress};
use crate::roofs::{Roofline, Roofs};
use crate::session::Session;
use crate::signals::{Delivery, Signals};
use crate::startup;

/// Directory of builds and of compilers' output, below the run's.
const BUILDS: &str = "builds";
/// Directory of the reference's answers.
const ANSWERS: &str = "answers";
/// Longest time for a build's warm-up or one sample: a kernel that never ends is killed after it.
const DEADLINE: Duration = Duration::from_secs(30);

/// The equipment to measure a kernel.
pub struct Setup {
    /// This machine.
    pub here: HostFacts,
    /// The equipment of children.
    pub bench: Workbench,
    /// The directory of the run, absolute.
    pub directory: PathBuf,
    out: Option<OutDir>,
    signals: Signals,
    wanted: ShowProgress,
    selftest: Option<Selftest>,
    /// Whether roofs are measured after the builds.
    pub roofline: Roofline,
}

impl Setup {
    /// Makes the directory of the run, chooses a processor and calibrates the clock.
    pub fn open(here: HostFacts, protocol: &ProtocolArgs, leaving: &LeavingArgs) -> Result<Self, Failure> {
        let signals = Signals::listen(Delivery::Once)
            .map_err(|error| Failure::io(format!("cannot listen to signals: {error}")))?;
        let threads = processors::threads(protocol)?;
        let cpus = processors::cpus(protocol, threads, &here)?;
        let deadline = match protocol.timeout.as_deref() {
            Some(text) => Duration::from_secs_f64(amount::seconds(text).map_err(|why| wrong("--timeout", why))?),
            None => DEADLINE,
        };
        let out = outdir::make(leaving.out.as_deref(), SystemTime::now(), &mut fastrand::Rng::new())?;
        let directory = std::path::absolute(&out.path).unwrap_or_else(|_| out.path.clone());
        for name in [BUILDS, ANSWERS] {
            let made = directory.join(name);
            std::fs::create_dir_all(&made)
                .map_err(|error| Failure::io(format!("cannot make {}: {error}", made.display())))?;
        }
        // If the counter cannot be trusted, every number of the children has a caveat.
        let clock = Clock::tsc().unwrap_or_else(|_| Clock::monotonic());
        let bench = Workbench {
            child: (startup::own_file()?, vec![startup::KERNEL_CHILD.to_owned()]),
            cpus,
            device: 0,
            threads,
            instrument: instrument::measure(&clock),
            deadline,
            builds: directory.join(BUILDS),
            answers: directory.join(ANSWERS),
            free_bytes: here.host.available_bytes(),
        };
        let wanted = if leaving.quiet { ShowProgress::No } else { ShowProgress::Yes };
        let selftest = selftest::kept(leaving)?;
        Ok(Self { here, bench, directory, out: Some(out), signals, wanted, selftest, roofline: Roofline::None })
    }

    /// Builds `jobs`, as many at once as there are processors.
    ///
    /// `place` is a directory of their own below that of all builds; empty for the only ones.
    pub fn build(&self, jobs: &[BuildJob], spec: &Spec, keep: Identical, place: &str) -> Vec<Built> {
        let at_once = self.here.host.topology.allowed().len().max(1);
        if self.wanted == ShowProgress::Yes {
            print::message(&format!("building {} with {}", counted(jobs.len(), "kernel"), compilers(jobs)));
        }
        let directory = self.directory.join(BUILDS).join(place);
        merge(compile(jobs, spec, &directory, at_once, &mut |_| {}), keep)
    }

    /// Makes the measured build first and the reference build last, even if both are the same code.
    pub fn build_beside_reference(&self, wanted: &WantedBuilds, spec: &Spec) -> Result<Vec<Built>, Failure> {
        let reference = wanted.jobs.first().map(|measured| reference_job(spec, measured)).transpose()?.flatten();
        let jobs: Vec<BuildJob> = wanted.jobs.iter().cloned().chain(reference).collect();
        Ok(self.build(&jobs, spec, Identical::Keep, ""))
    }

    /// Measures `groups` of a kernel on processors with the facts `facts`, then its roofs if they are wanted, then what `then` adds.
    pub fn run(
        &mut self,
        request: &KernelRequest,
        facts: Kernel,
        groups: Vec<Vec<Planned>>,
        protocol: &ProtocolArgs,
        then: impl FnOnce(&Self, &mut Session) -> Result<(), Failure>,
    ) -> Result<(Run, Option<Failure>), Failure> {
        let cells: usize = groups.iter().map(Vec::len).sum();
        let plan = request.plan();
        let roofs = match self.roofline {
            Roofline::Measured => {
                let facts = Kernel { threads: self.bench.threads, ..facts.clone() };
                Some(Roofs::of_kernel(&facts, &self.here.host, &self.bench.cpus, cells as u32, &plan)?)
            }
            Roofline::None => None,
        };
        // Where the author states no operations, the machine code tells them.
        let told = self.roofline == Roofline::None || request.spec.flops.is_some();
        let untold: Vec<Planned> = if told { Vec::new() } else { groups.iter().flatten().cloned().collect() };
        let all = cells + roofs.as_ref().map_or(0, Roofs::cells);
        let mut session = self.session(request, facts, all)?;
        self.measure(&plan, request.question, groups, &mut session);
        if let Some(roofs) = roofs {
            roofs.measure(&self.here.host, &mut session);
        }
        self.execute(&untold, &mut session);
        let added = then(self, &mut session);
        let (run, fault) = self.close(session, protocol);
        Ok((run, fault.or(added.err())))
    }

    /// Counts what one call of each of `cells` that was measured does in its loops.
    fn execute(&self, cells: &[Planned], session: &mut Session) {
        for planned in cells {
            let is_measured = session.run().is_measured(planned.cell.id);
            if is_measured && planned.cell.role != Role::Bandwidth && session.asked() == Control::Go {
                session.executed(executed(planned, &self.bench));
            }
        }
    }

    /// Measures groups of cells, or only checks their answers if that is the question.
    pub fn measure(&self, plan: &Plan, question: Question, groups: Vec<Vec<Planned>>, session: &mut Session) {
        let campaign = Campaign::unestimated(groups);
        let mut children = Children::new(&self.bench);
        match question {
            Question::Check => campaign::check(campaign, &mut children, session),
            _ => campaign::run(campaign, plan, &clocked(), &mut children, session),
        };
    }

    /// A session that saves everything as it goes, of `cells` cells.
    pub fn session(&mut self, request: &KernelRequest, facts: Kernel, cells: usize) -> Result<Session, Failure> {
        let sources: Vec<&Path> =
            request.spec.sources.iter().chain([&request.spec.path]).map(PathBuf::as_path).collect();
        let cpus = &self.bench.cpus;
        let (cpu, cpus) = if let [one] = cpus[..] { (Some(one), Vec::new()) } else { (None, cpus.clone()) };
        let facts = Kernel { cpu, cpus, threads: self.bench.threads, ..facts };
        self.begin(&request.plan(), facts, &sources, cells)
    }

    /// A session of any kernel, made of `sources`.
    pub fn begin(&mut self, plan: &Plan, facts: Kernel, sources: &[&Path], cells: usize) -> Result<Session, Failure> {
        let out = self.out.take().expect("a setup opens one session");
        let mut header = startup::header(&out, plan, &environment::current(), &self.here.machine);
        // A run is shown to others: paths below the working directory are relative.
        let here = std::env::current_dir().unwrap_or_default();
        let near = sources.iter().map(|path| path.strip_prefix(&here).unwrap_or(path));
        let inputs = near.map(input::read).collect::<Result<_, _>>();
        let sources = inputs.map_err(|error| Failure::io(error.to_string()))?;
        let what = match facts.question {
            Question::Check => format!("checking {}", counted(cells, "cell")),
            Question::Analyze => "analysing the builds".to_owned(),
            _ => format!("measuring {}", counted(cells, "cell")),
        };
        header.kernel = Some(Kernel { sources, ..facts });
        header.selftest = self.selftest.take();
        if self.wanted == ShowProgress::Yes {
            print::machine_caveats(&self.here.machine.caveats);
            print::message(&format!("{what} into {}", out.path.display()));
        }
        let header = confidential::cleaned(&header);
        let dat = DatFiles::new(&out.path, &header, paw_data::store::dat::DatNames::Guide, Folders::One);
        let progress = Progress::new(Expected::new(cells, plan, None), self.wanted, Instant::now());
        Session::begin(header, out.writer, dat, progress, self.signals.clone())
    }

    /// Ends the session; returns the run with its exit code, and an error if not all of it is saved.
    pub fn close(&self, session: Session, protocol: &ProtocolArgs) -> (Run, Option<Failure>) {
        let gate = ExitRule { skips: Skips::Fine, strict_env: protocol.strict_env, fail_on: None };
        let end = finish::end(gate, &session, &self.signals, &self.here.host);
        session.finish(end)
    }

    /// Shows the run and writes its report.
    pub fn show(&self, leaving: &LeavingArgs, run: &Run, fault: Option<Failure>) -> Result<Code, Failure> {
        finish::finish(leaving, run, fault, &self.directory)
    }
}

/// A session that begins now.
pub fn clocked() -> paw_measure::session::Session<'static> {
    paw_measure::session::Session::alone(Clock::monotonic())
}

fn compilers(jobs: &[BuildJob]) -> String {
    let mut names: Vec<&str> = jobs.iter().map(|job| job.compiler.name.as_str()).collect();
    names.dedup();
    names.join(", ")
}

/// The builds to make: compilers x flags x variants, the reference first; and those that cannot be made.
pub struct WantedBuilds {
    /// Builds to try.
    pub jobs: Vec<BuildJob>,
    /// Missing compilers that were asked for, each as a row.
    pub absent: Vec<Built>,
}

/// Compilers, flags and variants, as typed or as the spec has them.
pub fn wanted(spec: &mut Spec, typed: &BuildArgs) -> Result<WantedBuilds, Failure> {
    if !typed.variants.is_empty() {
        keep_variants(spec, &typed.variants)?;
    }
    let names = if typed.compilers.is_empty() { spec.compilers.clone() } else { typed.compilers.clone() };
    let path = compiler::environment_path();
    let found = compiler::find(spec.language, &names, &path);
    let (here, absent): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
    let here: Vec<_> = here.into_iter().flatten().collect();
    let absent: Vec<_> = absent.into_iter().filter_map(Result::err).collect();
    if here.is_empty() {
        let why = absent.first().map_or_else(|| "no compiler for it is on PATH".to_owned(), ToString::to_string);
        return Err(Failure::missing(format!("{} cannot be built: {why}", spec.name))
            .hint("install one, or name one with --compilers"));
    }
    let mut jobs = jobs(spec, &here, &typed.flags).map_err(|why| wrong("--flags", why))?;
    reference_first(spec, &mut jobs);
    let absent = absent.into_iter().map(|absent| missing(&absent)).collect();
    Ok(WantedBuilds { jobs, absent })
}

/// The reference of one build that is measured: it has the spec's flags and not those typed, is built in addition,
/// and comes last.
pub fn reference_job(spec: &Spec, measured: &BuildJob) -> Result<Option<BuildJob>, Failure> {
    let compilers = [measured.compiler.clone()];
    let mut all = jobs(spec, &compilers, &[]).map_err(|why| wrong("--flags", why))?;
    all.retain(|job| !job.is_residency());
    reference_first(spec, &mut all);
    Ok(all.into_iter().next())
}

/// A missing compiler as a row.
fn missing(absent: &compiler::MissingCompiler) -> Built {
    let build = Build { compiler: absent.name.clone(), ..Build::default() };
    Built { build, variant: None, function: String::new(), library: Err(format!("did not build: {absent}")) }
}

/// Keeps the typed variants and that of the reference, with which answers and speed-ups are compared.
fn keep_variants(spec: &mut Spec, typed: &[String]) -> Result<(), Failure> {
    let known: Vec<&str> = spec.variants.iter().map(|variant| variant.name.as_str()).collect();
    if let Some(unknown) = typed.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(wrong("--variants", format!("`{unknown}` is no variant; there are {}", known.join(", "))));
    }
    let reference = spec.reference_variant().map(|variant| variant.name.clone());
    spec.variants.retain(|variant| typed.contains(&variant.name) || reference.as_ref() == Some(&variant.name));
    Ok(())
}

/// Whether the variant of `job` was typed, or none was.
pub fn is_typed(job: &BuildJob, typed: &BuildArgs) -> bool {
    typed.variants.is_empty() || job.variant.as_ref().is_some_and(|variant| typed.variants.contains(&variant.name))
}

/// Keeps the one build that is measured: the first that was typed.
pub fn one(wanted: &mut WantedBuilds, typed: &BuildArgs) {
    wanted.jobs.retain(|job| is_typed(job, typed));
    wanted.jobs.truncate(1);
}

/// Moves the reference to the front, so that builds with the same code are merged into its row.
fn reference_first(spec: &Spec, jobs: &mut [BuildJob]) {
    jobs.order_by_key(|job| {
        let variant = job.variant.as_ref().map_or("", |variant| variant.name.as_str());
        !spec.reference.fits(variant, &job.compiler.name, [&job.flags.flags, &job.flags.label])
    });
}

/// The kernel's facts for the run: those of the request, with the build whose answers are the reference.
pub fn facts(request: &KernelRequest, reference: Option<&Built>) -> Kernel {
    let build = reference.map(|built| &built.build);
    let name = match &request.spec.reference {
        Reference::File(path) => format!("file {}", path.display()),
        Reference::Function(name) => format!("function {name}"),
        Reference::First | Reference::Build { .. } | Reference::Source(..) => {
            build.map(Build::name).unwrap_or_default()
        }
    };
    let reference_variant = build.map(|build| build.variant.clone()).unwrap_or_default();
    Kernel { reference: name, reference_variant, ..request.facts() }
}

/// The build whose answers are the reference, if a build is.
pub fn reference<'b>(request: &KernelRequest, builds: &'b [Built]) -> Option<&'b Built> {
    base(builds, request).map(|number| &builds[number])
}

/// This machine, watched for a moment if something will be measured on it.
pub fn here(leaving: &LeavingArgs) -> Result<HostFacts, Failure> {
    if let Some(why) = NO_LOADER {
        return Err(Failure::missing(format!("no kernel can be loaded: {why}")));
    }
    startup::announce(leaving, startup::READING);
    if leaving.dry_run { host_facts::read() } else { watched() }
}

/// This machine, watched for a moment.
pub fn watched() -> Result<HostFacts, Failure> {
    let mut here = host_facts::read()?;
    here.watch();
    Ok(here)
}

/// Whether builds of the same code are one row.
pub fn identical(typed: &BuildArgs) -> Identical {
    if typed.keep_identical { Identical::Keep } else { Identical::Merge }
}

/// `request` with enough samples to separate `builds`, and a message if that is more than asked for.
pub fn separating(request: KernelRequest, builds: usize, quiet: bool) -> KernelRequest {
    let asked = request.measure.metas;
    let request = request.separating(builds);
    let metas = request.measure.metas;
    if metas > asked && !quiet {
        print::message(&format!("{metas} samples in place of {asked}: fewer rounds cannot separate {builds} builds"));
    }
    request
}

/// The flags that a search tries: those typed, else the default ones.
pub fn candidates(typed: &[String]) -> Vec<String> {
    if typed.is_empty() { FLAGS.iter().map(|flag| (*flag).to_owned()).collect() } else { typed.to_vec() }
}
