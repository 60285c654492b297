//! hyperfine's JSON read as a run of an application.

use std::path::Path;

use paw_sort::OrderBy;

use super::{Document, Measured};
use crate::application::{Application, COMMAND, NamedCommand, SUITE};
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
/// Most results and runs of one that are read.
const RESULTS_MAX: usize = 100_000;

/// The run in a file of hyperfine with the contents `text`; `None` if it is no such file, or has no result.
///
/// Commands that differ in the values of their parameters alone are one command with placeholders. Results without the times of their
/// runs make a run of statistics only.
pub fn import(path: &Path, text: &str) -> Option<Run> {
    let document: Document = serde_json::from_slice(text.as_bytes()).ok()?;
    let results: Vec<Measured> = document.results.into_iter().take(RESULTS_MAX).filter(is_known).collect();
    if results.is_empty() {
        return None;
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_whole = results.iter().all(|result| result.times.as_ref().is_some_and(|times| !times.is_empty()));
    let templates: Vec<String> = results.iter().map(template).collect();
    let commands = distinct(&templates);
    let runs = results.iter().filter_map(|result| result.times.as_ref()).map(Vec::len).max().unwrap_or(1);
    let method = Method {
        ending: EndRule::Fixed { samples: u32::try_from(runs).unwrap_or(u32::MAX) },
        ..Method::without_series(TOOL, if is_whole { Estimator::Min } else { Estimator::Mean })
    };
    let mut header = Header::bare(format!("imported-{stem}"), TOOL.to_owned(), Plan::new(method, 0, None));
    header.app = is_whole.then(|| application(&commands, &results));
    header.imported_from(path.display().to_string());
    let records = results.iter().zip(&templates).zip(0..);
    let provider = |template: &str| if commands.len() == 1 { COMMAND.to_owned() } else { template.to_owned() };
    let mut run = Run::new(header);
    run.records = records
        .map(|((result, template), id)| record(result, (id, is_whole), (&program(&commands[0]), provider(template))))
        .collect();
    run.end = Some(End { state: "imported".to_owned(), ..End::default() });
    Some(run)
}

/// Whether a result has a command and a time.
fn is_known(result: &Measured) -> bool {
    let times = result.times.as_deref().unwrap_or_default();
    let is_time = |time: &f64| time.is_finite() && *time >= 0.0;
    !result.command.is_empty() && times.iter().all(is_time) && (!times.is_empty() || result.mean.iter().any(is_time))
}

fn distinct(templates: &[String]) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for template in templates {
        if !commands.contains(template) {
            commands.push(template.clone());
        }
    }
    commands
}

/// The file name of the program that a command line starts.
fn program(command: &str) -> String {
    let word = command.split_whitespace().next().unwrap_or(TOOL);
    word.rsplit('/').next().unwrap_or(word).to_owned()
}

fn application(commands: &[String], results: &[Measured]) -> Application {
    let mut axes: Vec<String> = results.iter().flat_map(|result| result.parameters.keys().cloned()).collect();
    axes.sort();
    axes.dedup();
    let named = |command: &String| NamedCommand { name: command.clone(), command: vec![command.clone()] };
    Application {
        command: vec![commands[0].clone()],
        name: if commands.len() > 1 { commands[0].clone() } else { String::new() },
        others: commands[1..].iter().map(named).collect(),
        shell: true,
        alternatives: axes.clone(),
        axes,
        ..Application::default()
    }
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
    match &result.times {
        Some(times) if is_whole => samples(&mut record, result, times),
        _ => record.imported_time = Some(Box::new(statistics(result))),
    }
    record.outcome = Some(Outcome {
        cell: id,
        status: Status::Measured,
        ending: Some(Ending::Complete),
        why: None,
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
    for (round, elapsed_s) in times.iter().copied().enumerate().take(RESULTS_MAX) {
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
