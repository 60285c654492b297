//! PAW's files of every version, read with their quirks.

use std::fs;
use std::path::{Path, PathBuf};

use paw_data::outcome::Status;
use paw_data::run::{ClockKind, Imported, Record, Run};
use paw_data::store::dat::{Import, import};

/// Files made of text, and what is imported from them.
fn imported(files: &[(&str, &str)]) -> Import {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut import = import(&[dir.path().to_owned()]);
    // Paths without the directory of the day.
    for note in &mut import.notes {
        note.path = note.path.strip_prefix(dir.path()).map(Path::to_owned).unwrap_or_default();
    }
    import
}

fn notes(import: &Import) -> Vec<String> {
    import.notes.iter().map(ToString::to_string).collect()
}

fn only(import: &Import) -> &Run {
    assert_eq!(import.runs.len(), 1, "{:?}", notes(import));
    &import.runs[0]
}

/// The comment block of a version, made after the description of the format.
fn head(version: &str, date: &str, title: &str, columns: &str) -> String {
    format!(
        "#=======================================================\n\
         # PAW - Performance Assessment Workbench v{version}\n#\n# somebody\n# somebody@example.org\n\
         #=======================================================\n\
         # Date : {date}\n# Test : {title}\n\
         #=======================================================\n#\n# {columns}\n"
    )
}

const DATE: &str = "Fri Jan  2 03:04:05 2015";
const BLAS_TIME: &str = "SIZE\t\tAVG(s)\t\tMIN(s)\t\tMAX(s)\t\tstdDev(s)\tNLOOP\tNREPS";
const BLAS_RATE: &str = "SIZE\t\tAVG(GFP/s)\tMIN(GFP/s)\tMAX(GFP/s)\tstdDev(GFP/s)\tNLOOP\tNREPS";
const MPI_TIME: &str = "SIZE(B)\t\tAVG(us)\t\tMIN(us)\t\tMAX(us)\t\tstdDev(us)\tNLOOP\tNREPS";
const MPI_RATE: &str = "SIZE(B)\t\tAVG(MB/s)\tMIN(MB/s)\tMAX(MB/s)\tstdDev(MB/s)\tNLOOP\tNREPS";
const MESSAGES: &str = "SIZE(B)\t\tAVG(MIO/s)\tMIN(MIO/s)\tMAX(MIO/s)\tstdDev(MIO/s)\tNLOOP\tNREPS";

const TIME_ROWS: &str = "8.000000E+00\t1.455307E-07\t\t1.423359E-07\t\t1.728535E-07\t9.108214E-09\t\t 1000\t   10\n\
                         1.600000E+01\t4.000000E-07\t\t3.900000E-07\t\t4.200000E-07\t1.000000E-08\t\t 1000\t   10\n";
const RATE_ROWS: &str = "8.000000E+00\t7.900000E+00\t\t6.700000E+00\t\t8.100000E+00\t1.000000E-01\t\t 1000\t   10\n\
                         1.600000E+01\t2.176000E+01\t\t2.000000E+01\t\t2.200000E+01\t1.000000E-01\t\t 1000\t   10\n";

fn blas_time(version: &str) -> String {
    head(version, DATE, "DGEMM", BLAS_TIME) + TIME_ROWS
}

fn blas_rate(version: &str) -> String {
    head(version, DATE, "DGEMM", BLAS_RATE) + RATE_ROWS + "\n# Fastest DGEMM         :    8.2 GFLOPS (N=32)\n"
}

/// One row of 1024 bytes: mean 2, smallest 1, largest 3, σ 0.5 in the file's units.
const ROW: &str = "1.024000E+03\t2.000000E+00\t\t1.000000E+00\t\t3.000000E+00\t5.000000E-01\t\t   50\t   10\n";

fn scaled(si: f64) -> Imported {
    Imported { mean: 2.0 * si, min: si, max: 3.0 * si, sigma_pop: 0.5 * si, loops: 50, samples: 10 }
}

#[test]
fn times_and_rates_of_a_test_become_one_record() {
    let import =
        imported(&[("dgemm_time-np_0002.dat", &blas_time("1.6")), ("dgemm_fp-np_0002.dat", &blas_rate("1.6"))]);
    let run = only(&import);
    assert_eq!(notes(&import), [""; 0]);
    assert_eq!((&*run.header.tool, &*run.header.utc), ("PAW 1.6", "2015-01-02T03:04:05Z"));
    assert_eq!((run.instruments[0].clock, run.damage.is_none()), (ClockKind::Realtime, true));
    assert_eq!(run.records.len(), 2);
    let Record { cell, imported_time, imported_rate, outcome, .. } = &run.records[0];
    assert_eq!((&*cell.benchmark, &*cell.suite, cell.point.to_string()), ("dgemm", "blas", "n=8 threads=2".to_owned()));
    let time = Imported {
        mean: 1.455307e-7,
        min: 1.423359e-7,
        max: 1.728535e-7,
        sigma_pop: 9.108214e-9,
        loops: 1000,
        samples: 10,
    };
    assert_eq!(imported_time.as_deref(), Some(&time));
    assert_eq!(imported_rate.as_ref().map(|r| (r.mean, r.max)), Some((7.9e9, 8.1e9)));
    assert_eq!((cell.work.flops, cell.work.flops_paw, &*cell.formula), (1152.0, 1152.0, "2N²(N+1)"));
    assert_eq!(outcome.as_ref().unwrap().caveats, []);
}

#[test]
fn names_of_both_conventions_are_known() {
    for name in ["dgemm_flops-np_0002.dat", "dgemm_fp-np_0002.dat", "dgemm_fp-np_0002.2.dat"] {
        let import = imported(&[(name, &blas_rate("1.0"))]);
        assert_eq!(only(&import).records[0].cell.benchmark, "dgemm", "{name}");
        assert!(only(&import).records[0].imported_rate.is_some(), "{name}");
    }
    for name in ["ping_bw-np_0004.dat", "isend_ping_bw-np_0004.dat"] {
        let import = imported(&[(name, &(head("1.5", DATE, "PING", MPI_RATE) + ROW))]);
        assert_eq!(only(&import).records[0].cell.benchmark, "p2p_isend_ping", "{name}");
    }
    let rate = head("1.5", DATE, "MRATE", MESSAGES) + ROW;
    let import = imported(&[("mrate_rate-ws_064-np_0004.dat", &rate)]);
    let cell = &only(&import).records[0].cell;
    assert_eq!((cell.point.to_string(), cell.work.messages), ("n=128 buffers=one window=64 ranks=4".to_owned(), 128.0));
    let import = imported(&[("mrate_rate-np_0004.dat", &rate)]);
    assert_eq!(only(&import).records[0].cell.work.messages, 256.0);
}

#[test]
fn mpi_rates_are_powers_of_ten_up_to_1_5_1_and_of_two_in_1_6() {
    for (version, si) in [("1.0", 1e6), ("1.3", 1e6), ("1.5.1", 1e6), ("1.6", 1_048_576.0)] {
        for (name, columns) in [("allgather_bw-np_0004.dat", MPI_RATE), ("mrate_rate-ws_128-np_0004.dat", MESSAGES)] {
            let import = imported(&[(name, &(head(version, DATE, "T", columns) + ROW))]);
            assert_eq!(only(&import).records[0].imported_rate.as_deref(), Some(&scaled(si)), "{version} {name}");
            assert_eq!(notes(&import).len(), usize::from(version == "1.6"), "{version} {name}");
        }
    }
    let import = imported(&[("allgather_bw-np_0004.dat", ROW)]);
    assert_eq!(only(&import).records[0].imported_rate.as_deref(), Some(&scaled(1e6)));
    assert!(notes(&import)[0].contains("no line names the version"), "{:?}", notes(&import));
}

#[test]
fn times_of_blas_are_seconds_without_a_label_and_those_of_messages_with_one() {
    for (file, columns, si) in [
        ("dgemm_time-np_0002.dat", "SIZE AVG MIN MAX stdDev NLOOP NREPS", 1.0),
        ("send_time-np_0002.dat", "SIZE(B) AVG(s) MIN(s) MAX(s) stdDev(s) NLOOP NREPS", 1.0),
        ("send_time-np_0002.dat", "SIZE(B) AVG MIN MAX stdDev NLOOP NREPS", 1e-6),
    ] {
        let import = imported(&[(file, &format!("# {columns}\n8 2 1 3 0.5 10 10\n"))]);
        let time = only(&import).records[0].imported_time.clone().unwrap();
        assert_eq!((time.mean, time.min, time.max), (2.0 * si, si, 3.0 * si), "{file} {columns}");
    }
}

#[test]
fn mpi_times_are_microseconds() {
    let import = imported(&[("bcast_time-np_0004.dat", &(head("1.6", DATE, "BCAST", MPI_TIME) + ROW))]);
    assert_eq!(only(&import).records[0].imported_time.as_deref(), Some(&scaled(1e-6)));
    assert_eq!(only(&import).records[0].cell.work.bytes, 1024.0);
    assert!(import.notes.is_empty());
}

#[test]
fn mislabelled_device_files_are_read_as_what_they_hold() {
    let time = head("1.6", DATE, "GPU_TRANSFER_IN_PINNED", BLAS_TIME) + ROW;
    let rate = head("1.6", DATE, "GPU_TRANSFER_IN_PINNED", BLAS_RATE) + ROW;
    let gemm = head("1.0", DATE, "GPU_DGEMM", BLAS_TIME) + ROW;
    let import = imported(&[
        ("gpu_transfer_time_in_pinned.dat", &time),
        ("gpu_transfer_bw_in_pinned.dat", &rate),
        ("gpu_dgemm_time.dat", &gemm),
    ]);
    let records = &only(&import).records;
    let found = |name: &str| records.iter().find(|r| r.cell.benchmark == name).unwrap();
    let transfer = found("gpu_in_pinned");
    assert_eq!(
        (transfer.imported_time.as_deref(), transfer.imported_rate.as_deref()),
        (Some(&scaled(1e-6)), Some(&scaled(1e6)))
    );
    assert_eq!((transfer.cell.work.bytes, transfer.cell.point.to_string()), (1024.0, "n=256 devices=1".to_owned()));
    assert_eq!(found("gpu_dgemm").imported_time.as_deref(), Some(&scaled(1e-6)));
    let said = notes(&import).join("\n");
    assert!(
        said.contains("labelled (s) and hold microseconds") && said.contains("labelled GFP/s and hold MB/s"),
        "{said}"
    );
}

#[test]
fn files_of_coprocessors_are_known() {
    let text = head("1.6", DATE, "PHI", MPI_RATE) + ROW;
    let import = imported(&[("mic0+1_keep_noal_bw_inout.dat", &text)]);
    let record = &only(&import).records[0];
    assert_eq!((&*record.cell.benchmark, record.imported_rate.as_deref()), ("phi_keep_noal_inout", Some(&scaled(1e6))));
    assert_eq!((&*record.cell.provider, record.cell.point.to_string()), ("paw0+1", "n=128 devices=2".to_owned()));
}

#[test]
fn line_ends_of_other_systems_change_nothing() {
    let unix = imported(&[("dgemm_time-np_0002.dat", &blas_time("1.6"))]);
    let other = imported(&[("dgemm_time-np_0002.dat", &blas_time("1.6").replace('\n', "\r\n"))]);
    assert_eq!(only(&other).records, only(&unix).records);
    assert_eq!(only(&other).header.utc, only(&unix).header.utc);
}

#[test]
fn appended_runs_are_taken_apart_and_that_is_said() {
    let again = |text: String| text.replace(DATE, "Sat Jan  3 03:04:05 2015").replace("1.455307E-07", "1.500000E-07");
    let import = imported(&[
        ("dgemm_time-np_0002.dat", &(blas_time("1.6") + &again(blas_time("1.6")))),
        ("dgemm_fp-np_0002.dat", &(blas_rate("1.6") + &again(blas_rate("1.6")))),
    ]);
    let means: Vec<f64> = import.runs.iter().map(|r| r.records[0].imported_time.as_ref().unwrap().mean).collect();
    assert_eq!(means, [1.455307e-7, 1.5e-7]);
    assert!(import.runs.iter().all(|r| r.records.len() == 2 && r.records[1].imported_rate.is_some()));
    let ids: Vec<&str> = import.runs.iter().map(|r| &*r.header.id).collect();
    assert_eq!(ids, ["imported-20150102T030405Z-1", "imported-20150103T030405Z-2"]);
    assert_eq!(
        notes(&import)[0],
        "dgemm_fp-np_0002.dat:27: holds 2 runs, one after the other; they were imported apart."
    );
}

#[test]
fn appended_rows_without_comments_are_taken_apart_where_sizes_begin_again() {
    let import = imported(&[("dgemm_time-np_0002.dat", &(TIME_ROWS.to_owned() + TIME_ROWS))]);
    assert_eq!(import.runs.iter().map(|r| r.records.len()).collect::<Vec<_>>(), [2, 2]);
    assert_eq!(only(&imported(&[("dgemm_time-np_0002.dat", TIME_ROWS)])).header.tool, "PAW");
}

#[test]
fn a_rate_goes_with_the_times_of_its_date_where_files_hold_different_numbers_of_runs() {
    let second = "Sat Jan  3 03:04:05 2015";
    let import = imported(&[
        ("dgemm_time-np_0002.dat", &(blas_time("1.6") + &blas_time("1.6").replace(DATE, second))),
        ("dgemm_fp-np_0002.dat", &blas_rate("1.6").replace(DATE, second)),
    ]);
    let rates: Vec<bool> = import.runs.iter().map(|r| r.records[0].imported_rate.is_some()).collect();
    assert_eq!(rates, [false, true]);
}

#[test]
fn rows_that_are_odd_are_told_by_their_line() {
    let text = "8 1e-7 1e-7 1e-7 0 1000 10\n\
                16 2e-7 1e-7\n\
                32 NaN nan -nan NAN 1000 10\n\
                64 3e-7 broken 1e-7 0 1000 10\n\
                128\n\
                256 4e-7 1e-7 1e-7 0 1000 10 4e-7\n";
    let import = imported(&[("dgemm_time-np_0001.dat", text)]);
    assert_eq!(
        notes(&import),
        [
            "dgemm_time-np_0001.dat:4: this line is not a row of numbers and was left out (and 1 more like it).",
            "dgemm_time-np_0001.dat:2: this line has fewer than seven columns; what is missing stays unknown.",
            "dgemm_time-np_0001.dat:3: this line holds NaN, so that there is no such statistic."
        ]
    );
    let records = &only(&import).records;
    assert_eq!(records.iter().map(|r| r.cell.point.int("n").unwrap()).collect::<Vec<_>>(), [8, 16, 32, 256]);
    let short = records[1].imported_time.as_ref().unwrap();
    assert!(short.max.is_nan() && short.loops == 0);
    let status: Vec<Status> = records.iter().map(|r| r.outcome.as_ref().unwrap().status).collect();
    assert_eq!(status, [Status::Measured, Status::Measured, Status::Failed, Status::Measured]);
}

#[test]
fn an_average_of_rates_that_lies_too_high_has_its_caveat() {
    // Work 1152 ÷ mean time 1.455307e-7 s is 7.92 GFLOP/s.
    let rate = blas_rate("1.6").replace("7.900000E+00", "9.000000E+00");
    let import = imported(&[("dgemm_time-np_0002.dat", &blas_time("1.6")), ("dgemm_fp-np_0002.dat", &rate)]);
    let caveats = &only(&import).records[0].outcome.as_ref().unwrap().caveats;
    assert_eq!(caveats.len(), 1);
    assert!(caveats[0].cause.contains("14 % above"), "{}", caveats[0].cause);
    assert!(only(&import).records[1].outcome.as_ref().unwrap().caveats.is_empty());
}

#[test]
fn latency_is_read_from_rows_and_from_words() {
    let rows = imported(&[("latency.dat", &(head("1.6", DATE, "LATENCY", MPI_TIME) + ROW))]);
    assert_eq!(only(&rows).records[0].imported_time.as_deref(), Some(&scaled(1e-6)));
    for words in ["MPI latency is    0.7 usec\n", "# MPI latency is    0.7 usec\n"] {
        let import = imported(&[("latency.dat", words)]);
        let time = only(&import).records[0].imported_time.clone().unwrap();
        assert!((time.min - 0.7e-6).abs() < 1e-15 && time.mean.is_nan());
        assert_eq!(only(&import).records[0].outcome.as_ref().unwrap().status, Status::Measured);
    }
}

#[test]
fn start_up_times_have_three_columns() {
    let import = imported(&[("time_init.dat", "#PROCS MAX AVG\n2 0.5 0.25\n4 0.75 0.5\n")]);
    let record = &only(&import).records[1];
    let time = record.imported_time.as_ref().unwrap();
    assert_eq!((record.cell.point.to_string(), time.mean, time.max), ("ranks=4".to_owned(), 0.5, 0.75));
    assert!(import.notes.is_empty());
}

#[test]
fn a_file_with_another_name_is_known_by_its_comments() {
    let import = imported(&[("renamed.dat", &blas_rate("1.6"))]);
    let record = &only(&import).records[0];
    assert_eq!((&*record.cell.benchmark, record.cell.point.to_string()), ("dgemm", "n=8".to_owned()));
    assert_eq!(record.imported_rate.as_ref().unwrap().mean, 7.9e9);
}

#[test]
fn what_is_not_of_paw_is_told_and_costs_nothing_else() {
    let import = imported(&[
        ("a.dat", "not a table\n"),
        ("empty.dat", ""),
        ("gpuinfo.dat", "Name: some device\nClock: 1.5\n"),
        ("noise.dat", "\u{0}\u{1}\u{fffd}\n1 2\n"),
        ("dgemm_time-np_0002.dat", &blas_time("1.6")),
        ("notes.txt", "not looked at"),
    ]);
    assert_eq!(only(&import).records.len(), 2);
    let left_out = "line 1: this is not a result of PAW: no row of a known test; it was left out.";
    let said = notes(&import);
    for file in ["a.dat", "empty.dat", "gpuinfo.dat", "noise.dat"] {
        assert!(said.contains(&format!("{file}: {left_out}")), "{file}: {said:?}");
    }
    let nothing = paw_data::store::dat::import(&[PathBuf::from("/no/such/file.dat")]);
    assert!(nothing.runs.is_empty() && nothing.notes[0].to_string().starts_with("/no/such/file.dat: cannot be read"));
}

#[test]
fn an_empty_directory_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let import = import(&[dir.path().to_owned()]);
    assert!(import.runs.is_empty() && import.notes[0].text.contains("holds no .dat file"));
}
