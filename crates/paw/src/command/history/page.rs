//! The series of a machine with what they say, and what changed at the same time.

use std::collections::{BTreeMap, BTreeSet};

use paw_data::history::levels::LevelReader;
use paw_data::history::series::{Series, series};
use paw_data::history::{Measure, RunDigest};
use paw_data::run::PREFERRED;
use paw_data::spelling::closest;
use paw_machine::state::{ChangeRule, STATE_ITEMS};
use paw_report::history::{History, Track, sentence};
use serde_json::{Value, json};

use super::machines::MachineEntries;
use crate::failure::Failure;
use crate::selection::{fits, is_pattern};

/// The history of `machine`: the series that `names` choose, or all.
pub fn page<'e>(machine: MachineEntries<'e>, names: &[String]) -> Result<History<'e>, Failure> {
    let all = series(machine.entries.iter().copied());
    for name in names {
        if !all.iter().any(|series| is_chosen(series.benchmark, name)) {
            return Err(unknown(name, all.iter().map(|series| series.benchmark)));
        }
    }
    let is_wanted =
        |series: &Series<'_>| names.is_empty() || names.iter().any(|name| is_chosen(series.benchmark, name));
    let wanted: Vec<Series<'e>> = all.into_iter().filter(is_wanted).collect();
    let mut reader = LevelReader::new(wanted.len());
    let tracks = wanted.into_iter().map(|series| track(series, &mut reader)).collect();
    Ok(History { title: machine.title(), tracks, alarms: reader.alarms(), runs_needed: reader.runs_needed() })
}

/// Whether `name`, a benchmark or a pattern, chooses `benchmark`.
pub fn is_chosen(benchmark: &str, name: &str) -> bool {
    benchmark == name || is_pattern(name) && fits(name.as_bytes(), benchmark.as_bytes())
}

/// The history has no such benchmark; it has `all`.
pub fn unknown<'e>(name: &str, all: impl Iterator<Item = &'e str>) -> Failure {
    let failure = Failure::nothing(format!("this history has no `{name}`"));
    match closest(name, all) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`paw history` lists what it has"),
    }
}

fn track<'e>(series: Series<'e>, reader: &mut LevelReader) -> Track<'e> {
    let levels = reader.read(&series);
    // The last run that is surely of the old level, and the first that is surely of the new one.
    let around = |&(low, high): &(usize, usize)| {
        let [before, after] =
            [low.saturating_sub(1), high].map(|at| series.items[at.min(series.items.len() - 1)].entry);
        differences(before, after)
    };
    let together = levels.changes.iter().map(|change| around(&change.between)).collect();
    Track { series, levels, together }
}

/// Settings that differ between two runs, of those that both record; readings that move from minute to minute are none. `None` where the
/// two have no setting in common.
fn differences(before: &RunDigest, after: &RunDigest) -> Option<Vec<String>> {
    let [before, after] = [settings(before), settings(after)];
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let common = names.into_iter().filter_map(|name| Some((name, known(&before, name)?, known(&after, name)?)));
    let common: Vec<_> = common.collect();
    let differing = common.iter().filter(|(_, was, is)| was != is);
    (!common.is_empty()).then(|| differing.map(|(name, was, is)| format!("{name}: {was} → {is}")).collect())
}

/// The value of a setting, as far as it is known: a variable that a run with any setting does not list was not set.
fn known<'f>(facts: &'f BTreeMap<String, String>, name: &str) -> Option<&'f str> {
    let absent = (is_variable(name) && !facts.is_empty()).then_some("not set");
    facts.get(name).map(String::as_str).or(absent)
}

/// A variable whose absence says something.
fn is_variable(name: &str) -> bool {
    name.strip_prefix('$').is_some_and(|name| name != PREFERRED)
}

/// What stays as it is until somebody changes it, as far as it is known.
fn settings(entry: &RunDigest) -> BTreeMap<String, String> {
    let identity = &entry.identity;
    let number = |count| if count == 0 { String::new() } else { format!("{count}") };
    let mut facts = entry.circumstances.clone();
    facts.extend([
        ("host".to_owned(), identity.host.clone()),
        ("system".to_owned(), identity.os.clone()),
        ("kernel".to_owned(), identity.kernel.clone()),
        ("cores".to_owned(), number(identity.cores)),
        ("hardware threads".to_owned(), number(identity.threads)),
        ("vector extensions".to_owned(), identity.isa.join(" ")),
    ]);
    let is_setting = |name: &str| {
        STATE_ITEMS.iter().find(|item| item.name == name).is_none_or(|item| item.rule == ChangeRule::Setting)
    };
    facts.extend(
        entry.state.iter().filter(|(name, _)| is_setting(name)).map(|(name, value)| (name.clone(), value.clone())),
    );
    facts.retain(|_, value| !value.is_empty());
    if !facts.is_empty() {
        facts.insert("paw".to_owned(), entry.tool.clone());
    }
    facts
}

/// The history as JSON.
pub fn json(history: &History<'_>) -> String {
    let series: Vec<Value> = history.tracks.iter().map(json_track).collect();
    let page = json!({
        "machine": history.title,
        "alarms": history.alarms,
        "runs_needed": history.runs_needed,
        "series": series,
    });
    format!("{page:#}\n")
}

fn json_track(track: &Track<'_>) -> Value {
    let figures = track.series.items.iter().map(|item| {
        let (entry, figure) = (item.entry, item.figure);
        json!({
            "run": entry.run, "utc": entry.utc, "value": figure.value, "low": figure.low, "high": figure.high,
            "samples": figure.samples, "trust": figure.trust, "source": entry.source,
        })
    });
    let changes = track.levels.changes.iter().zip(&track.together).map(|(change, together)| {
        let run = |at: usize| track.series.items[at.min(track.series.items.len() - 1)].entry.run.clone();
        json!({
            "run": run(change.first), "earliest": run(change.between.0), "latest": run(change.between.1), "p": change.p,
            "ratio": change.ratio, "low": change.interval.map(|ends| ends.low), "high": change.interval.map(|ends| ends.high),
            "sentence": sentence(track, change), "at_the_same_time": together,
        })
    });
    let (quantity, metric) = match track.series.measure {
        Measure::Quantity(quantity) => (Some(quantity), None),
        Measure::Metric(metric) => (None, Some(metric)),
    };
    json!({
        "benchmark": track.series.benchmark,
        "program": track.series.program,
        "provider": track.series.provider,
        "point": track.series.point,
        "quantity": quantity,
        "metric": metric,
        "unit": track.series.measure.unit(),
        "trend": track.levels.trend.word(),
        "levels": track.levels.medians,
        "figures": figures.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
    })
}
