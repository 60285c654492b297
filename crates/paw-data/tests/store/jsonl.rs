//! `run.jsonl`: what is written comes back, and damage is told.

use std::path::Path;

use paw_data::code::{LoopBody, Role};
use paw_data::run::Run;
use paw_data::sample::{Phase, Sample};
use paw_data::secondary::MetricName;
use paw_data::store::{ReadError, Writer, csv, parse, read, write};
use proptest::prelude::*;

use crate::sample_run::{dgemm, header, sample_run};

pub fn bytes(run: &Run) -> Vec<u8> {
    let mut out = Vec::new();
    write(run, &mut out, Path::new("run.jsonl")).unwrap();
    out
}

pub fn parsed(bytes: &[u8]) -> Result<Run, ReadError> {
    parse(bytes, Path::new("results/run-a/run.jsonl"))
}

pub fn opened(bytes: &[u8]) -> Run {
    parsed(bytes).unwrap()
}

fn lines(run: &Run) -> Vec<String> {
    String::from_utf8(bytes(run)).unwrap().lines().map(str::to_owned).collect()
}

fn joined(lines: &[String]) -> Vec<u8> {
    (lines.join("\n") + "\n").into_bytes()
}

/// The run whose line number `at` is replaced.
fn with_line(at: usize, line: &str) -> Vec<u8> {
    let mut all = lines(&sample_run());
    all[at] = line.to_owned();
    joined(&all)
}

fn position(kind: &str) -> usize {
    lines(&sample_run()).iter().position(|l| l.starts_with(&format!("{{\"line\":\"{kind}\""))).unwrap()
}

#[test]
fn a_whole_run_comes_back_as_it_was() {
    let run = sample_run();
    assert_eq!(opened(&bytes(&run)), run);
}

#[test]
fn a_file_cut_at_any_byte_opens_or_says_that_nothing_was_measured() {
    let run = sample_run();
    let whole = bytes(&run);
    let header = whole.iter().position(|b| *b == b'\n').unwrap();
    for cut in 0..whole.len() {
        let result = parsed(&whole[..cut]);
        if cut == 0 {
            assert!(matches!(result, Err(ReadError::Empty(_))), "{cut}");
        } else if cut < header {
            assert!(matches!(result, Err(ReadError::NotARun { .. })), "{cut}");
        } else {
            let part = result.unwrap();
            let complete = cut == whole.len() - 1;
            assert_eq!(part.damage.is_none(), complete, "{cut}: {:?}", part.damage);
            assert!(is_prefix(&part, &run), "{cut}");
        }
    }
}

/// Whether all samples in `part` are the first samples of the same cells in `whole`.
fn is_prefix(part: &Run, whole: &Run) -> bool {
    part.header == whole.header
        && part.records.len() <= whole.records.len()
        && part.records.iter().zip(&whole.records).all(|(p, w)| {
            p.cell == w.cell
                && w.samples.elapsed_s.starts_with(&p.samples.elapsed_s)
                && w.warmup.elapsed_s.starts_with(&p.warmup.elapsed_s)
        })
}

#[test]
fn words_of_a_later_version_lose_no_code() {
    let at = position("code");
    let line = lines(&sample_run()).remove(at);
    let later = line.replace("\"role\":\"main\"", "\"role\":\"peel\"").replacen('{', "{\"later\":[1],", 1);
    let run = opened(&with_line(at, &later));
    let body = run.codes[0].functions[0].loops[1].body.as_ref().unwrap();
    assert_eq!((body.role, body.paths), (Some(Role::Other), Some(6561)));
    assert_eq!(run.codes[0].source_line("/k/column.c", 8), Some("    sum += exp(a[i]);"));
    let poor =
        opened(&with_line(at, r#"{"line":"code","build":"b","functions":[{"name":"f","loops":[{"body":{}}]}]}"#));
    assert_eq!(poor.codes[0].functions[0].loops[0].body, Some(LoopBody::default()));
}

#[test]
fn a_run_that_was_killed_says_that_its_end_is_missing() {
    let all = lines(&sample_run());
    let run = opened(&joined(&all[..all.len() - 1]));
    assert_eq!(
        run.damage.unwrap(),
        format!("the run was cut off after line {}, and what was not yet saved is missing.", all.len() - 1)
    );
    assert_eq!(run.end, None);
}

#[test]
fn a_line_of_garbage_costs_that_line_alone() {
    for garbage in
        ["\u{0}\u{fffd}garbage", "{\"line\":\"samples\",\"ce_", "{\"line\":\"samples\",\"cell\":0}", "[]", "{}"]
    {
        let at = position("samples");
        let run = opened(&with_line(at, garbage));
        assert!(run.records[0].warmup.is_empty());
        assert_eq!(run.records[0].samples, sample_run().records[0].samples);
        let damage = run.damage.unwrap();
        assert!(damage.starts_with(&format!("1 line that cannot be read was left out (line {}: ", at + 1)), "{damage}");
    }
}

#[test]
fn a_lost_cell_is_told_with_the_lines_that_speak_of_it() {
    let run = opened(&with_line(position("cell"), "?"));
    assert_eq!(run.records.len(), sample_run().records.len() - 1);
    let damage = run.damage.unwrap();
    assert!(
        damage.contains("3 lines about cells that no line describes were left out (first: line 6: cell 0)"),
        "{damage}"
    );
}

#[test]
fn a_lost_header_costs_no_sample() {
    let run = opened(&with_line(0, "?"));
    assert_eq!(run.records, sample_run().records);
    assert_eq!((&*run.header.id, &*run.header.tool), ("run-a", "unknown"));
    assert!(run.damage.unwrap().contains("the first line cannot be read"));
}

#[test]
fn a_cell_that_stands_twice_is_taken_once() {
    let mut all = lines(&sample_run());
    let at = position("cell");
    all.insert(at, all[at].clone());
    let run = opened(&joined(&all));
    assert_eq!(run.records, sample_run().records);
    assert!(run.damage.unwrap().contains("cell 0 is described a second time"));
}

#[test]
fn columns_of_unequal_length_are_refused() {
    for line in [
        r#"{"line":"samples","cell":0,"phase":"measure","elapsed_s":[1.0,2.0],"loops":[1]}"#,
        r#"{"line":"samples","cell":0,"phase":"measure","elapsed_s":[1.0,2.0],"loops":[1,1],"round":[1]}"#,
        r#"{"line":"samples","cell":0,"phase":"measure","elapsed_s":[1.0],"loops":[1],"extra":{"ticks":[1,2]}}"#,
        r#"{"line":"samples","cell":0,"phase":"measure","elapsed_s":[1.0],"loops":[-1]}"#,
        r#"{"line":"samples","cell":0,"elapsed_s":[1.0],"loops":[1]}"#,
    ] {
        let run = opened(&with_line(position("samples"), line));
        assert_eq!(run.records[0].samples, sample_run().records[0].samples, "{line}");
        assert!(run.damage.is_some(), "{line}");
    }
}

#[test]
fn columns_left_out_are_filled() {
    let line = r#"{"phase":"warmup","extra":{},"elapsed_s":[1.5,null],"later":{"a":[1]},"loops":[1,2],"cell":0,"line":"samples"}"#;
    let warmup = &opened(&with_line(position("samples"), line)).records[0].warmup;
    assert_eq!(
        (&*warmup.round, &*warmup.disturbed, &*warmup.run_delay_s),
        (&[0, 0][..], &[false; 2][..], &[0.0; 2][..])
    );
    assert_eq!(warmup.invocation, [0, 0], "older runs have one process");
    assert_eq!(warmup.elapsed_s[0], 1.5);
    assert!(warmup.elapsed_s[1].is_nan() && warmup.at_s[0].is_nan());
}

#[test]
fn a_metric_of_a_later_version_is_read_kept_and_shown_as_it_is() {
    let line = r#"{"line":"samples","cell":0,"phase":"measure","elapsed_s":[1.0],"loops":[1],"extra":{"wattage_of_fans":[3.5]}}"#;
    let run = opened(&with_line(position("samples"), line));
    let name = MetricName::read("wattage_of_fans".to_owned());
    assert_eq!(run.records[0].samples.secondary(name).and_then(|column| column.first()), Some(&3.5));
    // Not the runs: a NaN equals nothing.
    assert_eq!(bytes(&opened(&bytes(&run))), bytes(&run));
    let mut columns = Vec::new();
    csv::write_samples(&run, &mut columns).unwrap();
    let columns = String::from_utf8(columns).unwrap();
    let (header, row) = (columns.lines().next().unwrap(), columns.lines().find(|row| row.contains(",3.5")));
    let place = header.split(',').position(|column| column == "wattage_of_fans").unwrap();
    assert_eq!(row.and_then(|row| row.split(',').nth(place)), Some("3.5"), "{columns}");
}

#[test]
fn keys_of_later_versions_are_passed_over() {
    let all: Vec<String> =
        lines(&sample_run()).iter().map(|l| l.replacen('{', r#"{"later":[{"a":null}],"#, 1)).collect();
    assert_eq!(opened(&joined(&all)), sample_run());
}

#[test]
fn kinds_and_words_of_later_versions_are_told() {
    let mut all = lines(&sample_run());
    all.insert(3, r#"{"line":"metrics","cell":0}"#.to_owned());
    all[0] = all[0].replace("paw.run/1", "paw.run/1.3").replace(r#""interval":"#, r#""prophecy":"#);
    let run = opened(&joined(&all));
    assert_eq!(run.records, sample_run().records);
    assert_eq!(run.header.machine, sample_run().header.machine);
    assert_eq!(run.header.plan.method.name, "unknown");
    let damage = run.damage.unwrap();
    assert!(damage.contains("newer format (paw.run/1.3)"), "{damage}");
    assert!(
        damage.contains("1 line of a kind this version does not know was left out (line 4: `metrics`)"),
        "{damage}"
    );
}

#[test]
fn another_major_version_is_refused() {
    for schema in ["paw.run/2", "paw.run/10", "paw.run/2.1", "other/1"] {
        let line = lines(&sample_run())[0].replace("paw.run/1", schema);
        let error = parsed(&with_line(0, &line)).unwrap_err();
        assert!(matches!(&error, ReadError::OtherMajor { schema: found, .. } if found == schema), "{error}");
        assert!(error.to_string().contains(schema));
    }
}

#[test]
fn what_is_no_run_is_called_so() {
    let error = parsed(b"").unwrap_err().to_string();
    assert!(error.ends_with("is empty: the run was stopped before it began, so there is nothing in it"), "{error}");
    for text in ["hello\nworld\n", "{\"a\":1}\n", "\n\n", "\u{7f}ELF\0\0"] {
        let error = parsed(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("is not a run that can be read"), "{error}");
    }
}

#[test]
fn a_run_is_read_by_its_directory_and_by_its_file() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(read(dir.path()), Err(ReadError::NoRun(_))));
    let file = dir.path().join("run.jsonl");
    assert!(matches!(read(&file), Err(ReadError::Io { .. })));
    std::fs::write(&file, bytes(&sample_run())).unwrap();
    assert_eq!(read(dir.path()).unwrap(), sample_run());
    assert_eq!(read(&file).unwrap(), sample_run());
}

#[test]
fn numbers_that_json_has_not_come_back_as_nan() {
    let mut run = sample_run();
    run.records[0].samples.elapsed_s = vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0];
    run.records[0].outcome.as_mut().unwrap().check.as_mut().unwrap().error = f64::NAN;
    run.records[0].cell.point.set("beta", f64::NAN.into());
    run.records[0].cell.work.bytes = f64::INFINITY;
    run.records[3].imported_time.as_mut().unwrap().mean = f64::NAN;
    run.instruments[0].overhead_s = f64::NAN;
    let back = opened(&bytes(&run));
    assert_eq!(back.damage, None);
    let elapsed = &back.records[0].samples.elapsed_s;
    assert!(elapsed[..3].iter().all(|t| t.is_nan()) && elapsed[3] == 1.0);
    assert!(back.records[0].outcome.as_ref().unwrap().check.as_ref().unwrap().error.is_nan());
    assert!(back.records[0].cell.point.float("beta").unwrap().is_nan());
    assert!(back.records[0].cell.work.bytes.is_nan());
    assert!(back.records[3].imported_time.as_ref().unwrap().mean.is_nan());
    assert!(back.instruments[0].overhead_s.is_nan());
}

fn sample() -> impl Strategy<Value = Sample> {
    let finite = || prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL;
    let extra = prop::collection::btree_map("[a-z]{1,3}".prop_map(MetricName::read), finite(), 0..3);
    let place = (any::<u32>(), any::<u32>(), any::<u32>(), any::<u64>(), any::<bool>());
    let counts = (any::<u32>(), any::<u32>());
    (place, counts, finite(), finite(), finite(), prop::collection::vec(finite(), 0..3), extra).prop_map(
        |(
            (round, position, invocation, loops, disturbed),
            (switches, migrations),
            at_s,
            elapsed_s,
            run_delay_s,
            ops_s,
            extra,
        )| {
            Sample {
                round,
                position,
                invocation,
                at_s,
                loops,
                elapsed_s,
                run_delay_s,
                switches,
                migrations,
                disturbed,
                ops_s,
                extra,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    /// To the last bit, whatever cells and phases they belong to and whenever they are saved.
    #[test]
    fn samples_come_back_in_order_to_the_last_bit(
        pushes in prop::collection::vec((0_u32..3, any::<bool>(), sample(), 0_u8..4), 0..40)
    ) {
        let mut expected = Run { codes: Vec::new(), ..sample_run() };
        expected.records = (0..3).map(|id| paw_data::run::Record::new(dgemm(id, 8))).collect();
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out, "run.jsonl");
        writer.header(&header()).unwrap();
        expected.instruments.iter().for_each(|i| writer.instrument(i).unwrap());
        expected.teams.iter().for_each(|t| writer.team(t).unwrap());
        expected.records.iter().for_each(|r| writer.cell(&r.cell).unwrap());
        for (cell, warm, sample, save) in pushes {
            let record = &mut expected.records[cell as usize];
            let (phase, samples) =
                if warm { (Phase::Warmup, &mut *record.warmup) } else { (Phase::Measure, &mut record.samples) };
            samples.push(sample.clone());
            writer.push(cell, phase, sample);
            if save == 0 {
                writer.flush().unwrap();
            }
        }
        writer.end(expected.end.as_ref().unwrap()).unwrap();
        drop(writer);
        // As text, because a reading that some samples lack is NaN, which equals nothing.
        prop_assert_eq!(format!("{:?}", opened(&out)), format!("{expected:?}"));
    }

    #[test]
    fn any_bytes_at_all_are_read_without_panic(
        noise in prop::collection::vec(any::<u8>(), 1..60), at in 0.0..1.0
    ) {
        let mut file = bytes(&sample_run());
        let start = (at * file.len() as f64) as usize;
        let end = (start + noise.len()).min(file.len());
        file[start..end].copy_from_slice(&noise[..end - start]);
        // Noise may hit the version, and then the file is refused; else it opens.
        match parsed(&file) {
            Ok(run) => prop_assert!(run.records.len() <= sample_run().records.len()),
            Err(error) => prop_assert!(start < bytes(&sample_run()).iter().position(|b| *b == b'\n').unwrap(), "{error}"),
        }
    }
}

#[test]
fn two_files_in_one_are_not_taken_for_more_samples() {
    let run = sample_run();
    let joined = [bytes(&run), bytes(&run)].concat();
    let read = opened(&joined);
    assert_eq!(read.records, run.records);
    let damage = read.damage.expect("the second file is left out");
    assert!(damage.contains(&format!("line {}: another run begins here", lines(&run).len() + 1)), "{damage}");
}
