//! Runs of many lines, which several threads read block by block.

use std::fmt::Write as _;
use std::io::{self, Read};
use std::path::Path;

use paw_data::store::{self, ReadError};

use crate::sample_run::sample_run;

/// Cells of a run of many megabytes.
const CELLS: u32 = 20_000;

/// The lines of a run: one header, then a cell and its samples [`CELLS`] times, and an end.
fn lines() -> Vec<String> {
    let mut file = Vec::new();
    store::write(&sample_run(), &mut file, Path::new("run.jsonl")).unwrap();
    let text = String::from_utf8(file).unwrap();
    let kind = |name: &str| text.lines().find(|line| line.starts_with(&format!("{{\"line\":\"{name}\""))).unwrap();
    let (cell, samples) = (kind("cell"), kind("samples"));
    let of = |line: &str, key: &str, id: u32| {
        let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
        value[key] = id.into();
        value["phase"] = "measure".into();
        // The key of the kind stays in front.
        let rest = value.as_object_mut().unwrap();
        let kind = rest.remove("line").unwrap();
        format!("{{\"line\":{kind},{}", &value.to_string()[1..])
    };
    let cells = (0..CELLS).flat_map(|id| [of(cell, "id", id), of(samples, "cell", id)]);
    [kind("run").to_owned()].into_iter().chain(cells).chain([r#"{"line":"end","state":"done"}"#.to_owned()]).collect()
}

fn joined(lines: &[String]) -> Vec<u8> {
    let mut text = String::new();
    lines.iter().for_each(|line| writeln!(text, "{line}").unwrap());
    text.into_bytes()
}

#[test]
fn every_line_of_a_large_run_is_read_in_its_order() {
    let lines = lines();
    assert!(joined(&lines).len() > 10 << 20, "a block is a megabyte");
    let run = store::parse(joined(&lines).as_slice(), Path::new("run.jsonl")).unwrap();
    assert_eq!(run.damage, None);
    let ids: Vec<u32> = run.records.iter().map(|record| record.cell.id).collect();
    assert_eq!(ids, (0..CELLS).collect::<Vec<_>>());
    let small =
        store::parse(joined(&[&lines[..3], &lines[lines.len() - 1..]].concat()).as_slice(), Path::new("r")).unwrap();
    assert!(!small.records[0].samples.is_empty());
    let alike = |record: &paw_data::run::Record| record.samples == small.records[0].samples;
    assert!(run.records.iter().all(alike), "each cell has its samples, and once");
}

#[test]
fn damage_of_a_large_run_is_named_by_its_line_wherever_it_lies() {
    let mut lines = lines();
    // Each is a line of samples, which stand at even places behind the header.
    let places = [CELLS, CELLS + 2, 2 * CELLS].map(|place| place as usize);
    for place in places {
        lines[place].insert(0, '?');
    }
    let run = store::parse(joined(&lines).as_slice(), Path::new("run.jsonl")).unwrap();
    assert_eq!(run.records.len(), CELLS as usize);
    let without: Vec<usize> = (0..run.records.len()).filter(|at| run.records[*at].samples.is_empty()).collect();
    assert_eq!(without, places.map(|place| place / 2 - 1));
    let damage = run.damage.unwrap();
    assert!(damage.starts_with("3 lines that cannot be read were left out"), "{damage}");
    assert!(damage.contains(&format!("first: line {}:", places[0] + 1)), "{damage}");
}

#[test]
fn a_disk_that_fails_in_the_middle_of_a_large_run_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let text = joined(&lines());
    let input = text[..text.len() / 2].chain(Broken);
    match store::parse(input, Path::new("run.jsonl")) {
        Err(ReadError::Io { path, source }) => {
            assert_eq!((path.as_path(), source.to_string()), (Path::new("run.jsonl"), "the disk is gone".to_owned()));
        }
        other => panic!("{other:?}"),
    }
}
