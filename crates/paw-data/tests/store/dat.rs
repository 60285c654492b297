//! PAW's files as we write them.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use paw_data::cell::{Dat, Role};
use paw_data::outcome::CheckVerdict;
use paw_data::run::{Record, Run};
use paw_data::sample::Sample;
use paw_data::store::dat::{DatFiles, DatNames, Folders, export, import};
use paw_data::store::write;

use crate::sample_run::{dgemm, header, measured, sample_run};

fn run_of(records: Vec<Record>) -> Run {
    Run { records, ..sample_run() }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn rows(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_owned).collect()
}

fn tempdir() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_row_has_the_seven_columns_of_paw_and_three_more() {
    let dir = tempdir();
    export(&run_of(vec![measured(0, 8)]), dir.path(), DatNames::Guide).unwrap();
    assert_eq!(names(dir.path()), ["dgemm_flops-np_0002.dat", "dgemm_time-np_0002.dat"]);
    // Three clean samples of 1, 2 and 3 µs; the population's sigma is √(2/3) µs.
    assert_eq!(
        rows(&dir.path().join("dgemm_time-np_0002.dat")),
        [
            "8.000000E+00\t2.000000E-06\t\t1.000000E-06\t\t3.000000E-06\t8.164966E-07\t\t  100\t    3\t2.000000E-06\tNAN\tNAN"
        ]
    );
}

#[test]
fn the_average_rate_is_work_over_mean_time_and_not_the_mean_of_rates() {
    let dir = tempdir();
    export(&run_of(vec![measured(0, 8)]), dir.path(), DatNames::Guide).unwrap();
    let row = &rows(&dir.path().join("dgemm_flops-np_0002.dat"))[0];
    let numbers: Vec<f64> = row.split_whitespace().map(|w| w.parse().unwrap()).collect();
    // PAW counts 2N²(N+1) = 1152 operations; the mean of the three rates would be 0.704 GFLOP/s.
    assert_eq!(numbers[..4], [8.0, 0.576, 0.384, 1.152]);
}

#[test]
fn the_last_three_columns_are_the_median_and_its_interval_in_the_unit_of_the_file() {
    let dir = tempdir();
    let mut record = measured(0, 8);
    record.samples = Default::default();
    for round in 0..8 {
        // Of 1 to 8 ms the 95 % interval of the median goes from the first to the last.
        let elapsed_s = 1e-3 * f64::from(round + 1);
        record.samples.push(Sample { round, loops: 1, elapsed_s, ..Sample::default() });
    }
    export(&run_of(vec![record]), dir.path(), DatNames::Guide).unwrap();
    let last = |name: &str| {
        let row = rows(&dir.path().join(name)).remove(0);
        row.split_whitespace().skip(7).map(|word| word.parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(last("dgemm_time-np_0002.dat"), [4.5e-3, 1e-3, 8e-3]);
    // 1152 operations in GFLOP/s: the longest time makes the lowest rate.
    assert_eq!(last("dgemm_flops-np_0002.dat"), [2.56e-4, 1.44e-4, 1.152e-3]);
}

#[test]
fn sizes_in_bytes_are_labelled_so() {
    let label = |suite: &str, size: &str| {
        let dir = tempdir();
        let mut record = measured(0, 8);
        record.cell.suite = suite.into();
        record.cell.dat = Some(Box::new(Dat::new("dgemm", "DGEMM", size)));
        export(&run_of(vec![record]), dir.path(), DatNames::Guide).unwrap();
        let text = fs::read_to_string(dir.path().join("dgemm_time-np_0002.dat")).unwrap();
        text.lines().find_map(|line| line.strip_prefix("# SIZE").map(|rest| rest.starts_with("(B)"))).unwrap()
    };
    assert_eq!([label("blas", "n"), label("mpi", "n"), label("device", "bytes")], [false, true, true]);
}

#[test]
fn both_conventions_name_the_same_files_differently() {
    let mut ping = measured(0, 8);
    ping.cell.dat.as_mut().unwrap().stem = "isend_ping".into();
    ping.cell.headline = paw_data::quantity::Quantity::Bytes;
    let mut rate = measured(1, 8);
    rate.cell.dat.as_mut().unwrap().stem = "mrate".into();
    rate.cell.headline = paw_data::quantity::Quantity::Messages;
    rate.cell.work.messages = 128.0;
    rate.cell.point.set("window", 128.into());
    let mut latency = measured(2, 8);
    latency.cell.dat.as_mut().unwrap().stem = "latency.dat".into();
    latency.cell.headline = paw_data::quantity::Quantity::Time;
    let mut device = measured(3, 8);
    device.cell.dat.as_mut().unwrap().stem = "gpu_transfer_{}_in_pinned".into();
    device.cell.headline = paw_data::quantity::Quantity::Bytes;
    let run = run_of(vec![measured(4, 8), ping, rate, latency, device]);
    let both = [DatNames::Guide, DatNames::V16].map(|convention| {
        let dir = tempdir();
        export(&run, dir.path(), convention).unwrap();
        names(dir.path())
    });
    let guide = [
        "dgemm_flops-np_0002.dat",
        "dgemm_time-np_0002.dat",
        "gpu_transfer_bw_in_pinned.dat",
        "gpu_transfer_time_in_pinned.dat",
        "isend_ping_bw-np_0002.dat",
        "isend_ping_time-np_0002.dat",
        "latency.dat",
        "mrate_rate-np_0002.dat",
        "mrate_time-np_0002.dat",
    ];
    let v16 = [
        "dgemm_fp-np_0002.dat",
        "dgemm_time-np_0002.dat",
        "gpu_transfer_bw_in_pinned.dat",
        "gpu_transfer_time_in_pinned.dat",
        "latency.dat",
        "mrate_rate-ws_128-np_0002.dat",
        "mrate_time-ws_128-np_0002.dat",
        "ping_bw-np_0002.dat",
        "ping_time-np_0002.dat",
    ];
    assert_eq!(both[0], guide);
    assert_eq!(both[1], v16);
}

#[test]
fn the_name_has_the_threads_that_were_used_not_those_asked_for() {
    let dir = tempdir();
    let mut record = measured(0, 8);
    Arc::get_mut(record.cell.library.as_mut().unwrap()).unwrap().threads = 1;
    export(&run_of(vec![record]), dir.path(), DatNames::Guide).unwrap();
    assert_eq!(names(dir.path()), ["dgemm_flops-np_0001.dat", "dgemm_time-np_0001.dat"]);
}

#[test]
fn rows_are_there_before_the_run_ends() {
    let dir = tempdir();
    let mut files = DatFiles::new(dir.path(), &header(), DatNames::Guide, Folders::One);
    files.append(&measured(0, 8)).unwrap();
    assert_eq!(rows(&dir.path().join("dgemm_time-np_0002.dat")).len(), 1);
    files.append(&measured(1, 16)).unwrap();
    assert_eq!(rows(&dir.path().join("dgemm_time-np_0002.dat")).len(), 2);
    let paths = files.finish().unwrap();
    let text = fs::read_to_string(&paths[1]).unwrap();
    assert!(text.ends_with("\n# Fastest DGEMM         :    8.7 GFLOPS (N=16)\n"), "{text}");
    assert!(!fs::read_to_string(&paths[0]).unwrap().contains("Fastest"));
}

#[test]
fn rows_of_two_runs_never_mix() {
    let dir = tempdir();
    let run = run_of(vec![measured(0, 8)]);
    export(&run, dir.path(), DatNames::Guide).unwrap();
    let before = fs::read(dir.path().join("dgemm_time-np_0002.dat")).unwrap();
    let paths = export(&run, dir.path(), DatNames::Guide).unwrap();
    assert_eq!(paths[0], dir.path().join("dgemm_time-np_0002.2.dat"));
    assert_eq!(fs::read(dir.path().join("dgemm_time-np_0002.dat")).unwrap(), before);
    assert_eq!(rows(&paths[0]).len(), 1);
}

#[test]
fn providers_and_variants_get_files_of_their_own() {
    let dir = tempdir();
    let mut transposed = measured(1, 8);
    transposed.cell.point.set("transa", "T".into());
    let mut other = measured(2, 8);
    other.cell.provider = "../mkl".into();
    export(&run_of(vec![measured(0, 8), transposed, other]), dir.path(), DatNames::Guide).unwrap();
    assert_eq!(names(dir.path()), ["openblas", "~mkl"]);
    assert_eq!(
        names(&dir.path().join("openblas")),
        [
            "dgemm_flops-np_0002-transa_T.dat",
            "dgemm_flops-np_0002.dat",
            "dgemm_time-np_0002-transa_T.dat",
            "dgemm_time-np_0002.dat"
        ]
    );
}

#[test]
fn axes_that_follow_the_size_do_not_split_a_ladder() {
    let dir = tempdir();
    let ladder = [8, 16].map(|n| {
        let mut record = measured(n as u32, n);
        record.cell.point.set("m", n.into());
        record
    });
    export(&run_of(ladder.into()), dir.path(), DatNames::Guide).unwrap();
    assert_eq!(rows(&dir.path().join("dgemm_time-np_0002.dat")).len(), 2);
}

#[test]
fn a_wrong_answer_a_reference_and_a_skipped_cell_have_no_row() {
    let dir = tempdir();
    let mut wrong = measured(0, 8);
    wrong.outcome.as_mut().unwrap().check.as_mut().unwrap().verdict = CheckVerdict::Fail;
    let mut reference = measured(1, 8);
    reference.cell.role = Role::Peak;
    let skipped = Record::new(dgemm(2, 8));
    let paths = export(&run_of(vec![wrong, reference, skipped]), dir.path(), DatNames::Guide).unwrap();
    assert!(paths.is_empty());
    assert!(names(dir.path()).is_empty());
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let dir = tempdir();
    let file = dir.path().join("results");
    fs::write(&file, "").unwrap();
    let error = export(&run_of(vec![measured(0, 8)]), &file, DatNames::Guide).unwrap_err().to_string();
    assert!(error.contains("results cannot be written"), "{error}");
}

#[test]
fn what_is_written_is_imported_again() {
    let dir = tempdir();
    let mut mkl = measured(2, 8);
    mkl.cell.provider = "mkl".into();
    for us in [1.0, 2.0, 4.0, 5.0] {
        mkl.samples.push(Sample { loops: 10, elapsed_s: us * 1e-5, ..Sample::default() });
    }
    let run = run_of(vec![measured(0, 8), measured(1, 16), mkl]);
    for names in [DatNames::Guide, DatNames::V16] {
        let out = dir.path().join(format!("{names:?}"));
        export(&run, &out, names).unwrap();
        let back = import(&[out]);
        assert_eq!(back.notes, []);
        assert_eq!(back.runs.len(), 1);
        let back = &back.runs[0];
        assert_eq!((&*back.header.id, &*back.header.tool), (&*run.header.id, "paw 0.1.0"));
        assert_eq!(back.records.len(), 3);
        for record in &run.records {
            // As text: `beta=1` does not tell a real number from a whole one.
            let place = |r: &Record| (r.cell.provider.clone(), r.cell.point.to_string());
            let same = |r: &&Record| place(r) == place(record);
            let found = back.records.iter().find(same).unwrap_or_else(|| panic!("{:?}", record.cell));
            let (time, rate) = (found.imported_time.as_ref().unwrap(), found.imported_rate.as_ref().unwrap());
            let times = record.samples.clean_per_loop_s();
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            assert!((time.mean / mean - 1.0).abs() < 1e-6);
            assert!((rate.mean * mean / record.cell.work.flops_paw - 1.0).abs() < 1e-6);
            assert_eq!((time.samples as usize, time.loops), (times.len(), *record.samples.loops.last().unwrap()));
        }
        let mut file = Vec::new();
        write(back, &mut file, Path::new("run.jsonl")).unwrap();
    }
}

#[test]
fn transfers_of_devices_are_imported_as_the_cells_that_were_written() {
    let transfers = [
        ("gpu_in_pinned", "gpu_transfer_{}_in_pinned", "cuda0", 1_i64, 4.0),
        ("gpu_inout_nopin", "gpu_transfer_{}_inout_nopin_dev0+1", "cuda0+1", 2, 4.0),
        ("phi_keep_al_in", "mic0_keep_al_{}_in", "cuda0", 1, 8.0),
        ("phi_alloc_noal_out", "mic0+1_alloc_noal_{}_out", "cuda0+1", 2, 8.0),
    ];
    let records = transfers.map(|(name, stem, provider, devices, element_bytes)| {
        let mut record = measured(0, 8);
        let cell = &mut record.cell;
        (cell.benchmark, cell.suite, cell.provider) = (name.into(), "device".into(), provider.into());
        cell.point = paw_data::point::Point::new().with("n", 4096).with("devices", devices);
        cell.headline = paw_data::quantity::Quantity::Bytes;
        let (bytes, operations) = (devices as f64 * 4096.0 * element_bytes, devices as f64);
        cell.work = paw_data::work::Work { bytes, operations, ..Default::default() };
        (cell.library, cell.dat) = (None, Some(Box::new(paw_data::cell::Dat::new(stem, name.to_uppercase(), "n"))));
        record
    });
    let dir = tempfile::tempdir().unwrap();
    export(&run_of(records.to_vec()), dir.path(), DatNames::Guide).unwrap();
    let back = import(&[dir.path().to_owned()]);
    assert_eq!(back.notes, []);
    let identity = |r: &Record| {
        let work = r.cell.work.bytes / r.cell.work.operations();
        (r.cell.benchmark.clone(), r.cell.suite.clone(), r.cell.provider.clone(), r.cell.point.to_string(), work)
    };
    let found: Vec<_> = back.runs[0].records.iter().map(identity).collect();
    assert_eq!(found.len(), records.len());
    for record in &records {
        assert!(found.contains(&identity(record)), "{:?} is not among {found:?}", identity(record));
    }
}
