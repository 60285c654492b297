//! The history: one file a run, whatever happens to it, and the formats of other tools.

use std::fs;

use paw_data::application::{Better, MetricFact};
use paw_data::history::levels::{LevelReader, Trend};
use paw_data::history::series::series;
use paw_data::history::{CellFigure, Measure, RunDigest, SCHEMA};
use paw_data::machine::Identity;
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::store::exposition::{self, Exposition};
use paw_data::store::history::{Added, add, read};

pub fn entry(day: u32, value: f64) -> RunDigest {
    let identity = Identity { host: "node\"1\"".to_owned(), cpu: "a processor".to_owned(), ..Identity::default() };
    let figure = CellFigure {
        benchmark: "dgemm".to_owned(),
        provider: "embedded".to_owned(),
        program: String::new(),
        point: Point::new().with("n", 64),
        measure: Measure::Quantity(Quantity::Flops),
        value,
        low: (day != 2).then_some(value - 1.0),
        high: (day != 2).then_some(value + 1.0),
        samples: 16,
        trust: "good".to_owned(),
    };
    RunDigest {
        schema: SCHEMA.to_owned(),
        run: format!("202601{day:02}T000000Z-abcdef"),
        utc: format!("2026-01-{day:02}T00:00:00Z"),
        source: "paw-results/x".to_owned(),
        tool: "paw 0.1.0".to_owned(),
        resumed: None,
        identity,
        state: Default::default(),
        circumstances: Default::default(),
        figures: vec![figure],
    }
}

/// Midnight of a day of January 2026.
pub fn time_ms(utc: &str) -> Option<i64> {
    let day: i64 = utc.strip_prefix("2026-01-")?.get(..2)?.parse().ok()?;
    Some(1_767_225_600_000 + (day - 1) * 86_400_000)
}

#[test]
fn entries_come_back_in_the_order_of_time() {
    let home = tempfile::tempdir().unwrap();
    let store = home.path().join("new/store");
    for day in [3, 1, 2] {
        assert_eq!(add(&store, &entry(day, f64::from(day))).unwrap(), Added::New);
    }
    assert_eq!(add(&store, &entry(1, 1.0)).unwrap(), Added::Known);
    assert_eq!(add(&store, &entry(1, 1.5)).unwrap(), Added::Replaced);
    let stored = read(&store).unwrap();
    assert_eq!(stored.entries, [entry(1, 1.5), entry(2, 2.0), entry(3, 3.0)]);
    assert!(stored.unreadable.is_empty());
    assert_eq!(series(&stored.entries)[0].values(), [1.5, 2.0, 3.0]);
}

#[test]
fn writers_at_once_lose_nothing_and_readers_see_whole_files() {
    let home = tempfile::tempdir().unwrap();
    let store = home.path();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || {
                for day in 1..=28 {
                    // All of them write the same run with different figures: any of them may win, and nothing else.
                    add(store, &entry(day, f64::from(writer + 1))).unwrap();
                    let stored = read(store).unwrap();
                    assert!(stored.unreadable.is_empty(), "{:?}", stored.unreadable);
                }
            });
        }
    });
    let stored = read(store).unwrap();
    assert_eq!(stored.entries.len(), 28);
    assert!(stored.entries.iter().all(|entry| (1.0..5.0).contains(&entry.figures[0].value)));
    assert_eq!(fs::read_dir(store).unwrap().count(), 28, "no temporary file is left");
}

#[test]
fn broken_and_unfinished_files_harm_no_other() {
    let home = tempfile::tempdir().unwrap();
    add(home.path(), &entry(1, 1.0)).unwrap();
    let whole = fs::read_to_string(home.path().join("20260101T000000Z-abcdef.json")).unwrap();
    fs::write(home.path().join("a.json"), &whole[..whole.len() / 2]).unwrap();
    fs::write(home.path().join("b.json"), whole.replace("paw.history/1", "paw.history/2")).unwrap();
    fs::write(home.path().join(".c.json.1-0.part"), &whole[..10]).unwrap();
    fs::write(home.path().join("notes.txt"), "mine").unwrap();
    let stored = read(home.path()).unwrap();
    assert_eq!(stored.entries, [entry(1, 1.0)]);
    let [torn, newer] = &stored.unreadable[..] else { panic!("{:?}", stored.unreadable) };
    assert!(torn.contains("a.json is left out: it is no entry of a history"), "{torn}");
    assert!(newer.contains("b.json is left out: it is of format \"paw.history/2\""), "{newer}");
}

#[test]
fn a_name_of_a_run_stays_inside_the_store() {
    let home = tempfile::tempdir().unwrap();
    let store = home.path().join("store");
    for run in ["../../out", "..", "imported-a b", ""] {
        add(&store, &RunDigest { run: run.to_owned(), ..entry(1, 1.0) }).unwrap();
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    assert_eq!(read(&store).unwrap().entries.len(), 4);
}

#[test]
fn text_formats_escape_labels_and_keep_their_rules() {
    let entries = [entry(1, 1e9), entry(2, 2e9), entry(3, 3e9)];
    let entries: Vec<&RunDigest> = entries.iter().collect();
    let text = |which| {
        let mut out = Vec::new();
        exposition::write(&entries, which, &time_ms, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let latest = text(Exposition::Latest);
    let labels = format!(
        r#"{{machine="{}",host="node\"1\"",benchmark="dgemm",provider="embedded",point="n=64"}}"#,
        entries[0].machine()
    );
    assert!(latest.contains("# TYPE paw_flops_per_second gauge\n"), "{latest}");
    assert!(latest.contains(&format!("\npaw_flops_per_second{labels} 3e9\n")), "{latest}");
    assert!(latest.contains(&format!("\npaw_measured_timestamp_seconds{labels} 1767398400\n")), "{latest}");
    let all = text(Exposition::All);
    assert!(all.ends_with("\n# EOF\n"));
    let values: Vec<&str> = all.lines().filter(|line| line.starts_with("paw_flops_per_second{")).collect();
    assert_eq!(values.len(), 3);
    assert!(values[0].ends_with(" 1e9 1767225600.000"), "{values:?}");
    assert_eq!(all.lines().filter(|line| line.starts_with("paw_flops_per_second_low{")).count(), 2);
}

#[test]
fn two_command_lines_of_one_name_are_two_series() {
    let mut entries = [entry(1, 1.0), entry(2, 2.0), entry(3, 3.0)];
    for (entry, program) in entries.iter_mut().zip(["sleep 1", "sleep 2", "sleep 1"]) {
        entry.figures[0].program = program.to_owned();
    }
    let found: Vec<(String, Vec<f64>)> = series(&entries).iter().map(|own| (own.title(), own.values())).collect();
    assert_eq!(found, [("sleep 1".to_owned(), vec![1.0, 3.0]), ("sleep 2".to_owned(), vec![2.0])]);
    entries[1].figures[0].program = "sleep 1".to_owned();
    assert_eq!(series(&entries)[0].title(), "dgemm");
}

#[test]
fn a_number_that_a_program_prints_is_a_series_of_its_own() {
    let mut entries = [entry(1, 1.0), entry(2, 2.0)];
    for entry in &mut entries {
        let metric = MetricFact { name: "rate".into(), unit: "sweeps/s".into(), better: Better::Higher };
        let printed = CellFigure { measure: Measure::Metric(metric), value: 7.0, ..entry.figures[0].clone() };
        entry.figures.push(printed);
    }
    let text = serde_json::to_string(&entries[0].figures).unwrap();
    assert!(text.contains(r#""quantity":"flops""#) && text.contains(r#""metric":{"name":"rate""#), "{text}");
    assert_eq!(serde_json::from_str::<Vec<CellFigure>>(&text).unwrap(), entries[0].figures);
    let found: Vec<(String, Vec<f64>)> = series(&entries).iter().map(|own| (own.title(), own.values())).collect();
    assert_eq!(found, [("dgemm".to_owned(), vec![1.0, 2.0]), ("dgemm rate".to_owned(), vec![7.0, 7.0])]);
    let mut out = Vec::new();
    exposition::write(&entries.iter().collect::<Vec<_>>(), Exposition::Latest, &time_ms, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("# TYPE paw_program_metric gauge\npaw_program_metric{"), "{out}");
    assert!(out.contains(r#"point="n=64",metric="rate",unit="sweeps/s"} 7e0"#), "{out}");
}

#[test]
fn a_trend_is_unknown_where_even_a_perfect_one_would_prove_nothing() {
    let trend = |runs: u32, all: usize| {
        let entries: Vec<RunDigest> = (1..=runs).map(|day| entry(day, 1.01_f64.powi(day as i32))).collect();
        LevelReader::new(all).read(&series(&entries)[0]).trend
    };
    assert_eq!([trend(11, 1), trend(12, 1)], [Trend::Unknown, Trend::Rising]);
    assert_eq!([trend(16, 120), trend(18, 120)], [Trend::Unknown, Trend::Rising]);
    let level: Vec<RunDigest> = (1..=20).map(|day| entry(day, 1.0 + 0.01 * f64::from(day * 7 % 5))).collect();
    assert_eq!(LevelReader::new(1).read(&series(&level)[0]).trend, Trend::NoneShown);
}
