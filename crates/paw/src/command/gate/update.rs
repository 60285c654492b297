//! `paw gate update`: measured references changed where they stand.

use std::collections::BTreeMap;

use paw_data::baseline::Baseline;
use paw_data::baseline::bounds::{Candidate, Candidates, Rule};
use paw_data::baseline::subject::is_same;
use paw_data::bounded;
use paw_data::run::Run;

use super::{different, references};
use crate::amount::counted;
use crate::cli::GateUpdateArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::gate::reference_file::Edited;
use crate::{file, print};

/// Percentile of references that have none.
const PERCENTILE: f64 = 5.0;

/// A change of this share of a bound is rounding.
const ROUNDING: f64 = 2e-4;

/// Changes the file, and prints what changed.
pub fn update(args: &GateUpdateArgs) -> Result<Code, Failure> {
    let baselines = references(&args.file)?;
    let cannot = |why: String| Failure::io(format!("{} cannot be read: {why}", args.file.display()));
    let text = bounded::text(&args.file).map_err(|error| cannot(error.to_string()))?;
    let mut edited = Edited::new(&text).map_err(cannot)?;
    let mut measured = Measured { runs: different(&args.from)?, found: BTreeMap::new() };
    let (mut lines, mut kept, mut changed) = (String::new(), 0, 0);
    for (at, baseline) in baselines.iter().enumerate() {
        let Some(stated) = baseline.provenance.measured() else {
            lines.push_str(&format!("as it was     {}: nobody measured it with paw\n", baseline.title()));
            continue;
        };
        let share = args.percentile.or(stated.percentile).unwrap_or(PERCENTILE) / 100.0;
        let Some(candidate) = measured.of(baseline, share) else { continue };
        let (old, new) = (baseline.worse(), worse(baseline, &candidate));
        let shown = |bound: Option<f64>| bound.map_or("none".to_owned(), |bound| baseline.unit.shown(bound));
        let bound = format!("bound {} -> {}", shown(old), shown(Some(new)));
        if loosens(baseline, new) && !args.loosen {
            kept += 1;
            lines.push_str(&format!("as it was     {}: {bound} needs --loosen\n", baseline.title()));
            continue;
        }
        if edited.change(at, &candidate, &baseline.unit).is_some() {
            changed += 1;
            let values = format!("{} -> {}", baseline.unit.shown(baseline.value), baseline.unit.shown(candidate.value));
            lines.push_str(&format!("changed       {}: {values}, {bound}\n", baseline.title()));
        }
    }
    if changed > 0 {
        file::write(&args.file, &edited.text())?;
    }
    print::show(&format!("{lines}{}: {} changed\n", args.file.display(), counted(changed, "reference")))?;
    if kept > 0 {
        print::message(&format!("paw: {} would allow worse values: --loosen changes them too", counted(kept, "bound")));
    }
    Ok(Code::Done)
}

/// The bound on the bad side that a candidate gives, in plain units.
fn worse(baseline: &Baseline, candidate: &Candidate) -> f64 {
    let fraction = if baseline.unit.counted.more_is_better() { candidate.lower } else { candidate.upper };
    candidate.value * (1.0 + fraction)
}

/// Whether the new bound allows values that the old one does not.
fn loosens(baseline: &Baseline, new: f64) -> bool {
    let change = baseline.worse().map_or(0.0, |old| new / old - 1.0);
    if baseline.unit.counted.more_is_better() { change < -ROUNDING } else { change > ROUNDING }
}

/// The runs, and what they give by pattern of machine, share and statistic.
struct Measured {
    runs: Vec<Run>,
    found: BTreeMap<(String, u64, &'static str), Vec<Candidate>>,
}

impl Measured {
    /// The only candidate for a baseline.
    fn of(&mut self, baseline: &Baseline, share: f64) -> Option<Candidate> {
        let pattern = baseline.machine.as_ref();
        let key = (pattern.map(ToString::to_string).unwrap_or_default(), share.to_bits(), baseline.statistic.word());
        let runs = &self.runs;
        let found = self.found.entry(key).or_insert_with(|| {
            let fits = |run: &&Run| pattern.is_none_or(|pattern| pattern.fits_machine(&run.header.machine));
            let here: Vec<Run> = runs.iter().filter(fits).cloned().collect();
            Candidates::of(&here, Rule { statistic: baseline.statistic, share }).all
        });
        let mut fitting = found.iter().filter(|candidate| is_for(candidate, baseline));
        fitting.next().filter(|_| fitting.next().is_none()).cloned()
    }
}

fn is_for(candidate: &Candidate, baseline: &Baseline) -> bool {
    let commanded = match (&baseline.command, &candidate.command) {
        (None, _) => true,
        (Some(pattern), Some(own)) => pattern.0 == *own || pattern.fits(own),
        (Some(_), None) => false,
    };
    let has = |(axis, value)| candidate.point.value(axis).is_some_and(|own| is_same(own, value));
    commanded
        && (baseline.benchmark.is_empty() || baseline.benchmark == candidate.benchmark)
        && baseline.provider.as_ref().is_none_or(|provider| *provider == candidate.provider)
        && candidate.metric == baseline.metric
        && candidate.unit.is_related(&baseline.unit)
        && baseline.point.iter().all(has)
}
