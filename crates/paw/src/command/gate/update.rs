//! `paw gate update`: measured references changed where they stand.

use std::collections::BTreeMap;

use paw_data::baseline::bounds::{Candidate, Candidates, Rule};
use paw_data::baseline::subject::is_same;
use paw_data::baseline::{Baseline, Measured};
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

/// Changes the file, and prints what changed, and of each other reference why it did not.
pub fn update(args: &GateUpdateArgs) -> Result<Code, Failure> {
    let baselines = references(&args.file)?;
    let cannot = |why: String| Failure::io(format!("{} cannot be read: {why}", args.file.display()));
    let text = bounded::text(&args.file).map_err(|error| cannot(error.to_string()))?;
    let mut edited = Edited::new(&text).map_err(cannot)?;
    let mut given = Given { runs: different(&args.from)?, found: BTreeMap::new() };
    let (mut lines, mut kept, mut changed) = (String::new(), 0, 0);
    for (at, baseline) in baselines.iter().enumerate() {
        let mut say = |what: &str, why: &str| lines.push_str(&format!("{what:<13} {}: {why}\n", baseline.title()));
        let Some(stated) = baseline.provenance.measured() else {
            say("as it was", "nobody measured it with paw");
            continue;
        };
        let share = args.percentile.or(stated.percentile).unwrap_or(PERCENTILE) / 100.0;
        let candidate = match given.of(baseline, share) {
            Ok(candidate) => candidate,
            Err(why) => {
                say("as it was", &why);
                continue;
            }
        };
        let bound = bounds(baseline, &candidate);
        let less = less_evidence(stated, &candidate.measured);
        let asks: Vec<&str> = [loosens(baseline, &candidate).then_some(&bound), less.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        if !asks.is_empty() && !args.loosen {
            kept += 1;
            say("as it was", &format!("{} needs --loosen", asks.join(", ")));
            continue;
        }
        if edited.change(at, &candidate, &baseline.unit).is_some() {
            changed += 1;
            let values = format!("{} -> {}", baseline.unit.shown(baseline.value), baseline.unit.shown(candidate.value));
            let less = less.map_or(String::new(), |less| format!(", {less}"));
            say("changed", &format!("{values}, {bound}{less}"));
        }
    }
    if changed > 0 {
        file::write(&args.file, &edited.text())?;
    }
    given.notes().into_iter().for_each(print::warn);
    print::show(&format!("{lines}{}: {} changed\n", args.file.display(), counted(changed, "reference")))?;
    if kept > 0 {
        let kept = counted(kept, "reference");
        print::message(&format!(
            "paw: {kept} would allow worse values or have less evidence: --loosen changes them too"
        ));
    }
    Ok(Code::Done)
}

/// `bound 10 ms -> 11 ms`.
fn bounds(baseline: &Baseline, candidate: &Candidate) -> String {
    let shown = |bound: Option<f64>| bound.map_or("none".to_owned(), |bound| baseline.unit.shown(bound));
    format!("bound {} -> {}", shown(baseline.worse()), shown(Some(worse(baseline, candidate))))
}

/// `20 runs on 6 days -> 1 run on 1 day`, where the new evidence is less than the old one.
fn less_evidence(old: &Measured, new: &Measured) -> Option<String> {
    let shown = |own: &Measured| format!("{} on {}", counted(own.runs, "run"), counted(own.days, "day"));
    (new.runs < old.runs || new.days < old.days).then(|| format!("{} -> {}", shown(old), shown(new)))
}

/// The bound on the bad side that a candidate gives, in plain units.
fn worse(baseline: &Baseline, candidate: &Candidate) -> f64 {
    let fraction = if baseline.unit.counted.more_is_better() { candidate.lower } else { candidate.upper };
    candidate.value * (1.0 + fraction)
}

/// Whether the new bound allows values that the old one does not.
fn loosens(baseline: &Baseline, candidate: &Candidate) -> bool {
    let change = baseline.worse().map_or(0.0, |old| worse(baseline, candidate) / old - 1.0);
    if baseline.unit.counted.more_is_better() { change < -ROUNDING } else { change > ROUNDING }
}

/// The runs, and what they give by pattern of machine, share and statistic.
struct Given {
    runs: Vec<Run>,
    found: BTreeMap<(String, u64, &'static str), Candidates>,
}

impl Given {
    /// The only candidate for a baseline; the error says why there is none.
    fn of(&mut self, baseline: &Baseline, share: f64) -> Result<Candidate, String> {
        let pattern = baseline.machine.as_ref();
        let fits = |run: &&Run| pattern.is_none_or(|pattern| pattern.fits_machine(&run.header.machine));
        if let Some(pattern) = pattern.filter(|_| !self.runs.iter().any(|run| fits(&run))) {
            return Err(format!("it is for `{pattern}`, and no run is of such a machine"));
        }
        let key = (pattern.map(ToString::to_string).unwrap_or_default(), share.to_bits(), baseline.statistic.word());
        let runs = &self.runs;
        let found = self.found.entry(key).or_insert_with(|| {
            let here: Vec<Run> = runs.iter().filter(fits).cloned().collect();
            Candidates::of(&here, Rule { statistic: baseline.statistic, share })
        });
        let fitting: Vec<&Candidate> = found.all.iter().filter(|candidate| is_for(candidate, baseline)).collect();
        match fitting[..] {
            [only] => Ok(only.clone()),
            [] => Err("the runs give no number for it".to_owned()),
            _ => Err(format!("{} numbers of the runs fit it: name machine, provider and point", fitting.len())),
        }
    }

    /// What the runs do not give, and what of it is in doubt, each once.
    fn notes(&self) -> Vec<&str> {
        let mut notes: Vec<&str> = Vec::new();
        for note in self.found.values().flat_map(|found| &found.notes) {
            if !notes.contains(&note.as_str()) {
                notes.push(note);
            }
        }
        notes
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
