//! CSV and JSON.

use std::path::Path;

use paw_data::explanation::{Ablation, Explanation, ExplanationRow, FormCost, HotLoop, Prediction, Recurrence};
use paw_data::machine::Machine;
use paw_data::profile::{Function, Module, ModuleKind, Place, Profile, Sampling, Stack, Thread};
use paw_data::quantity::Quantity;
use paw_data::run::{Imported, Record, Run};
use paw_data::sample::Sample;
use paw_data::secondary::SecondaryMetric;
use paw_data::secondary_median::secondary_median;
use paw_data::store::{csv, json};
use paw_data::work::Work;

use crate::sample_run::{dgemm, measured, sample_run};

fn run_of(records: Vec<Record>) -> Run {
    Run { records, codes: Vec::new(), ..sample_run() }
}

fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn rows(run: &Run) -> Vec<String> {
    text(|out| csv::write(run, out)).lines().map(str::to_owned).collect()
}

#[test]
fn a_cell_has_one_row_for_each_statistic() {
    let end = "3,measured,adaptive,monotonic,subject,20260102T030405Z-abcdef,noisy-stable";
    let front = "dgemm,openblas,n=8 beta=1 transa=N threads=2";
    let expected = [
        "benchmark,provider,point,quantity,unit,statistic,value,low,high,samples,status,method,clock,role,run,ending"
            .to_owned(),
        format!("{front},time,s,min,1e-6,,,{end}"),
        format!("{front},time,s,median,2e-6,,,{end}"),
        format!("{front},time,s,mean,2e-6,,,{end}"),
        format!("{front},time,s,max,3e-6,,,{end}"),
        format!("{front},time,s,sigma,1e-6,,,{end}"),
        // 2·8³ operations; the disturbed sample is left out.
        format!("{front},flops,FLOP/s,min,341333333.3333333,,,{end}"),
        format!("{front},flops,FLOP/s,median,512000000.0,,,{end}"),
        format!("{front},flops,FLOP/s,mean,512000000.0,,,{end}"),
        format!("{front},flops,FLOP/s,max,1024000000.0,,,{end}"),
    ];
    let found = rows(&run_of(vec![measured(0, 8)]));
    for (found, expected) in found.iter().zip(&expected) {
        let (found, expected): (Vec<&str>, Vec<&str>) = (found.split(',').collect(), expected.split(',').collect());
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            let numbers = (found.parse::<f64>(), expected.parse::<f64>());
            match numbers {
                (Ok(found), Ok(expected)) => assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}"),
                _ => assert_eq!(found, expected),
            }
        }
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn the_interval_of_a_rate_is_that_of_the_time_turned_round() {
    let [time, rate] = median_intervals(Machine::default());
    assert_eq!(time, [3.5, 1.0, 6.0]);
    assert_eq!(rate, [1024.0 / 3.5, 1024.0 / 6.0, 1024.0]);
}

#[test]
fn intervals_hold_what_moves_between_runs_of_the_machine() {
    let mut machine = sample_run().header.machine;
    machine.identity.hypervisor = "KVM".to_owned();
    let [time, rate] = median_intervals(machine);
    let half = |own: f64| own.ln().hypot(0.025 * 1.959_964).exp();
    for (found, expected) in time.into_iter().zip([3.5, 3.5 / half(3.5), 3.5 * half(6.0 / 3.5)]) {
        assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
    }
    assert_eq!(rate, [1024.0 / time[0], 1024.0 / time[2], 1024.0 / time[1]]);
}

/// The median time and rate of six samples of 1 to 6 s, each with its interval.
fn median_intervals(machine: Machine) -> [[f64; 3]; 2] {
    let mut record = Record::new(dgemm(0, 8));
    for elapsed_s in 1..=6 {
        record.samples.push(paw_data::sample::Sample {
            loops: 1,
            elapsed_s: f64::from(elapsed_s),
            ..Default::default()
        });
    }
    let mut run = run_of(vec![record]);
    run.header.machine = machine;
    let rows = rows(&run);
    let numbers = |row: &String| row.split(',').skip(6).take(3).map(|v| v.parse().unwrap()).collect::<Vec<f64>>();
    let medians: Vec<[f64; 3]> =
        rows.iter().filter(|r| r.contains(",median,")).map(|row| numbers(row).try_into().unwrap()).collect();
    medians.try_into().unwrap()
}

#[test]
fn a_cell_without_numbers_keeps_its_row_and_its_status() {
    let run = sample_run();
    let mut unfinished = run.clone();
    unfinished.records = vec![Record::new(dgemm(0, 8))];
    assert!(rows(&run).contains(
        &"dgemm,openblas,n=10000 beta=1 transa=N threads=2,flops,FLOP/s,,,,,0,skipped,adaptive,monotonic,subject,20260102T030405Z-abcdef,".to_owned()
    ));
    assert!(rows(&unfinished)[1].contains(",unfinished,"));
}

#[test]
fn imported_rows_keep_the_statistics_they_came_with() {
    let mut record = Record::new(dgemm(0, 32));
    let rate = Imported { mean: 8e9, min: f64::NAN, max: 9e9, sigma_pop: 5e8, loops: 1000, samples: 10 };
    record.imported_rate = Some(Box::new(rate));
    let found: Vec<String> = rows(&run_of(vec![record]))[1..]
        .iter()
        .map(|r| r.split(',').skip(3).take(7).collect::<Vec<_>>().join(","))
        .collect();
    assert_eq!(
        found,
        [
            "flops,FLOP/s,min,,,,10",
            "flops,FLOP/s,mean,8000000000.0,,,10",
            "flops,FLOP/s,max,9000000000.0,,,10",
            "flops,FLOP/s,sigma_pop,500000000.0,,,10"
        ]
    );
}

#[test]
fn every_sample_has_its_row_with_every_reading_a_column() {
    let run = sample_run();
    let text = text(|out| csv::write_samples(&run, out));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with(",disturbed,core_hz,ticks"));
    let samples: usize = run.records.iter().map(|r| r.warmup.len() + r.samples.len()).sum();
    assert_eq!(lines.len(), 1 + samples);
    assert!(lines[1].contains(",0,warmup,0,1,0,0.1,100,0.0009,"), "{}", lines[1]);
    assert!(lines[5].contains(",0,measure,3,1,2,3.1,100,0.5,"), "{}", lines[5]);
    assert!(lines[5].ends_with(",0.004,3,1,true,,"), "{}", lines[5]);
    assert!(lines[6].ends_with(",false,3400000000.0,123456789.0"), "{}", lines[6]);
}

#[test]
fn a_run_without_cells_still_names_its_columns() {
    let run = run_of(Vec::new());
    assert_eq!(rows(&run).len(), 1);
    assert_eq!(text(|out| csv::write_samples(&run, out)).lines().count(), 1);
}

#[test]
fn json_holds_the_statistics_and_all_samples() {
    let run = sample_run();
    let text = text(|out| json::write(&run, out));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["run"]["id"], run.header.id);
    assert_eq!(value["instruments"].as_array().unwrap().len(), 2);
    let cell = &value["cells"][0];
    assert_eq!(cell["statistics"]["time"]["median"]["value"], 2e-6);
    assert_eq!(cell["statistics"]["time"]["median"]["samples"], 3);
    assert_eq!(cell["samples"]["elapsed_s"].as_array().unwrap().len(), 4);
    assert_eq!(value["cells"][1]["samples"]["ops_s"][0][1], 0.1 + 0.2);
    assert_eq!(value["cells"][2]["outcome"]["status"], "skipped");
    assert_eq!(value["end"]["state"], "done");
    assert!(value["damage"].is_null());
}

#[test]
fn a_column_of_numbers_stays_on_its_line() {
    let text = text(|out| json::write(&run_of(vec![measured(0, 8)]), out));
    assert!(text.contains("\n        \"round\": [0,1,2,3],\n"), "{text}");
    assert!(text.contains("\n      \"cell\": {\n        \"id\": 0,\n"), "{text}");
}

#[test]
fn a_reader_that_goes_away_is_an_error_and_not_a_panic() {
    struct Closed;
    impl std::io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let run = sample_run();
    let results = [csv::write, csv::write_samples, json::write].map(|write| write(&run, &mut Closed).unwrap_err());
    for error in results {
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    }
    assert!(paw_data::store::write(&run, Closed, Path::new("-")).is_err());
}

/// A transfer of 1000 bytes an iteration that takes so many seconds by the device's own clock in each sample.
fn by_events(event_s: &[f64], disturbed: &[usize]) -> Record {
    let mut record = Record::new(dgemm(0, 8));
    record.cell.suite = "device".into();
    record.cell.headline = Quantity::Bytes;
    record.cell.work = Work { bytes: 1000.0, ..Work::default() };
    for (at, event_s) in event_s.iter().enumerate() {
        let (loops, disturbed) = (1 << at, disturbed.contains(&at));
        let extra = [(SecondaryMetric::Event.into(), *event_s), (SecondaryMetric::Overlap.into(), 0.9)].into();
        record.samples.push(Sample { loops, elapsed_s: 1.0, disturbed, extra, ..Sample::default() });
    }
    record
}

#[test]
fn a_devices_own_clock_has_rows_of_its_own() {
    let found = rows(&run_of(vec![by_events(&[1e-6, 4e-6, 4e-6], &[])]));
    let has = |part: &str| found.iter().any(|row| row.contains(part));
    // The median is the sample of one loop: 1000 bytes in a microsecond.
    assert!(has("bytes_event,B/s,median,1000000000.0,,,3,"), "{found:#?}");
    assert!(has("overlap,,median,0.9,,,3,"), "{found:#?}");
    assert!(!has("_gated"), "{found:#?}");
}

#[test]
fn a_metric_is_divided_by_loops_where_it_is_their_sum() {
    let mut record = Record::new(dgemm(0, 8));
    for loops in [10, 100] {
        let metrics = [(SecondaryMetric::Event, 3.0 * loops as f64), (SecondaryMetric::Power, 200.0)];
        let extra = metrics.map(|(metric, value)| (metric.into(), value)).into();
        record.samples.push(Sample { loops, elapsed_s: 1.0, extra, ..Sample::default() });
    }
    let median = |metric| secondary_median(&record.samples, metric).map(|found| (found.median, found.samples));
    assert_eq!(median(SecondaryMetric::Event), Some((3.0, 2)));
    assert_eq!(median(SecondaryMetric::Power), Some((200.0, 2)));
    assert_eq!(median(SecondaryMetric::Gated), None);
}

#[test]
fn rows_of_a_devices_clock_come_from_the_samples_of_the_headline() {
    let check = |disturbed: &[usize], expected: &str| {
        let found = rows(&run_of(vec![by_events(&[1e-6, 4e-6, 16e-6, 8e-6, 16e-6], disturbed)]));
        let row = found.iter().find(|row| row.contains("bytes_event")).unwrap_or_else(|| panic!("{found:#?}"));
        assert!(row.contains(expected), "{row}");
        let headline = found.iter().find(|row| row.contains(",time,s,median")).unwrap();
        let samples = |row: &str| row.split(',').nth(9).map(str::to_owned);
        assert_eq!(samples(row), samples(headline));
    };
    // Microseconds of an iteration: 1, 2, 4, 1, 1.
    check(&[], "bytes_event,B/s,median,1000000000.0,,,5,");
    check(&[0, 3], "bytes_event,B/s,median,500000000.0,,,3,");
    check(&[0, 3, 4], "bytes_event,B/s,median,1000000000.0,,,5,");
    check(&[0, 1, 2, 3, 4], "bytes_event,B/s,median,1000000000.0,,,5,");
}

/// A run whose kernel of ten cycles is a chain of additions.
fn explained() -> Run {
    let row = |ablation, cycles: &[f64]| ExplanationRow {
        level: "L1".to_owned(),
        n: 1000,
        ablation,
        cycles: cycles.to_vec(),
        ..ExplanationRow::default()
    };
    let own = Explanation {
        build: "gcc -O2".to_owned(),
        hot: Some(HotLoop {
            function: "k".to_owned(),
            address: 0x1130,
            trips: 500.0,
            iterations: 2.0,
            share: 0.75,
            ..HotLoop::default()
        }),
        rows: vec![row(None, &[10.0; 3]), row(Some(Ablation::NoChain), &[2.0; 3]), row(Some(Ablation::NoFloat), &[])],
        width: Some(6.0),
        forms: vec![FormCost { form: "addsd xmm, xmm".to_owned(), latency: Some(4.0), ..FormCost::default() }],
        recurrence: Some(Recurrence { cycles: 19.0, made_of: "additions".to_owned(), ..Recurrence::default() }),
        predictions: vec![Prediction {
            tool: "osaca".to_owned(),
            model: "ZEN4".to_owned(),
            cycles: Some(8.0),
            ..Prediction::default()
        }],
        ..Explanation::default()
    };
    Run { explanations: vec![own], ..run_of(Vec::new()) }
}

#[test]
fn explanations_have_rows_for_changes_bounds_and_instructions() {
    let found = rows(&explained());
    let expected = [
        "code,gcc -O2,function=k loop=0x1130,trips,,counted,500.0,,,0,,",
        "code,gcc -O2,function=k loop=0x1130,recurrence_cycles,cycles,bound,9.5,,,0,,",
        "code,gcc -O2,level=L1 n=1000 change=none,ablation_cycles,cycles,lower_quartile,10.0,,,3,measured,",
        "code,gcc -O2,level=L1 n=1000 change=no_chain,ablation_share,,less,0.8,,,0,,",
        "code,gcc -O2,level=L1 n=1000 change=no_float,ablation_cycles,cycles,lower_quartile,,,,0,failed,",
        "code,gcc -O2,level=L1 n=1000 bound=chain,bound_cycles,cycles,bound,9.5,,,0,binds,",
        "code,gcc -O2,\"form=addsd xmm, xmm\",latency_cycles,cycles,lower_quartile,4.0,",
        "code,gcc -O2,,instructions_per_cycle,,lower_quartile,6.0,",
        "code,gcc -O2,function=k loop=0x1130,predicted_cycles,cycles,bound,4.0,,,0,predicted,osaca ZEN4,",
    ];
    for row in expected {
        assert!(found.iter().any(|found| found.starts_with(row)), "{row}: {found:#?}");
    }
}

#[test]
fn json_holds_profiles_and_the_times_that_follow_from_them() {
    let profile = Profile {
        name: "solver".to_owned(),
        sampling: Sampling { samples: 4, processor_s: 2.0, ..Sampling::default() },
        modules: vec![Module { path: "/opt/solver".to_owned(), kind: ModuleKind::File }],
        functions: ["main", "step"]
            .map(|name| Function { name: Some(name.to_owned()), ..Function::default() })
            .to_vec(),
        places: [0, 1]
            .map(|function| Place { function, file: "step.c".to_owned(), line: 7, ..Place::default() })
            .to_vec(),
        threads: vec![Thread { tid: 12, name: "solver".to_owned(), ..Thread::default() }],
        stacks: vec![
            Stack { thread: 0, samples: 3, places: vec![1, 0] },
            Stack { samples: 1, places: vec![0], thread: 0 },
        ],
        ..Profile::default()
    };
    let text = text(|out| json::write(&Run { profiles: vec![profile], ..run_of(Vec::new()) }, out));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let own = &value["profiles"][0];
    assert_eq!((&own["name"], &own["stacks"][0]["samples"]), (&"solver".into(), &3.into()));
    let functions = own["times"]["functions"].as_array().unwrap();
    let told = |at: usize| (functions[at]["name"].as_str().unwrap(), functions[at]["share"].as_f64().unwrap());
    assert_eq!([told(0), told(1)], [("step", 0.75), ("main", 0.25)]);
    assert_eq!((&functions[0]["seconds"], &functions[1]["with_calls"]["share"]), (&1.5.into(), &1.0.into()));
    assert_eq!(own["times"]["lines"][0]["name"], "step.c:7");
    assert_eq!(own["times"]["threads"][0]["name"], "solver 12");
}

#[test]
fn json_holds_explanations_and_what_follows_from_them() {
    let text = text(|out| json::write(&explained(), out));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let own = &value["explanations"][0];
    assert_eq!((&own["build"], &own["hot"]["trips"]), (&"gcc -O2".into(), &500.0.into()));
    assert_eq!(own["rows"][1]["ablation"], "no_chain");
    let level = &own["levels"][0];
    assert_eq!((&level["shares"][0]["part"], &level["bounds"][0]["binds"]), (&"chain".into(), &true.into()));
    assert!(level["sentence"].as_str().unwrap().contains("what binds is the chain of additions"));
}
