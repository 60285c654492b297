//! `paw kernel matrix` and `paw kernel check`: every build at every level.

use paw_data::kernel::Question;
use paw_kernels::builds::compiler::Compiler;
use paw_kernels::builds::identical::Identical;
use paw_kernels::builds::{BuildJob, Built, jobs};
use paw_kernels::campaign::Children;
use paw_kernels::plan::KernelPlanner;
use paw_kernels::request::KernelRequest;
use paw_kernels::search::{CandidateBuilder, FlagSearch};

use super::plan;
use super::processors;
use super::setup::{self, Setup, WantedBuilds};
use super::why::{Reasons, Why};
use crate::cli::AskedArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel;
use crate::print;
use crate::roofs::Roofline;

/// Builds, measures or checks, saves, shows.
/// `candidates` are flags that a search tries.
pub fn matrix(
    args: &AskedArgs,
    question: Question,
    (roofline, why): (Roofline, Reasons),
    candidates: &[String],
) -> Result<Code, Failure> {
    kernel::not_on_a_device(&args.on)?;
    let mut spec = kernel::spec(&args.spec)?;
    let here = setup::here(&args.leaving)?;
    let wanted = setup::wanted(&mut spec, &args.builds)?;
    let sizes = if question == Question::Search { kernel::one_level(&args.sizes) } else { args.sizes.clone() };
    let levels = kernel::levels(&spec, &sizes, &here.host.topology)?;
    let mut request = kernel::request(spec, question, &args.protocol, levels)?;
    let candidates = setup::candidates(candidates);
    // A check compares no speeds. The first step of a search has the most builds.
    let compared = match question {
        Question::Check => 0,
        Question::Search => candidates.len() + 1,
        _ => wanted.jobs.iter().filter(|job| !job.is_residency()).count(),
    };
    request = setup::separating(request, compared, args.leaving.quiet);
    if args.leaving.dry_run {
        return match question {
            Question::Search => plan::search(searched_from(&wanted, args)?, &candidates, &request, &args.leaving),
            _ => plan::wanted(&wanted, &request, &args.leaving),
        };
    }
    let mut setup = Setup::open(here, &args.protocol, &args.leaving)?;
    setup.roofline = roofline;
    if question == Question::Search {
        return searched(args, &candidates, &request, wanted, setup);
    }
    measured(args, &request, wanted, setup, why)
}

fn measured(
    args: &AskedArgs,
    request: &KernelRequest,
    wanted: WantedBuilds,
    mut setup: Setup,
    why: Reasons,
) -> Result<Code, Failure> {
    let mut builds = setup.build(&wanted.jobs, &request.spec, setup::identical(&args.builds), "");
    builds.extend(wanted.absent);
    if request.question == Question::Check {
        processors::check_in_parallel(&mut setup.bench, &builds, &setup.here);
    }
    let bench = setup.bench.clone();
    let reference = setup::reference(request, &builds);
    let mut planner = KernelPlanner::new(request, &bench, reference);
    let groups: Vec<_> =
        (0..).zip(&request.levels).map(|(group, level)| planner.level(group, level, &builds)).collect();
    let reasons = Why { request, jobs: &wanted.jobs, builds: &builds };
    let facts = setup::facts(request, reference);
    let (run, fault) = setup.run(request, facts, groups, &args.protocol, |setup, session| match why {
        Reasons::Wanted => reasons.add(setup, session),
        Reasons::None => Ok(()),
    })?;
    setup.show(&args.leaving, &run, fault)
}

fn searched(
    args: &AskedArgs,
    candidates: &[String],
    request: &KernelRequest,
    wanted: WantedBuilds,
    mut setup: Setup,
) -> Result<Code, Failure> {
    let first = searched_from(&wanted, args)?;
    let [level] = request.levels.as_slice() else {
        return Err(Failure::usage("--search works at one size").hint("--levels L1, or --n 88"));
    };
    let bench = setup.bench.clone();
    let base = first.flags.flags.clone();
    let reference: Vec<BuildJob> = setup::reference_job(&request.spec, first)?.into_iter().collect();
    let reference = setup.build(&reference, &request.spec, Identical::Keep, "reference");
    let steps = candidates.len() + 1;
    let mut session = setup.session(request, setup::facts(request, reference.first()), steps)?;
    let mut planner = KernelPlanner::new(request, &bench, reference.first());
    let mut builder = StepBuilder { setup: &setup, request, first, number: 0 };
    let mut search = FlagSearch {
        level,
        plan: &request.plan(),
        session: &setup::clocked(),
        children: &mut Children::new(&bench),
        planner: &mut planner,
        builder: &mut builder,
        watch: &mut session,
    };
    let found = search.run(&base, candidates);
    let (run, fault) = setup.close(session, &args.protocol);
    let code = setup.show(&args.leaving, &run, fault);
    print::message(&match found.joined.as_slice() {
        [] => format!("no flag joined {base}"),
        joined => format!("{} joined: {}", joined.join(" "), found.flags),
    });
    code
}

/// The build that a search begins with: the first of those typed.
fn searched_from<'w>(wanted: &'w WantedBuilds, args: &AskedArgs) -> Result<&'w BuildJob, Failure> {
    let none = || Failure::nothing("there is nothing to search from");
    wanted.jobs.iter().find(|job| setup::is_typed(job, &args.builds)).ok_or_else(none)
}

/// Builds what a step of the search asks for.
struct StepBuilder<'a> {
    setup: &'a Setup,
    request: &'a KernelRequest,
    first: &'a BuildJob,
    number: u32,
}

impl CandidateBuilder for StepBuilder<'_> {
    fn build(&mut self, flags: &str, more: &[String]) -> Vec<Built> {
        self.number += 1;
        let mut spec = self.request.spec.clone();
        spec.variants = self.first.variant.clone().into_iter().collect();
        let compilers: [Compiler; 1] = [self.first.compiler.clone()];
        let sets: Vec<String> =
            std::iter::once(flags.to_owned()).chain(more.iter().map(|flag| format!("{flags} {flag}"))).collect();
        // Flags that were split once can be split again.
        let jobs = jobs(&spec, &compilers, &sets).unwrap_or_default();
        self.setup.build(&jobs, &spec, Identical::Merge, &format!("step-{}", self.number))
    }
}
