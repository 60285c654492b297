//! `paw kernel fit`: the sizes at which the arrays lie in each cache; measured, the jump past each cache's end.

use paw_data::kernel::Question;
use paw_kernels::plan::KernelPlanner;
use paw_kernels::sensitivity::residency;

use super::plan;
use super::setup::{self, Setup};
use crate::cli::{AskedArgs, FitArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel;
use crate::print;
use crate::table::Table;

/// Prints the sizes, or measures at them.
pub fn fit(args: &FitArgs) -> Result<Code, Failure> {
    kernel::not_on_a_device(&args.asked.on)?;
    if args.measure { measured(&args.asked) } else { show_sizes(&args.asked) }
}

fn show_sizes(args: &AskedArgs) -> Result<Code, Failure> {
    let spec = kernel::spec(&args.spec)?;
    let here = crate::host_facts::read()?;
    let memory = kernel::memory(&args.sizes, &here.host.topology)?;
    let mut table = Table::new(&["level", "n", "from", "to", "bytes", "capacity", "rule"]);
    for fitted in paw_kernels::fit::fit(&spec, &memory, &kernel::rules(&args.sizes)?) {
        match &fitted {
            Ok(level) => table.row([
                &level.name,
                &level.n.to_string(),
                &level.n_min.to_string(),
                &level.n_max.to_string(),
                &level.footprint_bytes.to_string(),
                &crate::amount::binary(level.capacity_bytes),
                &level.rule,
            ]),
            Err(why) => table.row([kernel::level_name(&fitted), "-", "-", "-", "-", "-", &why.to_string()]),
        }
    }
    let mut text = table.written(args.leaving.format, print::width());
    if args.leaving.format == crate::cli::Format::Text {
        text = format!("footprint {} bytes\n\n{text}", spec.footprint());
    }
    print::show(&text)?;
    Ok(Code::Done)
}

fn measured(args: &AskedArgs) -> Result<Code, Failure> {
    let mut spec = kernel::spec(&args.spec)?;
    let Some(variant) = spec.residency().map(|variant| variant.name.clone()) else {
        return Err(Failure::usage(format!("{} has no variant that only moves its data", args.spec.display()))
            .hint("add one, `walk = { define = [\"WALK\"], residency = true }` under [variants]"));
    };
    spec.variants.retain(|one| one.name == variant);
    let here = setup::watched()?;
    let levels = kernel::caches(&spec, &args.sizes, &here.host.topology)?;
    let mut wanted = setup::wanted(&mut spec, &args.builds)?;
    wanted.jobs.truncate(1);
    let request = kernel::request(spec, Question::Residency, &args.protocol, levels)?;
    if args.leaving.dry_run {
        return plan::wanted(&wanted, &request, &args.leaving);
    }
    let mut setup = Setup::open(here, &args.protocol, &args.leaving)?;
    let builds = setup.build(&wanted.jobs, &request.spec, setup::identical(&args.builds), "");
    let bench = setup.bench.clone();
    let mut planner = KernelPlanner::new(&request, &bench, None);
    let groups = residency(&builds[0], &request.levels, &request, &mut planner);
    let (run, fault) = setup.run(&request, setup::facts(&request, None), groups, &args.protocol, |_, _| Ok(()))?;
    setup.show(&args.leaving, &run, fault)
}
