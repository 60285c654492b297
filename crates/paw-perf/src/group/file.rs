//! The file of a group, read and checked: every formula parses and uses known names.

use paw_data::counters::{CounterMetric, Direction, NAMES};
use paw_data::document::{Document, DocumentError, TableEntry, Text, entries};
use paw_data::spelling::closest;
use paw_formula::{Formula, FormulaErrorKind};
use serde::Deserialize;

use super::{ANY, EventTable, Group};
use crate::processor;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupFile {
    title: Text,
    #[serde(default)]
    meaning: Option<Text>,
    #[serde(default, rename = "table")]
    tables: Vec<TableFile>,
    #[serde(default)]
    manual: Option<Text>,
    #[serde(default)]
    leader: Option<Text>,
    #[serde(default, deserialize_with = "entries")]
    events: Vec<TableEntry<Text>>,
    #[serde(default, rename = "metric")]
    metrics: Vec<MetricFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableFile {
    processors: Vec<Text>,
    #[serde(default)]
    manual: Option<Text>,
    #[serde(default)]
    leader: Option<Text>,
    #[serde(deserialize_with = "entries")]
    events: Vec<TableEntry<Text>>,
    #[serde(default, rename = "metric")]
    metrics: Vec<MetricFile>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct MetricFile {
    name: Text,
    #[serde(default)]
    title: Option<Text>,
    #[serde(default)]
    unit: Option<Text>,
    #[serde(default)]
    better: Direction,
    formula: Text,
    #[serde(default)]
    meaning: Option<Text>,
}

/// Most events of a table: more share counters until each is counted for moments only.
const EVENTS_MAX: usize = 64;

/// The group called `name` of `document`.
pub(super) fn group(name: &str, document: &Document<'_>) -> Result<Group, DocumentError> {
    let file: GroupFile = document.parse()?;
    let mut tables: Vec<TableFile> = file.tables;
    if !file.events.is_empty() {
        let any = Text { text: ANY.to_owned(), span: file.title.span.clone() };
        let (manual, leader) = (file.manual, file.leader);
        tables.push(TableFile { processors: vec![any], manual, leader, events: file.events, metrics: Vec::new() });
    }
    if tables.is_empty() {
        return Err(document.whole("it has no events: write them under [events], as `MISSES = \"cache-misses\"`"));
    }
    for metric in &file.metrics {
        somewhere(document, metric, &tables)?;
    }
    let tables = tables.iter().map(|own| table(document, own, &file.metrics)).collect::<Result<_, _>>()?;
    Ok(Group { name: name.to_owned(), title: file.title.text, meaning: text(&file.meaning), tables })
}

fn text(text: &Option<Text>) -> String {
    text.as_ref().map_or_else(String::new, |text| text.text.trim().to_owned())
}

fn table(document: &Document<'_>, file: &TableFile, shared: &[MetricFile]) -> Result<EventTable, DocumentError> {
    let known = processor::known();
    for name in &file.processors {
        if name.text != ANY && !known.contains(&name.text.as_str()) {
            let near = closest(&name.text, known.iter().copied().chain([ANY]));
            let hint = near
                .map_or_else(|| format!("there are {}, {ANY}", known.join(", ")), |n| format!("did you mean `{n}`?"));
            return Err(document.error(document.inside(name), format!("`{}` is no known processor: {hint}", name.text)));
        }
    }
    if file.events.len() > EVENTS_MAX {
        return Err(
            document.error(file.events[EVENTS_MAX].key.clone(), format!("a table has {EVENTS_MAX} events at most"))
        );
    }
    for event in &file.events {
        let is_name = Formula::parse(&event.name).is_ok_and(|formula| formula.names() == [event.name.as_str()]);
        if !is_name || NAMES.iter().any(|(name, _)| *name == event.name) {
            let message = format!(
                "`{}` cannot be an event's name: letters, digits, `_` and `.`, and none of {}",
                event.name,
                own_names()
            );
            return Err(document.error(event.key.clone(), message));
        }
    }
    if let Some(leader) =
        file.leader.as_ref().filter(|leader| file.events.iter().all(|event| event.name != leader.text))
    {
        return Err(document.error(document.inside(leader), format!("`{}` is no event of this table", leader.text)));
    }
    let mut metrics = Vec::new();
    for own in &file.metrics {
        metrics.push(metric(document, own, &names(file))?);
    }
    // Of the shared metrics, those whose events this table has.
    metrics.extend(shared.iter().filter_map(|shared| metric(document, shared, &names(file)).ok()));
    Ok(EventTable {
        processors: file.processors.iter().map(|name| name.text.clone()).collect(),
        manual: text(&file.manual),
        events: file.events.iter().map(|event| (event.name.clone(), event.value.text.clone())).collect(),
        leader: file.leader.as_ref().map(|leader| leader.text.clone()),
        metrics,
    })
}

/// The names that formulas of a table may use.
fn names(file: &TableFile) -> Vec<&str> {
    NAMES.iter().map(|(name, _)| *name).chain(file.events.iter().map(|event| event.name.as_str())).collect()
}

fn own_names() -> String {
    NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Checks a shared metric: one table at least has all its names.
fn somewhere(document: &Document<'_>, shared: &MetricFile, tables: &[TableFile]) -> Result<(), DocumentError> {
    let mut why = None;
    for table in tables {
        match metric(document, shared, &names(table)) {
            Ok(_) => return Ok(()),
            Err(error) => why = why.or(Some(error)),
        }
    }
    why.map_or(Ok(()), Err)
}

fn metric(document: &Document<'_>, file: &MetricFile, names: &[&str]) -> Result<CounterMetric, DocumentError> {
    let formula = &file.formula;
    let checked = Formula::parse(&formula.text).and_then(|parsed| parsed.check_names(&|name| names.contains(&name)));
    checked.map_err(|error| {
        let (message, width) = match &error.fault {
            FormulaErrorKind::Unknown(name) => (unknown(name, names), name.len()),
            fault => (fault.to_string(), 1),
        };
        let end = (error.position + width).min(formula.text.len());
        document.error(document.part(formula, error.position..end), message)
    })?;
    Ok(CounterMetric {
        name: file.name.text.clone(),
        title: file.title.as_ref().map_or_else(|| file.name.text.replace('_', " "), |title| title.text.clone()),
        unit: text(&file.unit),
        better: file.better,
        formula: formula.text.clone(),
        meaning: text(&file.meaning),
        value: None,
    })
}

fn unknown(name: &str, names: &[&str]) -> String {
    match closest(name, names.iter().copied()) {
        Some(near) => format!("`{name}` has no value here: did you mean `{near}`?"),
        None => format!("`{name}` has no value here: name it under events, or use {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::processor::Processor;

    fn parse(text: &str) -> Result<Group, String> {
        group("MINE", &Document { path: Path::new("mine.toml"), text }).map_err(|error| error.to_string())
    }

    const MINE: &str = "title = \"Mine\"\n[events]\nMISSES = \"cache-misses\"\n[[metric]]\nname = \"rate\"\n";

    #[test]
    fn a_short_file_is_a_group_for_all_processors() {
        let group =
            parse(&format!("{MINE}unit = \"1/s\"\nbetter = \"lower\"\nformula = \"MISSES / seconds\"\n")).unwrap();
        let table = group.table(&Processor::named("zen5")).unwrap();
        assert!(table.is_generic());
        assert_eq!(table.metrics[0].better, Direction::Lower);
    }

    #[test]
    fn a_bad_formula_has_its_line_and_a_caret() {
        let said = parse(&format!("{MINE}formula = \"MISES / seconds\"\n")).unwrap_err();
        assert!(
            said.contains("mine.toml:6:12") && said.contains("did you mean `MISSES`?") && said.contains("^^^^^"),
            "{said}"
        );
        let said = parse(&format!("{MINE}formula = \"MISSES / (seconds\"\n")).unwrap_err();
        assert!(said.contains("mine.toml:6:21") && said.contains("never closed"), "{said}");
    }

    #[test]
    fn mistyped_keys_processors_and_leaders_are_recognised() {
        assert!(parse("titel = \"x\"\n").unwrap_err().contains("did you mean `title`?"));
        let table = |line: &str| format!("title = \"x\"\n[[table]]\n{line}\n[table.events]\nA = \"cycles\"\n");
        assert!(parse(&table("processors = [\"skylke\"]")).unwrap_err().contains("did you mean `skylake`?"));
        assert!(
            parse(&table("processors = [\"any\"]\nleader = \"B\"")).unwrap_err().contains("no event of this table")
        );
        assert!(parse("title = \"x\"\n").unwrap_err().contains("it has no events"));
        assert!(
            parse("title = \"x\"\n[events]\nseconds = \"cycles\"\n").unwrap_err().contains("cannot be an event's name")
        );
    }

    #[test]
    fn a_processors_own_table_comes_before_the_one_for_all() {
        let table = |name: &str, event: &str| {
            format!("[[table]]\nprocessors = [\"{name}\"]\n[table.events]\nA = \"{event}\"\n")
        };
        let text = format!("title = \"x\"\n{}{}", table("any", "cycles"), table("zen5", "r76"));
        let group = parse(&text).unwrap();
        assert_eq!(group.table(&Processor::named("zen5")).unwrap().events[0].1, "r76");
        assert_eq!(group.table(&Processor::named("zen4")).unwrap().events[0].1, "cycles");
        assert_eq!(group.table(&Processor::default()).unwrap().events[0].1, "cycles");
    }
}
