//! The series of a machine with what they say, and what changed at the same time.

use std::collections::BTreeMap;

use paw_data::history::RunDigest;
use paw_data::history::levels::LevelReader;
use paw_data::history::series::{Series, series};
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
        if !all.iter().any(|series| is_chosen(series, name)) {
            return Err(unknown(name, &all));
        }
    }
    let is_wanted = |series: &Series<'_>| names.is_empty() || names.iter().any(|name| is_chosen(series, name));
    let wanted: Vec<Series<'e>> = all.into_iter().filter(is_wanted).collect();
    let mut reader = LevelReader::new(wanted.len());
    let tracks = wanted.into_iter().map(|series| track(series, &mut reader)).collect();
    Ok(History { title: machine.title(), tracks, alarms: reader.alarms(), runs_needed: reader.runs_needed() })
}

fn is_chosen(series: &Series<'_>, name: &str) -> bool {
    series.benchmark == name || is_pattern(name) && fits(name.as_bytes(), series.benchmark.as_bytes())
}

fn unknown(name: &str, all: &[Series<'_>]) -> Failure {
    let failure = Failure::nothing(format!("this machine's history has no `{name}`"));
    match closest(name, all.iter().map(|series| series.benchmark)) {
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

/// Settings that differ between two runs; readings that move from minute to minute are none.
fn differences(before: &RunDigest, after: &RunDigest) -> Vec<String> {
    let (before, after) = (settings(before), settings(after));
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let word = |facts: &BTreeMap<String, String>, name: &String| {
        facts.get(name).filter(|value| !value.is_empty()).cloned().unwrap_or_else(|| "not known".to_owned())
    };
    let rows = names.into_iter().map(|name| (name, word(&before, name), word(&after, name)));
    rows.filter(|(_, a, b)| a != b).map(|(name, a, b)| format!("{name}: {a} → {b}")).collect()
}

/// What stays as it is until somebody changes it.
fn settings(entry: &RunDigest) -> BTreeMap<String, String> {
    let identity = &entry.identity;
    let mut facts = entry.circumstances.clone();
    facts.extend([
        ("paw".to_owned(), entry.tool.clone()),
        ("host".to_owned(), identity.host.clone()),
        ("system".to_owned(), identity.os.clone()),
        ("kernel".to_owned(), identity.kernel.clone()),
        ("cores".to_owned(), identity.cores.to_string()),
        ("hardware threads".to_owned(), identity.threads.to_string()),
        ("vector extensions".to_owned(), identity.isa.join(" ")),
    ]);
    let is_setting = |name: &str| {
        STATE_ITEMS.iter().find(|item| item.name == name).is_none_or(|item| item.rule == ChangeRule::Setting)
    };
    facts.extend(
        entry.state.iter().filter(|(name, _)| is_setting(name)).map(|(name, value)| (name.clone(), value.clone())),
    );
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
    json!({
        "benchmark": track.series.benchmark,
        "provider": track.series.provider,
        "point": track.series.point,
        "quantity": track.series.quantity,
        "unit": track.series.quantity.unit(),
        "trend": track.levels.trend.word(),
        "levels": track.levels.medians,
        "figures": figures.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
    })
}
