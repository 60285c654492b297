//! `paw kernel measure`: one build at one size.

use paw_data::kernel::Question;
use paw_data::run::Run;
use paw_kernels::campaign::Campaign;
use paw_kernels::plan::{Planner, Spot};

use super::workshop::{self, Workshop};
use crate::cli::MeasureArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel;
use crate::print;

/// Builds, measures, saves, shows.
pub fn measure(args: &MeasureArgs) -> Result<Code, Failure> {
    let mut spec = kernel::spec(&args.spec)?;
    let here = if args.leaving.dry_run { crate::here::look()? } else { workshop::watched()? };
    let sizes = kernel::one_level(&args.sizes);
    let whole = spec.clone();
    let mut wanted = workshop::wanted(&mut spec, &args.builds)?;
    let levels = kernel::levels(&spec, &sizes, &here.host.topology)?;
    // The first of everything that was not typed; the rest belongs to the matrix.
    workshop::one(&mut wanted, &args.builds);
    let [level] = levels.as_slice() else {
        return Err(Failure::usage("one size is measured at a time").hint("paw kernel matrix takes several"));
    };
    let level = level.clone();
    let request = kernel::request(whole, Question::Measure, &args.protocol, levels)?;
    if args.leaving.dry_run {
        return workshop::dry_run(&wanted, &request, &args.leaving);
    }
    let mut workshop = Workshop::open(here, &args.protocol, &args.leaving)?;
    let mut all = wanted.jobs.clone();
    all.extend(workshop::reference_job(&request.spec, &wanted)?);
    let builds = workshop.build(&all, &request.spec, paw_kernels::builds::identical::Identical::Keep, "");
    let bench = workshop.bench.clone();
    let mut planner = Planner::new(&request, &bench, builds.last(), 0);
    let measure = request.measure;
    let role = paw_data::cell::Role::Subject;
    let spot = Spot { group: 0, level: Some(&level.name), n: level.n, role, measure, axes: Vec::new() };
    let groups = vec![vec![planner.cell(&builds[0], spot)]];
    let mut session = workshop.session(&request, workshop::facts(&request, builds.last()), 1)?;
    Campaign::new(&bench).run(groups, &request.plan(), &mut session);
    let (run, fault) = workshop.close(session, &args.protocol);
    if args.raw {
        let code = run.end.as_ref().map_or(Code::Done, |end| Code::from_number(end.exit));
        raw(&run)?;
        return fault.map_or(Ok(code), Err);
    }
    workshop.show(&args.leaving, &run, fault)
}

/// The ticks of an iteration, one sample a line, in the order they were taken; seconds where no ticks are counted.
fn raw(run: &Run) -> Result<(), Failure> {
    let hz = run.instruments.first().and_then(|instrument| instrument.hz).unwrap_or(1.0);
    let mut text = String::new();
    for record in &run.records {
        let iterations = record.cell.work.operations();
        record.samples.per_loop_s().iter().for_each(|s| text += &format!("{:.4}\n", s * hz / iterations));
        if let Some(why) = record.outcome.as_ref().and_then(|outcome| outcome.why.as_ref()) {
            print::tell(&format!("paw: {why}"));
        }
    }
    print::show(&text)
}
