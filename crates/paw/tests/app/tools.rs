//! Real programs: compressors that everybody has, and this workspace's own example.

use std::path::Path;

use paw_data::outcome::{CheckVerdict, Status};
use paw_data::secondary::{MetricName, SecondaryMetric};

use crate::workplace::{Workplace, ended};

/// Text of eight megabytes that can be compressed, but not to nothing.
fn text() -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(1);
    let words: Vec<String> = (0..4096).map(|_| (0..random.usize(2..9)).map(|_| random.lowercase()).collect()).collect();
    let mut text = Vec::with_capacity(8 << 20);
    while text.len() < 8_000_000 {
        text.extend(words[random.usize(..words.len())].bytes());
        text.push(b' ');
    }
    text
}

#[test]
fn compressors_are_measured_by_threads() {
    let tools = [
        ("zstd", "zstd -q -3 -T{threads} -c data"),
        ("xz", "xz -0 -T{threads} -c data"),
        ("pigz", "pigz -1 -p{threads} -c data"),
    ];
    let there: Vec<_> = tools.into_iter().filter(|(name, _)| Path::new("/usr/bin").join(name).exists()).collect();
    assert!(!there.is_empty(), "./check installs zstd, xz-utils and pigz");
    for (name, command) in there {
        let workplace = Workplace::new();
        workplace.write("data", text());
        let line = format!("--threads 1,2 --reps 3 --hash-input data --verify 'exit 0' --work '8 MB' -- {command}");
        let ran = workplace.app(&line);
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        let run = workplace.run();
        for record in &run.records {
            assert_eq!((ended(record), record.samples.len()), ((Status::Measured, ""), 3), "{name}");
            assert!(
                record.samples.extra[&SecondaryMetric::UserTime.into()].iter().all(|user_s| *user_s > 0.0),
                "{name} used a processor"
            );
        }
        let inputs = &run.header.app.as_ref().unwrap().inputs;
        let hash = workplace.shell("sha256sum data").out;
        assert!(hash.starts_with(&inputs[0].sha256) && inputs[0].sha256.len() == 64, "{inputs:?}");
        assert!(inputs[0].bytes >= 8_000_000 && inputs[0].path == "data", "{inputs:?}");
        assert!(ran.out.contains(name) && ran.out.contains("8 MB"), "{}", ran.out);
    }
}

#[test]
fn the_example_gives_the_same_answer_at_every_width() {
    let workplace = Workplace::new();
    let answer = workplace.shell("$TTBAR --variations 1 --threads 1").out;
    let checksum = answer.lines().find(|line| line.starts_with("checksum: ")).expect("it has a checksum").to_owned();
    let line = "--threads 1,2,3 --set v=1,2 --exclude 'v == 2 && threads > 1' --reps 2 \
         --verify 'stdout contains reconstructed: 1867' --metric 'fit_ms[ms]=KinFit: ([0-9.]+) ms' \
         --metric 'calls=calls: ([0-9]+)' -- $TTBAR --variations {v} --threads {threads}";
    let ran = workplace.app(line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    assert_eq!(run.records.len(), 4);
    for record in &run.records {
        let check = record.outcome.as_ref().and_then(|outcome| outcome.check.as_ref()).expect("each run was checked");
        assert_eq!(check.verdict, CheckVerdict::Pass);
        let (fit_ms, calls) = (
            &record.samples.extra[&MetricName::of_program("fit_ms")],
            &record.samples.extra[&MetricName::of_program("calls")],
        );
        let whole_ms = record.samples.elapsed_s.iter().map(|seconds| seconds * 1e3);
        assert!(fit_ms.iter().zip(whole_ms).all(|(fit, whole)| *fit > 0.0 && *fit < whole));
        assert!(calls.iter().all(|calls| *calls == 42036.0 * record.cell.point.int("v").unwrap() as f64), "{calls:?}");
    }
    let at_one: Vec<_> = run.records.iter().filter(|record| record.cell.point.int("v") == Some(1)).collect();
    for record in at_one {
        assert!(workplace.read(&format!("r/logs/{:04}.out", record.cell.id)).contains(&checksum));
    }
}
