//! `paw kernel counters`: events of the calls of a build, at each size.

use std::path::Path;

use paw_data::counters::Counters;
use paw_data::kernel::Question;
use paw_kernels::campaign::{Children, Planned};
use paw_kernels::counting;
use paw_kernels::plan::{CellSettings, KernelPlanner};
use paw_measure::campaign;
use paw_measure::planned::Campaign;
use paw_measure::watch::{Control, Watch};
use paw_perf::processor::Processor;

use super::setup::{self, Setup, WantedBuilds};
use super::{plan, simulation};
use crate::cli::{BuildArgs, CountersArgs};
use crate::counter_groups::{self, AskedGroup};
use crate::counter_record::{self, Context};
use crate::exit::{self, Code};
use crate::failure::Failure;
use crate::kernel;
use crate::print;
use crate::recorded::Recorded;
use crate::session::Session;
use crate::simulator;
use crate::table::Table;

/// Builds, measures, counts, saves, shows.
pub fn counters(args: &CountersArgs) -> Result<Code, Failure> {
    let asked = &args.asked;
    kernel::not_on_a_device(&asked.on)?;
    let mut spec = kernel::spec(&asked.spec)?;
    let mut recorded = args.recorded.as_deref().map(Recorded::read).transpose()?;
    let processor = recorded.as_ref().map_or_else(|| Processor::read(Path::new("/")), Recorded::processor);
    let groups = match args.simulate {
        true => vec![simulator::group()?],
        false => counter_groups::asked(&args.groups, &processor)?,
    };
    if recorded.is_none() && !asked.leaving.dry_run && !args.simulate {
        counter_groups::available(&groups)?;
    }
    let here = setup::here(&asked.leaving)?;
    let whole = spec.clone();
    let mut wanted = setup::wanted(&mut spec, &asked.builds)?;
    let levels = kernel::levels(&spec, &asked.sizes, &here.host.topology)?;
    chosen(&mut wanted, &asked.builds);
    if args.simulate {
        wanted.jobs.iter_mut().for_each(|job| simulation::sibling(spec.language, job));
    }
    let request = kernel::request(whole, Question::Measure, &asked.protocol, levels)?;
    if asked.leaving.dry_run {
        dry_run(&groups, args)?;
        return plan::wanted(&wanted, &request, &asked.leaving);
    }
    let mut setup = Setup::open(here, &asked.protocol, &asked.leaving)?;
    let builds = setup.build_beside_reference(&wanted, &request.spec)?;
    let bench = setup.bench.clone();
    let mut planner = KernelPlanner::new(&request, &bench, builds.last());
    let mut cells: Vec<Vec<Planned>> = Vec::new();
    for (group, level) in (0..).zip(&request.levels) {
        let settings =
            || CellSettings { level: Some(&level.name), ..CellSettings::new(group, level.n, request.measure) };
        cells.push(builds[..wanted.jobs.len()].iter().map(|built| planner.cell(built, settings())).collect());
    }
    let count = cells.iter().map(Vec::len).sum();
    let mut session = setup.session(&request, setup::facts(&request, builds.last()), count)?;
    let campaign = Campaign::unestimated(cells.clone());
    campaign::run(campaign, &request.plan(), &setup::clocked(), &mut Children::new(&bench), &mut session);
    let measured = cells.iter().flatten();
    let bench = &setup.bench;
    let caches = simulator::caches(&setup.here.host.topology);
    let counted = count_all(measured, &groups, &mut recorded, &mut session, |planned, group| {
        if args.simulate {
            return simulation::simulated(planned, group, &caches, bench);
        }
        let note = counting::count(planned, &group.here.events, bench).map_err(|fault| fault.to_string())?;
        let context = Context::of(&group.group, &group.here, bench.instrument.hz);
        Ok(counter_record::of_calls(&context, &note, planned.cell.work.operations))
    });
    let (run, fault) = setup.close(session, &asked.protocol);
    Ok(exit::strongest([setup.show(&asked.leaving, &run, fault)?, counted]))
}

/// Keeps the builds that were typed; the first one alone where no flags were typed.
fn chosen(wanted: &mut WantedBuilds, typed: &BuildArgs) {
    if typed.flags.is_empty() && typed.compilers.len() < 2 && typed.variants.len() < 2 {
        return setup::one(wanted, typed);
    }
    let compiler = wanted.jobs.first().map(|job| job.compiler.name.clone());
    wanted.jobs.retain(|job| {
        let is_one = !typed.compilers.is_empty() || Some(&job.compiler.name) == compiler.as_ref();
        setup::is_typed(job, typed) && !job.is_residency() && is_one
    });
}

/// Counts each measured cell by `count`, or by the recorded stream, and records what came of it; [`Code::Failed`] if a count failed.
fn count_all<'a>(
    cells: impl Iterator<Item = &'a Planned>,
    groups: &[AskedGroup],
    recorded: &mut Option<Recorded>,
    session: &mut Session,
    count: impl Fn(&Planned, &AskedGroup) -> Result<Counters, String>,
) -> Code {
    let mut code = Code::Done;
    for planned in cells {
        let id = planned.cell.id;
        if !session.run().is_measured(id) {
            continue;
        }
        for group in groups {
            if session.asked() == Control::Stop {
                return code;
            }
            let counted = match recorded {
                Some(stream) => stream.next(&group.group, &group.here, planned.cell.work.operations),
                None => count(planned, group),
            };
            match counted {
                Ok(counters) => session.counters(Counters { cell: id, ..counters }),
                Err(why) => {
                    code = Code::Failed;
                    print::message(&format!("paw: {planned}: group {} was not counted: {why}", group.group.name))
                }
            }
        }
    }
    code
}

/// Shows the events that would be counted.
fn dry_run(groups: &[AskedGroup], args: &CountersArgs) -> Result<(), Failure> {
    let mut table = Table::new(&["group", "event", "counted as"]);
    for AskedGroup { group, here } in groups {
        for (name, text) in &here.table.events {
            let why = here.unresolved.iter().find(|(unresolved, ..)| unresolved == name);
            let text = why.map_or_else(|| text.clone(), |(_, text, why)| format!("{text}: {why}"));
            table.row([&group.name, name, &text]);
        }
    }
    print::show(&(table.written(args.asked.leaving.format, print::width()) + "\n"))?;
    let takes_counters = !args.simulate && args.recorded.is_none();
    if let Some(refused) = counter_groups::available(groups).err().filter(|_| takes_counters) {
        print::message(&format!("note: {}", refused.sentence));
    }
    Ok(())
}
