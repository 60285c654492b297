//! A performance log as ReFrame 4 writes it: a header, then a line for each reference, fields between bars.
//!
//! ReFrame's documentation, chapter on performance logging: a test's variables are columns `NAME_value`, `NAME_unit`, `NAME_ref`,
//! `NAME_lower_thres` and `NAME_upper_thres`, thresholds are fractions of the reference, and `None` is what is not there.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::Duration;

use paw_data::baseline::judgement::{Judgement, Verdict};
use paw_data::run::Run;
use paw_data::visible::visible;

use crate::failure::Failure;
use crate::gate::result::GateResult;
use crate::utc;

/// The columns. Those before `perf_value` and the variable's are ReFrame's; those after `perf_upper_thres` are paw's.
const HEADER: &str = "result|job_completion_time|name|descr|environ|system|partition|jobid|perf_value|perf_unit|perf_ref|\
    perf_lower_thres|perf_upper_thres|verdict|perf_low|perf_high|runs|tool";

/// Appends the result to the log at `path`; begins one with its header.
pub fn append(path: &Path, result: &GateResult<'_>) -> Result<(), Failure> {
    let refused = |error: std::io::Error| Failure::io(format!("{} cannot be written: {error}", path.display()));
    let first = match File::open(path) {
        Ok(file) => {
            let mut line = String::new();
            BufReader::new(file).read_line(&mut line).map_err(refused)?;
            Some(line.trim_end().to_owned()).filter(|line| !line.is_empty())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(refused(error)),
    };
    if first.as_ref().is_some_and(|line| line != HEADER) {
        let sentence = format!("{} has other columns than this log: nothing was appended", path.display());
        return Err(Failure::io(sentence).hint("name another file with --perflog"));
    }
    let mut text = if first.is_none() { format!("{HEADER}\n") } else { String::new() };
    result.judgements.iter().for_each(|judgement| text.push_str(&line(result, judgement)));
    // One write: lines of two gates at once do not mix.
    let opened = File::options().append(true).create(true).open(path);
    opened.and_then(|mut file| file.write_all(text.as_bytes())).map_err(refused)
}

fn line(result: &GateResult<'_>, judgement: &Judgement<'_>) -> String {
    let baseline = judgement.baseline;
    let word = match judgement.verdict {
        _ if result.fails(judgement) => "fail",
        Verdict::Pass | Verdict::Suspicious => "pass",
        _ => "skip",
    };
    let number =
        |value: Option<f64>| value.map_or("None".to_owned(), |value| (value / baseline.unit.factor).to_string());
    let fraction = |bound: Option<f64>| {
        let share = bound.map(|bound| ((bound / baseline.value - 1.0) * 1e6).round() / 1e6);
        share.map_or("None".to_owned(), |share| share.to_string())
    };
    let run = result.runs.last();
    let text = |of: fn(&Run) -> &str| run.map_or("", of).to_owned();
    let name = if baseline.benchmark.is_empty() { "command" } else { &baseline.benchmark };
    let fields = [
        word.to_owned(),
        run.map_or(String::new(), completion),
        name.to_owned(),
        baseline.title(),
        baseline.provider.clone().unwrap_or_else(|| "None".to_owned()),
        text(|run| &run.header.machine.identity.host),
        text(|run| &run.header.machine.identity.cpu),
        text(|run| &run.header.id),
        number(judgement.figure.map(|figure| figure.value)),
        baseline.unit.text.clone(),
        number(Some(baseline.value)),
        fraction(baseline.lower),
        fraction(baseline.upper),
        judgement.verdict.word().to_owned(),
        number(judgement.figure.and_then(|figure| figure.low)),
        number(judgement.figure.and_then(|figure| figure.high)),
        judgement.runs.to_string(),
        text(|run| &run.header.tool),
    ];
    fields.map(|field| visible(&field).replace('|', "/")).join("|") + "\n"
}

/// When the last sample of a run was taken, in UTC; its start where no sample says so.
fn completion(run: &Run) -> String {
    let last = run.records.iter().filter_map(|record| record.samples.at_s.last().copied()).fold(0.0, f64::max);
    let Some(start) = utc::parsed(&run.header.utc) else { return run.header.utc.clone() };
    let end = Duration::try_from_secs_f64(last).ok().and_then(|last| start.checked_add(last)).map(utc::to_second);
    let end = end.filter(|end| !end.is_empty()).unwrap_or_else(|| utc::to_second(start));
    end.trim_end_matches('Z').to_owned()
}
