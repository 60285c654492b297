//! PAW's files of MPI tests, as we write them and read them back.

use std::fs;

use paw_data::between_runs::BetweenRuns;
use paw_data::cell::{Combine, Dat};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_data::store::dat::{DatNames, export, import};
use paw_data::summary::headline;
use paw_data::work::Work;

use crate::sample_run::{measured, sample_run};

/// A cell on four ranks whose samples are the 1, 2 and 3 µs of [`measured`].
fn cell(id: u32, benchmark: &str, stem: &str, headline: Quantity, work: Work) -> Record {
    let mut record = measured(id, 8);
    let cell = &mut record.cell;
    cell.benchmark = benchmark.into();
    cell.suite = "mpi".into();
    cell.point = Point::new().with("n", 16).with("ranks", 4);
    cell.combine = Combine::Slowest;
    cell.headline = headline;
    cell.work = work;
    cell.dat = Some(Box::new(Dat { element_bytes: Some(8), ..Dat::new(stem, benchmark.to_uppercase(), "n") }));
    record
}

/// A ping-pong of 128 bytes between two pairs.
fn send() -> Record {
    let work = Work { bytes: 512.0, messages: 4.0, operations: 2.0, ..Work::default() };
    cell(0, "p2p_send", "send", Quantity::Bytes, work)
}

/// Windows of eight messages between two pairs, one way or both.
fn rate(benchmark: &str, stem: &str, directions: f64) -> Record {
    let messages = directions * 16.0;
    let work = Work { bytes: messages * 128.0, messages, operations: messages, ..Work::default() };
    let mut record = cell(1, benchmark, stem, Quantity::Messages, work);
    record.cell.point.set("window", 8.into());
    record
}

fn allreduce(id: u32, cadence: &str) -> Record {
    let mut record = cell(id, "allreduce", "allreduce", Quantity::Time, Work { bytes: 512.0, ..Work::default() });
    record.cell.point.set("cadence", cadence.into());
    record
}

fn latency() -> Record {
    let work = Work { bytes: 2.0, messages: 2.0, operations: 2.0, ..Work::default() };
    let mut record = cell(4, "latency", "latency.dat", Quantity::Time, work);
    record.cell.point = Point::new().with("ranks", 2);
    record.cell.dat = Some(Box::new(Dat::new("latency.dat", "LATENCY", "")));
    record
}

fn run() -> Run {
    let rates = [rate("p2p_mrate", "mrate", 1.0), rate("p2p_mrate_bidir", "mrate_bidir", 2.0)];
    let mut records = vec![send(), allreduce(1, "isolated"), allreduce(2, "streaming"), latency()];
    records.extend(rates);
    Run { records, ..sample_run() }
}

/// Name and text of each file that is written.
fn files(names: DatNames) -> Vec<(String, String)> {
    let dir = tempfile::tempdir().unwrap();
    let mut paths = export(&run(), dir.path(), names).unwrap();
    paths.sort();
    let name = |p: &std::path::Path| p.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|p| (name(p), fs::read_to_string(p).unwrap())).collect()
}

fn text(files: &[(String, String)], name: &str) -> String {
    let found = files.iter().find(|(n, _)| n == name);
    found.map_or_else(
        || panic!("{name} is not among {:?}", files.iter().map(|f| &f.0).collect::<Vec<_>>()),
        |f| f.1.clone(),
    )
}

/// The first four columns of the only row: SIZE AVG MIN MAX.
fn row(text: &str) -> Vec<f64> {
    let row = text.lines().find(|l| !l.is_empty() && !l.starts_with('#')).unwrap();
    row.split_whitespace().take(4).map(|word| word.parse().unwrap()).collect()
}

#[test]
fn sizes_are_bytes_and_times_of_a_ping_pong_one_way_in_microseconds() {
    let files = files(DatNames::Guide);
    let times = text(&files, "send_time-np_0004.dat");
    assert!(times.contains("# SIZE(B)\tAVG(us)"), "{times}");
    assert!(times.contains("# Ranks : completion = slowest rank"), "{times}");
    assert_eq!(row(&times), [128.0, 1.0, 0.5, 1.5]);
    let bandwidth = text(&files, "send_bw-np_0004.dat");
    assert!(bandwidth.contains("AVG(MB/s)"), "{bandwidth}");
    // 512 bytes in 2, 3 and 1 µs.
    assert_eq!(row(&bandwidth), [128.0, 256.0, 170.6667, 512.0]);
    assert!(bandwidth.ends_with("\n# BW Maximum :  512.0 MB/s (N=128)\n"), "{bandwidth}");
}

#[test]
fn message_rates_count_windows_and_name_them_in_1_6() {
    let guide = files(DatNames::Guide);
    assert_eq!(row(&text(&guide, "mrate_time-np_0004.dat")), [128.0, 2.0, 1.0, 3.0]);
    assert_eq!(row(&text(&guide, "mrate_bidir_time-np_0004.dat")), [128.0, 1.0, 0.5, 1.5]);
    let rates = text(&guide, "mrate_rate-np_0004.dat");
    assert!(rates.contains("AVG(MIO/s)"), "{rates}");
    assert_eq!(row(&rates)[1], 8.0);
    assert!(rates.ends_with("\n# Maximum Rate :   16.0 MIO/s (N=128)\n"), "{rates}");
    let v16 = files(DatNames::V16);
    assert_eq!(row(&text(&v16, "mrate_bidir_rate-ws_008-np_0004.dat"))[1], 16.0);
    text(&v16, "mrate_time-ws_008-np_0004.dat");
}

#[test]
fn collectives_have_a_bandwidth_file_and_the_streaming_ones_the_name_of_paw() {
    let files = files(DatNames::Guide);
    for name in ["allreduce_time-np_0004", "allreduce_bw-np_0004"] {
        assert!(text(&files, &format!("{name}.dat")).contains("cadence=streaming"));
        assert!(text(&files, &format!("{name}-cadence_isolated.dat")).contains("cadence=isolated"));
    }
    assert_eq!(row(&text(&files, "allreduce_time-np_0004.dat")), [128.0, 2.0, 1.0, 3.0]);
    assert_eq!(row(&text(&files, "allreduce_bw-np_0004.dat"))[1], 256.0);
}

#[test]
fn latency_is_one_file_of_one_row() {
    let files = files(DatNames::Guide);
    assert_eq!(row(&text(&files, "latency.dat")), [1.0, 1.0, 0.5, 1.5]);
    assert_eq!(files.iter().filter(|(name, _)| name.starts_with("latency")).count(), 1);
}

#[test]
fn what_is_written_is_imported_as_the_same_benchmark_at_the_same_point() {
    for names in [DatNames::Guide, DatNames::V16] {
        let dir = tempfile::tempdir().unwrap();
        export(&run(), dir.path(), names).unwrap();
        let back = import(&[dir.path().to_owned()]);
        assert_eq!(back.notes, []);
        let back = &back.runs[0].records;
        assert_eq!(back.len(), 6);
        for record in run().records.iter().filter(|r| r.cell.benchmark != "latency") {
            let axes = |r: &Record| {
                let mut axes: Vec<String> =
                    r.cell.point.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
                axes.sort();
                (r.cell.benchmark.clone(), axes)
            };
            let found = back.iter().find(|r| axes(r) == axes(record)).unwrap_or_else(|| panic!("{:?}", axes(record)));
            assert_eq!(found.cell.headline, record.cell.headline, "{found:?}");
            // A mean of 2 µs an iteration, in the headline's unit, times of one operation.
            let method = &run().header.plan.method;
            let was = headline(record, method, BetweenRuns::UNKNOWN).unwrap().value;
            let read = headline(found, method, BetweenRuns::UNKNOWN).unwrap().value;
            assert!((read / was - 1.0).abs() < 1e-5, "{read} of {was}: {found:?}");
        }
    }
}
