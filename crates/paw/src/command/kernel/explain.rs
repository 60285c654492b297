//! `paw kernel explain`: why one build takes its time.

use std::time::Duration;

use paw_data::kernel::Question;
use paw_data::method::Plan;
use paw_data::run::Run;
use paw_kernels::builds::Built;
use paw_kernels::campaign::Children;
use paw_kernels::explain::allowance::{Allowance, BUDGET_S, OwnSeries, WARMUP_S, patience};
use paw_kernels::explain::{self, Subject};
use paw_kernels::plan::{CellSettings, KernelPlanner};
use paw_kernels::processor_model::ProcessorModel;
use paw_kernels::request::{KernelRequest, Workbench};
use paw_measure::campaign;
use paw_measure::fault::Fault;
use paw_measure::planned::Campaign;
use paw_measure::watch::{Control, Watch};

use super::plan;
use super::setup::{self, Setup};
use crate::cli::{AskedArgs, ExplainArgs};
use crate::exit::Code;
use crate::failure::Failure;
use crate::kernel;
use crate::model_store::{Freshness, ModelStore};
use crate::print;
use crate::session::Session;

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
    if args.protocol.warmup.is_none() {
        request.measure.warmup_s = Some(WARMUP_S);
    }
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
    let facts = setup::facts(request, builds.last());
    let mut session = setup.session(request, facts, request.levels.len())?;
    let allowance = Allowance::begin(request.budget_s.unwrap_or(BUDGET_S));
    let bench = setup.bench.clone();
    let cells = Cells { request, builds, bench: &bench, allowance, is_patient: args.protocol.timeout.is_none() };
    let series = cells.measured(&mut session);
    if builds[0].library.is_ok() {
        let slowest_s = series.iter().map(|own| own.call_s).fold(0.0, f64::max);
        let bench = cells.bench_for(slowest_s);
        let samples = request.measure.metas;
        let subject = Subject { request, built: &builds[0], bench: &bench, samples, series: &series, allowance };
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

/// The cells of the build that is explained, one for each size.
struct Cells<'a> {
    request: &'a KernelRequest,
    builds: &'a [Built],
    bench: &'a Workbench,
    allowance: Allowance,
    /// Whether children of long calls may take longer to answer than usual: the user set no limit.
    is_patient: bool,
}

impl Cells<'_> {
    /// Measures them within half of the time, the other half of which is for taking the loop apart; their series. A size whose calls must
    /// take too long, by those of the size before, is left out.
    fn measured(&self, session: &mut Session) -> Vec<OwnSeries> {
        let Self { request, builds, bench, allowance, .. } = self;
        let mut planner = KernelPlanner::new(request, bench, builds.last());
        let clock = setup::clocked();
        let mut series: Vec<OwnSeries> = Vec::new();
        for (number, level) in request.levels.iter().enumerate() {
            let spot = CellSettings::new(number as u32, level.n, request.measure);
            let mut cell = planner.cell(&builds[0], CellSettings { level: Some(&level.name), ..spot });
            let call_s = self.expected_call_s(number, &series);
            if let Some(why) = allowance.refuses_cell(level, call_s) {
                cell.job.description = Err(Fault::Missing(why));
            }
            let share_s = allowance.left_s() / (2 * (request.levels.len() - number)) as f64;
            let plan = Plan { budget_s: Some(clock.at_s() + share_s), ..request.plan() };
            let bench = self.bench_for(call_s);
            let mut children = Children::new(&bench);
            let control = campaign::run(Campaign::unestimated(vec![vec![cell]]), &plan, &clock, &mut children, session);
            let own = session.run().records.last().map(OwnSeries::of).unwrap_or_default();
            // What was left out still says how long the next size takes at least.
            series.push(if own.cycles.is_empty() { OwnSeries { call_s, ..own } } else { own });
            if control == Control::Stop {
                break;
            }
        }
        series
    }

    /// Seconds that a call at the size `number` takes at least, by the size before; NaN if nothing is known.
    fn expected_call_s(&self, number: usize, series: &[OwnSeries]) -> f64 {
        let iterations = |number: usize| {
            let level = self.request.levels.get(number)?;
            self.request.spec.iterations_at(level.n).ok().map(|iterations| iterations as f64)
        };
        let before = number.checked_sub(1).and_then(|before| iterations(before).zip(series.get(before)));
        before.zip(iterations(number)).map_or(f64::NAN, |((before, own), now)| own.call_s * now / before)
    }

    /// The children's equipment where calls take `call_s` seconds. Who gives the whole more time gives each answer as much.
    fn bench_for(&self, call_s: f64) -> Workbench {
        let given = self.request.budget_s.and_then(|budget_s| Duration::try_from_secs_f64(budget_s).ok());
        let usual = self.bench.deadline.max(given.filter(|_| self.is_patient).unwrap_or_default());
        let deadline = if self.is_patient { patience(usual, call_s) } else { usual };
        Workbench { deadline, ..self.bench.clone() }
    }
}
