//! Tables of likwid-perfctr, framed by `+` and `|`, or after lines `TABLE,…`.

use super::{CountedPart, direction, named, number, titled};
use crate::counters::{CountedEvent, CounterMetric, Counters};

/// Most rows that are read: a group has tens.
const ROWS_MAX: usize = 20_000;

/// Whether a text has a table of events.
pub(super) fn is_likwid(text: &str) -> bool {
    text.lines().take(ROWS_MAX).any(|line| {
        let cells = cells(line);
        cells.len() > 2 && cells[0] == "Event" && cells[1] == "Counter"
    })
}

/// A table: where it belongs, its header, its rows.
#[derive(Debug, Default)]
struct Table {
    region: String,
    group: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// The counters of each region and hardware thread.
pub(super) fn parts(text: &str) -> Vec<CountedPart> {
    let mut parts: Vec<CountedPart> = Vec::new();
    for table in tables(text) {
        // Sums and means over threads can be computed again.
        if table.head.iter().any(|title| ["Sum", "Min", "Max", "Avg"].contains(&title.as_str())) {
            continue;
        }
        let first = if table.head.get(1).is_some_and(|title| title == "Counter") { 2 } else { 1 };
        for (column, thread) in table.head.iter().enumerate().skip(first).filter(|(_, thread)| !thread.is_empty()) {
            let at = parts.iter().position(|part| {
                (&part.region, &part.thread, &part.counters.group) == (&table.region, thread, &table.group)
            });
            let at = at.unwrap_or_else(|| {
                let counters = Counters {
                    group: table.group.clone(),
                    title: "as likwid-perfctr has it".to_owned(),
                    calls: vec![1.0],
                    ..Counters::default()
                };
                parts.push(CountedPart { region: table.region.clone(), thread: thread.clone(), counters });
                parts.len() - 1
            });
            take(&mut parts[at].counters, &table, column);
        }
    }
    parts.retain(|part| !part.counters.events.is_empty() || !part.counters.metrics.is_empty());
    parts
}

fn take(counters: &mut Counters, table: &Table, column: usize) {
    for row in &table.rows {
        let (Some(title), Some(value)) = (row.first(), row.get(column)) else { continue };
        match table.head[0].as_str() {
            "Event" => {
                let counter = row.get(1).map_or("", String::as_str);
                let is_known = counters.events.iter().any(|event| event.name == *title);
                // One event on several units, as of memory controllers, has a row for each.
                let name = if is_known { format!("{title}_{counter}") } else { title.clone() };
                let counts: Vec<f64> = number(value).into_iter().collect();
                let why = counts.is_empty().then(|| "likwid-perfctr has no count of it".to_owned());
                counters.events.push(CountedEvent {
                    name,
                    event: counter.to_owned(),
                    counts,
                    why,
                    ..CountedEvent::default()
                });
            }
            "Metric" => {
                let Some(value) = number(value) else { continue };
                let (title, unit) = titled(title);
                if title == "Runtime (RDTSC)" && counters.seconds.is_empty() {
                    counters.seconds.push(value);
                }
                let (name, better) = (named(&title), direction(&title));
                counters.metrics.push(CounterMetric {
                    name,
                    title,
                    unit,
                    better,
                    value: Some(value),
                    ..CounterMetric::default()
                });
            }
            _ => match (titled(title).0.as_str(), number(value)) {
                ("RDTSC Runtime", Some(seconds)) => counters.seconds = vec![seconds],
                ("call count", Some(calls)) => counters.calls = vec![calls],
                _ => {}
            },
        }
    }
}

fn tables(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let (mut region, mut group) = (String::new(), String::new());
    let mut is_open = false;
    for line in text.lines().take(ROWS_MAX) {
        if let Some(rest) = line.strip_prefix("TABLE,") {
            let words: Vec<&str> = rest.split(',').map(str::trim).collect();
            region = words[0].strip_prefix("Region ").map(str::to_owned).unwrap_or_default();
            let raw = words.iter().position(|word| word.starts_with("Group "));
            group = raw.and_then(|at| words.get(at + 1)).map(|word| (*word).to_owned()).unwrap_or(group);
            is_open = false;
            continue;
        }
        if let Some((before, name)) =
            line.rsplit_once("Group ").and_then(|(before, rest)| Some((before, rest.split_once(':')?.1)))
        {
            region = before.trim().trim_end_matches(',').strip_prefix("Region ").unwrap_or_default().trim().to_owned();
            group = name.trim().to_owned();
            is_open = false;
            continue;
        }
        let cells = cells(line);
        let is_head = cells.len() > 1 && ["Event", "Metric", "Region Info"].contains(&cells[0].as_str());
        match (is_head, cells.len() > 1) {
            (true, _) => {
                let (region, group) = (region.clone(), group.clone());
                tables.push(Table { region, group, head: cells, rows: Vec::new() });
                is_open = true;
            }
            (false, true) if is_open => tables.last_mut().into_iter().for_each(|table| table.rows.push(cells.clone())),
            // Frames stand within a table, empty lines after it.
            _ => is_open &= line.starts_with('+') || line.starts_with('|'),
        }
    }
    tables
}

/// The cells of a line, of either form.
fn cells(line: &str) -> Vec<String> {
    let own = |cells: Vec<&str>| cells.into_iter().map(|cell| cell.trim().to_owned()).collect();
    match line.strip_prefix('|') {
        Some(rest) => own(rest.trim_end().trim_end_matches('|').split('|').collect()),
        None if line.starts_with('+') || line.starts_with('-') => Vec::new(),
        None => own(line.trim_end().split(',').collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
CPU name:\tIntel(R) Core(TM)
Region solve, Group 1: L2
+-------------------+------------+
|    Region Info    | HWThread 0 |
+-------------------+------------+
| RDTSC Runtime [s] |   2.500000 |
|     call count    |          4 |
+-------------------+------------+

+-------------------+---------+------------+
|       Event       | Counter | HWThread 0 |
+-------------------+---------+------------+
| INSTR_RETIRED_ANY |  FIXC0  |     321342 |
|  L1D_REPLACEMENT  |   PMC0  |       -    |
+-------------------+---------+------------+

+-------------------------+------------+
|          Metric         | HWThread 0 |
+-------------------------+------------+
|   Runtime (RDTSC) [s]   |     2.5000 |
| L2 bandwidth [MBytes/s] |   328.6470 |
+-------------------------+------------+
";

    #[test]
    fn a_printed_region_has_its_events_metrics_calls_and_time() {
        assert!(is_likwid(PRINTED));
        let [part] = &parts(PRINTED)[..] else { panic!("one region of one thread") };
        assert_eq!((part.region.as_str(), part.thread.as_str()), ("solve", "HWThread 0"));
        let counters = &part.counters;
        assert_eq!(
            (counters.group.as_str(), &counters.seconds[..], &counters.calls[..]),
            ("L2", &[2.5][..], &[4.0][..])
        );
        assert_eq!(counters.per_call(&counters.events[0]), Some(80_335.5));
        assert_eq!(counters.events[1].value(), None, "a dash is no 0");
        let bandwidth = &counters.metrics[1];
        assert_eq!((bandwidth.name.as_str(), bandwidth.unit.as_str()), ("l2_bandwidth", "MBytes/s"));
        assert_eq!(counters.value(bandwidth), Ok(328.647));
    }

    #[test]
    fn csv_has_a_part_for_each_thread_and_no_sums() {
        let text = "TABLE,Group 1 Raw,CLOCK,2,\nEvent,Counter,HWThread 0,HWThread 1,\nINSTR_RETIRED_ANY,FIXC0,10,20,\n\
                    TABLE,Group 1 Raw STAT,CLOCK,1,\nEvent,Counter,Sum,Min,Max,Avg\nINSTR_RETIRED_ANY STAT,FIXC0,30,10,20,15\n\
                    TABLE,Group 1 Metric,CLOCK,1,\nMetric,HWThread 0,HWThread 1,\nCPI,0.5,nan,\n";
        let parts = parts(text);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[1].counters.events[0].value(), Some(20.0));
        assert_eq!(parts[0].counters.metrics.len(), 1);
        assert!(parts[1].counters.metrics.is_empty(), "nan is no number");
    }

    #[test]
    fn any_text_is_read_without_harm() {
        for text in ["", "|", "TABLE,", "Group :", "| Event | Counter |\n|", "Event,Counter,x\n,,,,\n"] {
            parts(text);
        }
    }
}
