//! `paw list --counters`: the groups of counters, and what each needs.

use std::path::Path;

use paw_perf::processor::Processor;

use crate::cli::Format;
use crate::counter_groups;
use crate::failure::Failure;
use crate::print;
use crate::table::{Table, wrapped};

/// The groups, or those of `names` with their events and metrics.
pub fn counters(names: &[String], format: Format) -> Result<String, Failure> {
    let width = print::width();
    if names.is_empty() {
        let text = groups().written(format, width);
        let more = "`paw list --counters NAME` shows a group's events and metrics; a group of your own is a file: docs/counters.md";
        return Ok(if format == Format::Text {
            format!("{text}\n{}\n", wrapped(more, width).join("\n"))
        } else {
            text
        });
    }
    names.iter().map(|name| group(name, format, width)).collect()
}

fn groups() -> Table {
    let mut table = Table::new(&["group", "here", "counts"]);
    let processor = Processor::read(Path::new("/"));
    for group in counter_groups::all() {
        let state = match counter_groups::here(&group, &processor, Path::new("/")) {
            Err(_) => format!("no table for {}", of(&processor)),
            Ok(found) => match counter_groups::obstacle(&found) {
                None if found.processor.is_empty() => "yes".to_owned(),
                None => format!("yes, on {}", found.processor),
                Some(why) => short(&why).to_owned(),
            },
        };
        table.row([&group.name, &state, &group.title]);
    }
    table
}

/// The words of an obstacle that fit a column; the group itself tells the rest.
fn short(why: &str) -> &str {
    match why {
        _ if why.contains("no hardware counters") => "no hardware counters",
        _ if why.contains("perf_event_paranoid") => "not allowed",
        _ if why.contains("no unit") => "no such unit",
        _ => "in part",
    }
}

fn of(processor: &Processor) -> &str {
    match (processor.name.as_str(), processor.numbers.as_str()) {
        ("", "") => "this processor",
        ("", numbers) => numbers,
        (name, _) => name,
    }
}

/// One group: its obstacle, its events, its metrics.
fn group(name: &str, format: Format, width: usize) -> Result<String, Failure> {
    let group = counter_groups::find(name)?;
    let processor = Processor::read(Path::new("/"));
    let found = counter_groups::here(&group, &processor, Path::new("/"));
    let mut metrics = Table::new(&["metric", "unit", "better", "formula", "meaning"]);
    let mut events = Table::new(&["event", "counted as"]);
    if let Ok(found) = &found {
        for metric in &found.table.metrics {
            metrics.row([&metric.title, &metric.unit, metric.better.words(), &metric.formula, &metric.meaning]);
        }
        found.table.events.iter().for_each(|(name, text)| events.row([name, text]));
    }
    if format != Format::Text {
        return Ok(metrics.written(format, width));
    }
    let paragraph = |text: &str| wrapped(text, width).join("\n") + "\n";
    let mut text = paragraph(&format!("{} · {}", group.name, group.title));
    text += &paragraph(&group.meaning);
    match &found {
        Err(why) => text += &paragraph(&format!("\nhere: {why}")),
        Ok(found) => {
            let state = counter_groups::obstacle(found).unwrap_or_else(|| "all of it can be counted".to_owned());
            text += &paragraph(&format!("here: {state}"));
            text += &format!("\n{}", events.written(format, width));
            text += &paragraph(&format!("source: {}", found.table.manual));
            text += &format!("\n{}", metrics.written(format, width));
        }
    }
    Ok(text)
}
