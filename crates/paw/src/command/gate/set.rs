//! `paw gate set`: a file of references from runs.

use paw_data::baseline::bounds::{Candidates, Rule};
use paw_data::baseline::peaks::peaks;

use super::different;
use crate::amount::counted;
use crate::cli::GateSetArgs;
use crate::exit::Code;
use crate::failure::Failure;
use crate::gate::reference_file;
use crate::{file, print};

/// Writes the file.
pub fn set(args: &GateSetArgs) -> Result<Code, Failure> {
    if let Some(path) = args.out.as_ref().filter(|path| path.is_file()) {
        let sentence = format!("{} is there already, perhaps with comments of somebody", path.display());
        return Err(Failure::usage(sentence).hint("`paw gate update FILE --from RUN` changes it; or remove it first"));
    }
    let runs = different(&args.from)?;
    let rule = Rule { statistic: args.statistic.into(), share: args.percentile / 100.0 };
    let found = Candidates::of(&runs, rule);
    found.notes.iter().for_each(|note| print::warn(note));
    let mut derived = Vec::new();
    for peak in runs.iter().filter(|_| args.peaks).flat_map(peaks) {
        if !derived.contains(&peak) {
            derived.push(peak);
        }
    }
    if args.peaks && derived.is_empty() {
        print::warn("no peak follows from what these machines say they are: paw measures the peak of processors");
    }
    if found.all.is_empty() && derived.is_empty() {
        return Err(Failure::nothing("the runs have no number that could be a reference: nothing was written"));
    }
    let text = reference_file::written(&found.all, &derived, args.machine.as_deref());
    let Some(path) = &args.out else {
        print::show(&text)?;
        return Ok(Code::Done);
    };
    file::write(path, &text)?;
    let peaks =
        if derived.is_empty() { String::new() } else { format!(" and {}", counted(derived.len(), "derived peak")) };
    let (references, from) = (counted(found.all.len(), "reference"), counted(runs.len(), "run"));
    print::show(&format!("{}: {references} of {from}{peaks}\n", path.display()))?;
    Ok(Code::Done)
}
