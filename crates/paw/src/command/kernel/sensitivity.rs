//! `paw kernel sensitivity`: varies one factor at a time and recommends settings.

use std::path::Path;

use paw_data::kernel::Question;
use paw_data::sensitivity::{self, Sensitivity};
use paw_kernels::plan::KernelPlanner;
use paw_kernels::sensitivity::{FACTORS, Factor, Variation};
use paw_kernels::spec::edit::recommend;

use super::plan;
use super::setup::{self, Setup};
use crate::cli::SensitivityArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::file;
use crate::kernel::{self, wrong};
use crate::print;
use crate::selection::closest;
use crate::setting;

/// Varies the factors, saves and shows the run; writes the recommended settings into the spec if asked.
pub fn sensitivity(SensitivityArgs { vary, write, asked: args }: &SensitivityArgs) -> Result<Code, Failure> {
    kernel::not_on_a_device(&args.on)?;
    let mut spec = kernel::spec(&args.spec)?;
    let here = setup::here(&args.leaving)?;
    let sizes = kernel::one_level(&args.sizes);
    let caches = kernel::caches(&spec, &sizes, &here.host.topology)?;
    let whole = spec.clone();
    let mut wanted = setup::wanted(&mut spec, &args.builds)?;
    setup::one(&mut wanted, &args.builds);
    let levels = kernel::levels(&spec, &sizes, &here.host.topology)?;
    let [level] = levels.as_slice() else {
        return Err(Failure::usage("warm-up and repetitions are varied at one size").hint("--levels L1, or --n 88"));
    };
    let n = level.n;
    let request = kernel::request(whole, Question::Sensitivity, &args.protocol, caches)?;
    let variations = variations(vary, &request)?;
    if args.leaving.dry_run {
        let none = || Failure::nothing("there is nothing to vary");
        let job = wanted.jobs.first().ok_or_else(none)?;
        return plan::sensitivity(job, &variations, n, &request, &args.leaving);
    }
    let mut setup = Setup::open(here, &args.protocol, &args.leaving)?;
    let builds = setup.build_beside_reference(&wanted, &request.spec)?;
    let bench = setup.bench.clone();
    let mut planner = KernelPlanner::new(&request, &bench, builds.last());
    let groups: Vec<_> = (0..)
        .zip(&variations)
        .map(|(group, variation)| variation.cells(group, &builds[0], n, request.measure, &mut planner))
        .collect();
    let (run, fault) =
        setup.run(&request, setup::facts(&request, builds.last()), groups, &args.protocol, |_, _| Ok(()))?;
    let code = setup.show(&args.leaving, &run, fault)?;
    if *write {
        write_down(&args.spec, &run)?;
    }
    Ok(code)
}

/// The factors to vary: all, or those typed.
fn variations(typed: &[String], request: &paw_kernels::request::KernelRequest) -> Result<Vec<Variation>, Failure> {
    if typed.is_empty() {
        return Ok(FACTORS.iter().map(|(_, factor)| Variation::new(*factor, Vec::new(), request)).collect());
    }
    typed.iter().map(|text| variation(text, request)).collect()
}

fn variation(text: &str, request: &paw_kernels::request::KernelRequest) -> Result<Variation, Failure> {
    let (name, values) = text.split_once('=').map_or((text, None), |(name, values)| (name, Some(values)));
    let names = || FACTORS.iter().map(|(name, _)| *name);
    let Some((_, factor)) = FACTORS.iter().find(|(known, _)| *known == name.trim()) else {
        let failure =
            wrong("--vary", format!("`{name}` is no factor; there are {}", names().collect::<Vec<_>>().join(", ")));
        return Err(match closest(name, names()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure,
        });
    };
    let values = values.map(|values| setting::whole(values).map_err(|why| wrong("--vary", why))).transpose()?;
    let values: Vec<u64> = values.unwrap_or_default().into_iter().map(i64::unsigned_abs).collect();
    let variation = Variation::new(*factor, values, request);
    if variation.values.is_empty() && *factor == Factor::Size {
        return Err(wrong("--vary n", "no cache is known whose end could be crossed")
            .hint("--caches 32K,1M, or --vary n=50..400"));
    }
    Ok(variation)
}

/// Writes what the run recommends into the spec.
fn write_down(path: &Path, run: &paw_data::run::Run) -> Result<(), Failure> {
    let found = Sensitivity::of(run);
    let recommended = |factor: sensitivity::Factor| {
        let curve = found.iter().flat_map(|found| &found.curves).find(|curve| curve.factor == factor)?;
        Some(curve.plateau.as_ref()?.as_ref().ok()?.recommended as u64)
    };
    let (warmup, reps) = (recommended(sensitivity::Factor::Warmup), recommended(sensitivity::Factor::Reps));
    if warmup.is_none() && reps.is_none() {
        print::message(&format!("nothing is recommended: {} is left as it is", path.display()));
        return Ok(());
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::io(format!("{} cannot be read: {error}", path.display())))?;
    let written = recommend(&text, warmup, reps).map_err(|why| Failure::io(format!("{}: {why}", path.display())))?;
    file::write(path, &written)?;
    let words = [warmup.map(|w| format!("warmup = {w}")), reps.map(|r| format!("reps = {r}"))];
    print::message(&format!(
        "wrote {} into {}",
        words.into_iter().flatten().collect::<Vec<_>>().join(" and "),
        path.display()
    ));
    Ok(())
}
