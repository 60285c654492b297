//! `paw kernel matrix` and `paw kernel check`: every build at every level.

use paw_data::kernel::Question;
use paw_kernels::builds::compiler::Compiler;
use paw_kernels::builds::identical::Identical;
use paw_kernels::builds::{Built, Job, jobs};
use paw_kernels::campaign::Campaign;
use paw_kernels::plan::Planner;
use paw_kernels::request::Request;
use paw_kernels::search::{FLAGS, Forge, Search};

use super::workshop::{self, Jobs, Workshop};
use crate::cli::AskedArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel;
use crate::print;

/// Builds, measures or checks, saves, shows.
/// `candidates` are flags that a search tries.
pub fn matrix(args: &AskedArgs, question: Question, candidates: &[String]) -> Result<Code, Failure> {
    kernel::not_on_a_device(&args.on)?;
    let mut spec = kernel::spec(&args.spec)?;
    let here = workshop::here(&args.leaving)?;
    let wanted = workshop::wanted(&mut spec, &args.builds)?;
    let sizes = if question == Question::Search { kernel::one_level(&args.sizes) } else { args.sizes.clone() };
    let levels = kernel::levels(&spec, &sizes, &here.host.topology)?;
    let request = kernel::request(spec, question, &args.protocol, levels)?;
    if args.leaving.dry_run {
        return workshop::dry_run(&wanted, &request, &args.leaving);
    }
    let workshop = Workshop::open(here, &args.protocol, &args.leaving)?;
    if question == Question::Search {
        return searched(args, candidates, &request, wanted, workshop);
    }
    measured(args, &request, wanted, workshop)
}

fn measured(args: &AskedArgs, request: &Request, wanted: Jobs, mut workshop: Workshop) -> Result<Code, Failure> {
    let mut builds = workshop.build(&wanted.jobs, &request.spec, workshop::identical(&args.builds), "");
    builds.extend(wanted.absent);
    let bench = workshop.bench.clone();
    let reference = workshop::reference(request, &builds);
    let mut planner = Planner::new(request, &bench, reference);
    let groups: Vec<_> =
        (0..).zip(&request.levels).map(|(group, level)| planner.level(group, level, &builds)).collect();
    let cells = groups.iter().map(Vec::len).sum();
    let mut session = workshop.session(request, workshop::facts(request, reference), cells)?;
    let mut campaign = Campaign::new(&bench);
    if request.question == Question::Check {
        campaign.check(groups, &mut session);
    } else {
        campaign.run(groups, &request.plan(), &mut session);
    }
    let (run, fault) = workshop.close(session, &args.protocol);
    workshop.show(&args.leaving, &run, fault)
}

fn searched(
    args: &AskedArgs,
    candidates: &[String],
    request: &Request,
    mut wanted: Jobs,
    mut workshop: Workshop,
) -> Result<Code, Failure> {
    workshop::one(&mut wanted, &args.builds);
    let [first] = wanted.jobs.as_slice() else {
        return Err(Failure::nothing("there is nothing to search from"));
    };
    let [level] = request.levels.as_slice() else {
        return Err(Failure::usage("--search works at one size").hint("--levels L1, or --n 88"));
    };
    let candidates: Vec<String> = match candidates {
        [] => FLAGS.iter().map(|flag| (*flag).to_owned()).collect(),
        typed => typed.to_vec(),
    };
    let bench = workshop.bench.clone();
    let base = first.flags.flags.clone();
    let reference: Vec<Job> = workshop::reference_job(&request.spec, &wanted)?.into_iter().collect();
    let reference = workshop.build(&reference, &request.spec, Identical::Keep, "reference");
    let steps = candidates.len() + 1;
    let mut session = workshop.session(request, workshop::facts(request, reference.first()), steps)?;
    let mut planner = Planner::new(request, &bench, reference.first());
    let mut campaign = Campaign::new(&bench);
    let mut smithy = Smithy { workshop: &workshop, request, first, number: 0 };
    let mut search = Search {
        level,
        plan: &request.plan(),
        campaign: &mut campaign,
        planner: &mut planner,
        forge: &mut smithy,
        watch: &mut session,
    };
    let found = search.run(&base, &candidates);
    let (run, fault) = workshop.close(session, &args.protocol);
    let code = workshop.show(&args.leaving, &run, fault);
    print::tell(&match found.joined.as_slice() {
        [] => format!("no flag helps {base} beyond the noise"),
        joined => format!("{} joined: {}", joined.join(" "), found.flags),
    });
    code
}

/// Builds what a step of the search asks for.
struct Smithy<'a> {
    workshop: &'a Workshop,
    request: &'a Request,
    first: &'a Job,
    number: u32,
}

impl Forge for Smithy<'_> {
    fn build(&mut self, flags: &str, more: &[String]) -> Vec<Built> {
        self.number += 1;
        let mut spec = self.request.spec.clone();
        spec.variants = self.first.variant.clone().into_iter().collect();
        let compilers: [Compiler; 1] = [self.first.compiler.clone()];
        let sets: Vec<String> =
            std::iter::once(flags.to_owned()).chain(more.iter().map(|flag| format!("{flags} {flag}"))).collect();
        // Flags that were split once can be split again.
        let jobs = jobs(&spec, &compilers, &sets).unwrap_or_default();
        self.workshop.build(&jobs, &spec, Identical::Merge, &format!("step-{}", self.number))
    }
}
