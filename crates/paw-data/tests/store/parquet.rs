//! A history as a Parquet file, read by DuckDB.

use std::fs::File;
use std::process::Command;

use paw_data::history::{CellFigure, RunDigest};
use paw_data::point::Point;
use paw_data::store::parquet;
use serde_json::{Value, json};
use workplace::requirement::python_with;

use crate::history::{entry, time_ms};

/// Prints the columns of a file, by name, as JSON.
const READER: &str = "
import duckdb, json, sys
found = duckdb.sql(f\"select * replace (epoch_ms(time) as time) from '{sys.argv[1]}'\")
print(json.dumps(dict(zip(found.columns, map(list, zip(*found.fetchall()))))))
";

/// The name of a column and how its values come from a figure.
type Column = (&'static str, fn(&RunDigest, &CellFigure) -> Value);

const COLUMNS: [Column; 19] = [
    ("machine", |entry, _| json!(entry.machine())),
    ("host", |entry, _| json!(entry.identity.host)),
    ("cpu", |entry, _| json!(entry.identity.cpu)),
    ("kernel", |entry, _| json!(entry.identity.kernel)),
    ("run", |entry, _| json!(entry.run)),
    ("time", |entry, _| json!(time_ms(&entry.utc))),
    ("tool", |entry, _| json!(entry.tool)),
    ("benchmark", |_, figure| json!(figure.benchmark)),
    ("provider", |_, figure| json!(figure.provider)),
    ("program", |_, figure| json!(figure.program)),
    ("point", |_, figure| json!(figure.point.to_string())),
    ("metric", |_, figure| json!(figure.measure.metric())),
    ("unit", |_, figure| json!(figure.measure.unit())),
    ("value", |_, figure| json!(figure.value)),
    ("low", |_, figure| json!(figure.low)),
    ("high", |_, figure| json!(figure.high)),
    ("samples", |_, figure| json!(figure.samples)),
    ("trust", |_, figure| json!(figure.trust)),
    ("source", |entry, _| json!(entry.source)),
];

fn check(entries: &[RunDigest]) {
    let Some(python) = python_with("duckdb") else { return };
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a.parquet");
    let entries: Vec<&RunDigest> = entries.iter().collect();
    parquet::write(&entries, &time_ms, &mut File::create(&path).unwrap()).unwrap();
    let read = Command::new(python).args(["-c", READER]).arg(&path).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let found: Value = serde_json::from_slice(&read.stdout).unwrap();
    let figures: Vec<_> =
        entries.iter().flat_map(|entry| entry.figures.iter().map(move |figure| (entry, figure))).collect();
    assert_eq!(found.as_object().unwrap().len(), COLUMNS.len());
    for (name, value) in COLUMNS {
        let column = found[name].as_array().unwrap();
        assert_eq!(column.len(), figures.len(), "{name}");
        for (read, (entry, figure)) in column.iter().zip(&figures) {
            assert_eq!(*read, value(entry, figure), "{name} of {figure:?}");
        }
    }
}

/// An entry with `count` figures that differ, some without an interval or a word of trust.
fn long(day: u32, count: usize) -> RunDigest {
    let mut entry = entry(day, 1.0);
    let figure = entry.figures.remove(0);
    entry.figures.extend((0..count).map(|i| CellFigure {
        benchmark: format!("b{}", i % 7),
        point: Point::new().with("n", i as i64).with("word", "ümlaut \u{1f600}"),
        value: 1.0 / (1.0 + i as f64),
        low: (i % 3 > 0).then_some(i as f64),
        high: (i % 5 > 0).then_some(-1e300),
        samples: i,
        trust: if i % 2 == 0 { String::new() } else { "fair".to_owned() },
        ..figure.clone()
    }));
    entry
}

#[test]
fn every_column_is_read_as_it_was_written() {
    let unknown = RunDigest { utc: String::new(), source: "a\n'b'".to_owned(), ..entry(4, f64::MIN_POSITIVE) };
    check(&[entry(1, 1e9), entry(2, 2e9), long(3, 20), unknown]);
}

#[test]
fn a_second_group_of_rows_follows_the_first() {
    check(&[long(1, 60_000), long(2, 45_000)]);
}

#[test]
fn a_history_without_a_figure_has_columns_and_no_row() {
    let Some(python) = python_with("duckdb") else { return };
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("a.parquet");
    parquet::write(&[], &time_ms, &mut File::create(&path).unwrap()).unwrap();
    let text = format!(
        "import duckdb; print(duckdb.sql(\"select count(*), count(trust) from '{}'\").fetchall())",
        path.display()
    );
    let read = Command::new(python).args(["-c", &text]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&read.stdout), "[(0, 0)]\n", "{}", String::from_utf8_lossy(&read.stderr));
}
