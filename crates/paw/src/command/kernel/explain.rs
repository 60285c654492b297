//! `paw kernel explain`: why one build takes its time.

use paw_data::kernel::Question;
use paw_data::run::Run;
use paw_kernels::builds::Built;
use paw_kernels::campaign::Children;
use paw_kernels::explain::{self, Subject};
use paw_kernels::plan::{CellSettings, KernelPlanner};
use paw_kernels::processor_model::ProcessorModel;
use paw_kernels::request::KernelRequest;
use paw_measure::campaign;
use paw_measure::planned::Campaign;
use paw_measure::watch::Watch;

use super::plan;
use super::setup::{self, Setup};
use crate::cli::{AskedArgs, ExplainArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel;
use crate::model_store::{Freshness, ModelStore};
use crate::print;

/// Samples of each size and of each row, unless others are asked for: enough for a lower quartile.
const SAMPLES: u32 = 9;

/// Builds, measures, takes the loop apart, saves, shows.
pub fn explain(ExplainArgs { asked: args, fresh_model }: &ExplainArgs) -> Result<Code, Failure> {
    kernel::not_on_a_device(&args.on)?;
    let mut spec = kernel::spec(&args.spec)?;
    let here = setup::here(&args.leaving)?;
    let whole = spec.clone();
    let mut wanted = setup::wanted(&mut spec, &args.builds)?;
    let mut sizes = args.sizes.clone();
    if sizes.n.is_none() && sizes.levels.is_empty() {
        sizes.levels = vec!["all".to_owned()];
    }
    let levels = kernel::levels(&spec, &sizes, &here.host.topology)?;
    setup::one(&mut wanted, &args.builds);
    let mut request = kernel::request(whole, Question::Explain, &args.protocol, levels)?;
    if args.protocol.metas.is_none() {
        request.measure.metas = SAMPLES;
    }
    if args.leaving.dry_run {
        return plan::wanted(&wanted, &request, &args.leaving);
    }
    let mut setup = Setup::open(here, &args.protocol, &args.leaving)?;
    let builds = setup.build_beside_reference(&wanted, &request.spec)?;
    let store = ModelStore::of(&setup.here.machine.identity.fingerprint);
    let mut model = store.model(if *fresh_model { Freshness::Fresh } else { Freshness::Kept });
    let (run, fault) = measured(args, &request, &builds, &mut setup, &mut model)?;
    store.keep(&model);
    setup.show(&args.leaving, &run, fault)
}

fn measured(
    args: &AskedArgs,
    request: &KernelRequest,
    builds: &[Built],
    setup: &mut Setup,
    model: &mut ProcessorModel,
) -> Result<(Run, Option<Failure>), Failure> {
    let bench = setup.bench.clone();
    let mut planner = KernelPlanner::new(request, &bench, builds.last());
    let spot = |group, level: &paw_data::kernel::Level| CellSettings::new(group, level.n, request.measure);
    let groups: Vec<_> = (0..)
        .zip(&request.levels)
        .map(|(group, level)| {
            let spot = CellSettings { level: Some(&level.name), ..spot(group, level) };
            vec![planner.cell(&builds[0], spot)]
        })
        .collect();
    let facts = setup::facts(request, builds.last());
    let mut session = setup.session(request, facts, groups.len())?;
    let mut children = Children::new(&bench);
    campaign::run(Campaign::unestimated(groups), &request.plan(), &setup::clocked(), &mut children, &mut session);
    if builds[0].library.is_ok() {
        let subject = Subject { request, built: &builds[0], bench: &bench, samples: request.measure.metas };
        let quiet = args.leaving.quiet;
        let explanation = explain::explain(subject, model, &mut |words| {
            if !quiet {
                print::message(words);
            }
            session.asked()
        });
        session.explained(explanation);
    }
    Ok(setup.close(session, &args.protocol))
}
