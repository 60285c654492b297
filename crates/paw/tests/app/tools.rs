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

/// The example on the processor, and on what PoCL makes a device of.
#[test]
fn processor_and_device_of_one_program_stand_in_one_run() {
    ::workplace::needs!(POCL);
    let workplace = Workplace::new();
    let line = "export OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd POCL_DEVICES=pthread POCL_CACHE_DIR=$PWD/pocl; \
         exec $PAW app --out r --quiet --metric 'KinFit[ms]=KinFit: ([0-9.]+) ms' --drive KinFit --set v=1,2 --ladder v \
         --verify 'stdout contains reconstructed: 1867' --base cpu --reps 2 \
         \"cpu=$TTBAR --variations {v} --threads 2\" \"opencl=$TTBAR --variations {v} --device opencl\"";
    let ran = workplace.shell(line);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let run = workplace.run();
    let mut found: Vec<(Option<i64>, String, String)> = Vec::new();
    for record in &run.records {
        let check = record.outcome.as_ref().and_then(|outcome| outcome.check.as_ref()).expect("each run was checked");
        assert_eq!(check.verdict, CheckVerdict::Pass);
        assert!(record.samples.extra[&MetricName::of_program("KinFit")].iter().all(|fit_ms| *fit_ms > 0.0));
        let told = workplace.read(&format!("r/logs/{:04}.out", record.cell.id));
        let line = |name: &str| told.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
        found.push((record.cell.point.int("v"), line("checksum: "), line("device: ")));
    }
    found.sort();
    let [(v1, one, first), (_, one_too, second), (v2, two, third), (_, two_too, fourth)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!((v1, v2), (&Some(1), &Some(2)));
    assert!(one == one_too && two == two_too && one != two, "{found:?}");
    // Of each pair one was computed by the device.
    for [processor, device] in [[first, second], [third, fourth]] {
        assert!(processor.is_empty() && device.starts_with("device: opencl:0 "), "{found:?}");
    }
}
