//! hyperfine's JSON read as a run of an application.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use paw_sort::OrderBy;
use thiserror::Error;

use super::{Document, Measured};
use crate::application::{Application, COMMAND, NamedCommand, SUITE, ThreadPoint};
use crate::axis::THREADS;
use crate::cell::Cell;
use crate::method::{EndRule, Estimator, Method, Plan};
use crate::outcome::{Caveat, Ending, Outcome, Status};
use crate::point::{AxisValue, Point};
use crate::quantity::Quantity;
use crate::run::{End, Header, Imported, Record, Run};
use crate::sample::Sample;
use crate::secondary::SecondaryMetric;

/// The tool's name in the run.
const TOOL: &str = "hyperfine";
/// A command without a word, which measures what a shell takes.
const NO_COMMAND: &str = "''";

/// Why a file that hyperfine may have written is no run: the place, and the way out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HyperfineError {
    /// It is no JSON, or has other fields.
    #[error("{file} is no whole JSON of hyperfine: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// The reader's words.
        why: String,
    },
    /// Nothing was measured.
    #[error(
        "{file} is JSON of hyperfine without a time: `hyperfine --export-json {file} COMMAND` writes those of each run"
    )]
    Empty {
        /// The file.
        file: String,
    },
    /// A run has a time that is none.
    #[error(
        "{file}: result {number}, `{command}`, has the time {time} s: correct it, or take the result out of the file"
    )]
    Time {
        /// The file.
        file: String,
        /// The place of the result, from 1 on.
        number: usize,
        /// Its command.
        command: String,
        /// The time.
        time: String,
    },
}

/// The run in a file of hyperfine with the contents `text`; `None` if it is no such file.
///
/// Commands that differ in the values of their parameters alone are one command with placeholders; one that was measured again at the
/// same values has a number behind its name. A result without a time is a cell without a number. Results without the times of their runs
/// make a run of statistics only.
///
/// # Errors
/// The file is damaged, or has no time.
pub fn import(path: &Path, text: &str) -> Option<Result<Run, HyperfineError>> {
    (text.trim_start().starts_with('{') && text.contains("\"results\"")).then(|| read(path, text))
}

fn read(path: &Path, text: &str) -> Result<Run, HyperfineError> {
    let file = || path.display().to_string();
    let document: Document = serde_json::from_slice(text.as_bytes())
        .map_err(|error| HyperfineError::Unreadable { file: file(), why: error.to_string() })?;
    let results = document.results;
    if !results.iter().any(has_time) {
        return Err(HyperfineError::Empty { file: file() });
    }
    for (result, number) in results.iter().zip(1..) {
        if let Some(time) = result.times.iter().flatten().find(|time| !is_time(time)) {
            let (command, time) = (result.command.clone(), time.to_string());
            return Err(HyperfineError::Time { file: file(), number, command, time });
        }
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_whole = results.iter().filter(|result| has_time(result)).all(has_runs);
    let own = named(&results);
    let commands = distinct(&own);
    let runs = results.iter().filter_map(|result| result.times.as_ref()).map(Vec::len).max().unwrap_or(1);
    let method = Method {
        ending: EndRule::Fixed { samples: u32::try_from(runs).unwrap_or(u32::MAX) },
        ..Method::without_series(TOOL, if is_whole { Estimator::Min } else { Estimator::Mean })
    };
    let mut header = Header::bare(format!("imported-{stem}"), TOOL.to_owned(), Plan::new(method, 0, None));
    header.app = is_whole.then(|| application(&commands, &results));
    header.imported_from(file());
    let program = program(&commands[0].command[0]);
    let provider = |own: &NamedCommand| if commands.len() == 1 { COMMAND.to_owned() } else { own.name.clone() };
    let mut run = Run::new(header);
    let records = results.iter().zip(&own).zip(0..);
    run.records =
        records.map(|((result, own), id)| record(result, (id, is_whole), (&program, provider(own)))).collect();
    run.end = Some(End { state: "imported".to_owned(), ..End::default() });
    Ok(run)
}

fn is_time(time: &f64) -> bool {
    time.is_finite() && *time >= 0.0
}

/// Whether a result has the time of a run at least.
fn has_runs(result: &Measured) -> bool {
    result.times.as_ref().is_some_and(|times| !times.is_empty())
}

/// Whether a result has a time, if only the mean of its runs.
fn has_time(result: &Measured) -> bool {
    has_runs(result) || result.mean.iter().any(is_time)
}

/// The command of each result with its name: the text with placeholders, and a number where an earlier result is of the same.
fn named(results: &[Measured]) -> Vec<NamedCommand> {
    let mut taken = HashSet::new();
    let mut last: HashMap<(String, String), usize> = HashMap::new();
    let of_result = |result: &Measured| {
        let text = Some(template(result)).filter(|text| !text.is_empty()).unwrap_or_else(|| NO_COMMAND.to_owned());
        let parameters = format!("{:?}", result.parameters);
        let number = last.entry((text.clone(), parameters.clone())).or_default();
        let name = loop {
            *number += 1;
            let name = if *number == 1 { text.clone() } else { format!("{text} ({number})") };
            if taken.insert((name.clone(), parameters.clone())) {
                break name;
            }
        };
        NamedCommand { name, command: vec![text] }
    };
    results.iter().map(of_result).collect()
}

fn distinct(all: &[NamedCommand]) -> Vec<NamedCommand> {
    let mut known = HashSet::new();
    all.iter().filter(|own| known.insert(own.name.as_str())).cloned().collect()
}

/// The file name of the program that a command line starts.
fn program(command: &str) -> String {
    let word = command.split_whitespace().next().unwrap_or(TOOL);
    word.rsplit('/').next().unwrap_or(word).to_owned()
}

/// The facts of the run. A parameter `threads` whose values are counts is the number of threads, which is no alternative.
fn application(commands: &[NamedCommand], results: &[Measured]) -> Application {
    let mut axes: Vec<String> = results.iter().flat_map(|result| result.parameters.keys().cloned()).collect();
    axes.sort();
    axes.dedup();
    let counts: Option<Vec<u32>> = results.iter().map(threads).collect();
    axes.retain(|axis| counts.is_none() || axis != THREADS);
    let mut counts = counts.unwrap_or_default();
    counts.sort_unstable();
    counts.dedup();
    let point = |threads| ThreadPoint { threads, rule: "in the file".to_owned(), ..ThreadPoint::default() };
    Application {
        command: commands[0].command.clone(),
        name: if commands.len() > 1 { commands[0].name.clone() } else { String::new() },
        others: commands[1..].to_vec(),
        shell: true,
        alternatives: axes.clone(),
        axes,
        threads: counts.into_iter().map(point).collect(),
        ..Application::default()
    }
}

/// The number of threads that a result's parameter says.
fn threads(result: &Measured) -> Option<u32> {
    text(result.parameters.get(THREADS)?).parse().ok().filter(|threads| *threads > 0)
}

/// The text of a parameter's value.
fn text(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The command with placeholders for the values of its parameters: where these are words of their own, or where they occur only once.
fn template(result: &Measured) -> String {
    let mut parameters: Vec<(&String, String)> = result.parameters.iter().map(|(name, v)| (name, text(v))).collect();
    parameters.order_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    parameters.iter().filter(|(_, value)| !value.is_empty()).fold(result.command.clone(), |command, (name, value)| {
        let place = format!("{{{name}}}");
        let is_part = |c: char| c.is_alphanumeric() || "._{}".contains(c);
        let found: Vec<usize> = command.match_indices(value.as_str()).map(|(at, _)| at).collect();
        let is_word = |at: &usize| {
            let (before, after) = (command[..*at].chars().next_back(), command[*at + value.len()..].chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        };
        let words: Vec<usize> = found.iter().copied().filter(is_word).collect();
        let places = if words.is_empty() && found.len() == 1 { found } else { words };
        places.iter().rev().fold(command.clone(), |mut text, at| {
            text.replace_range(*at..*at + value.len(), &place);
            text
        })
    })
}

/// A whole number, a number, or a word, as it is written.
fn axis_value(value: &str) -> AxisValue {
    let whole = value.parse::<i64>().ok().filter(|number| number.to_string() == value).map(AxisValue::Int);
    let real = || value.parse::<f64>().ok().filter(|number| number.to_string() == value).map(AxisValue::Float);
    whole.or_else(real).unwrap_or_else(|| AxisValue::from(value))
}

/// The record of a result. hyperfine measures one command after the other, so that each is a group of its own.
fn record(result: &Measured, (id, is_whole): (u32, bool), (program, provider): (&str, String)) -> Record {
    let values = result.parameters.iter().map(|(name, value)| (name, axis_value(&text(value))));
    let point = values.fold(Point::new(), |point, (name, value)| point.with(name, value));
    let suite = if is_whole { SUITE } else { TOOL };
    let cell = Cell {
        id,
        group: id,
        method: TOOL.into(),
        formula: "wall time of a run, by hyperfine".into(),
        ..Cell::new(suite, program, provider, Quantity::Time, point)
    };
    let mut record = Record::new(cell);
    let is_timed = has_time(result);
    match &result.times {
        Some(times) if is_whole => samples(&mut record, result, times),
        _ if is_timed => record.imported_time = Some(Box::new(statistics(result))),
        _ => {}
    }
    record.outcome = Some(Outcome {
        cell: id,
        status: if is_timed { Status::Measured } else { Status::Skipped },
        ending: is_timed.then_some(Ending::Complete),
        why: (!is_timed).then(|| "the file has no time of it".to_owned()),
        check: None,
        caveats: failing(result).into_iter().collect(),
    });
    record
}

/// Adds a sample for each run. hyperfine keeps neither when a run was, so that times add up, nor the processor time of single runs, so
/// that all have its mean.
fn samples(record: &mut Record, result: &Measured, times: &[f64]) {
    let means = [(SecondaryMetric::UserTime, result.user), (SecondaryMetric::SystemTime, result.system)];
    let mut at_s = 0.0;
    for (round, elapsed_s) in times.iter().copied().enumerate() {
        at_s += elapsed_s;
        let rss = result.memory_usage_byte.as_ref().and_then(|all| all.get(round).copied());
        let code = result.exit_codes.get(round).copied().flatten().filter(|_| has_failures(result));
        let own = [(SecondaryMetric::ResidentMemory, rss), (SecondaryMetric::ExitCode, code.map(f64::from))];
        let extra = means.into_iter().chain(own).filter_map(|(metric, value)| Some((metric.into(), value?))).collect();
        let round = round as u32;
        record.samples.push(Sample { round, at_s, loops: 1, elapsed_s, extra, ..Sample::default() });
    }
}

fn has_failures(result: &Measured) -> bool {
    result.exit_codes.iter().any(|code| *code != Some(0))
}

fn statistics(result: &Measured) -> Imported {
    let times = result.times.as_deref().unwrap_or_default();
    let known = |value: Option<f64>| value.unwrap_or(f64::NAN);
    let mean = result.mean.unwrap_or_else(|| times.iter().sum::<f64>() / times.len() as f64);
    Imported {
        mean,
        min: known(result.min),
        max: known(result.max),
        sigma_pop: f64::NAN,
        loops: 1,
        samples: u32::try_from(times.len()).unwrap_or(u32::MAX),
    }
}

/// `failing-runs`: runs that failed count.
fn failing(result: &Measured) -> Option<Caveat> {
    let failed = result.exit_codes.iter().filter(|code| **code != Some(0)).count();
    (failed > 0).then(|| {
        let cause = format!("{failed} of {} runs failed, and count all the same", result.exit_codes.len());
        Caveat::new("failing-runs", cause, "run hyperfine without --ignore-failure where a failing run does less work")
    })
}
