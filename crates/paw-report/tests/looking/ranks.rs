//! Runs of several ranks, written by hand.

use paw_data::cell::{Cell, Combine, Dat, Library, Rank};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_data::secondary::SecondaryMetric;
use paw_data::team::Team;
use paw_data::work::Work;

use crate::handmade::{QUIET, cell, measured, run};

/// `ranks` ranks, four to a node, two to a socket, the partner half of all away.
pub fn team(id: u32, ranks: u32) -> Team {
    let rank = |rank: u32| Rank {
        rank,
        host: format!("node{}", rank / 4).into(),
        cpus: vec![rank % 4],
        partner: Some((rank + ranks / 2) % ranks),
        package: Some(rank % 4 / 2),
        core: Some(rank % 2),
    };
    let library = Library { version: "MPICH 5.0.2\nand how it was built".to_owned(), ..Library::default() };
    Team {
        id,
        launcher: "mpiexec.hydra".to_owned(),
        library: Some(library),
        thread_level: "funneled".to_owned(),
        ranks: (0..ranks).map(rank).collect(),
    }
}

fn of_ranks(benchmark: &str, headline: Quantity, work: Work, point: Point, team: u32) -> Cell {
    let dat = Dat { element_bytes: Some(8), ..Dat::new(benchmark, benchmark.to_uppercase(), "n") };
    Cell {
        work,
        formula: "8n bytes".into(),
        combine: Combine::Slowest,
        team: Some(team),
        dat: Some(Box::new(dat)),
        ..cell("mpi", benchmark, "mpich", headline, point)
    }
}

/// With the readings of a team: the fastest rank in 3/4 of the time, a start 0.2 µs apart.
fn told(mut record: Record) -> Record {
    let least: Vec<f64> = record.samples.elapsed_s.iter().map(|elapsed_s| elapsed_s * 0.75).collect();
    record.samples.extra.insert(SecondaryMetric::Skew.into(), vec![2e-7; least.len()]);
    record.samples.extra.insert(SecondaryMetric::RankMin.into(), least);
    record
}

/// A message of `n` doubles there and back between half as many pairs as `ranks`.
pub fn send(benchmark: &str, n: i64, ranks: i64, team: u32) -> Record {
    let (bytes, pairs) = (8.0 * n as f64, ranks as f64 / 2.0);
    let work = Work { bytes: 2.0 * bytes * pairs, messages: 2.0 * pairs, operations: 2.0, ..Work::default() };
    let point = Point::new().with("n", n).with("ranks", ranks);
    told(measured(of_ranks(benchmark, Quantity::Bytes, work, point, team), 2.0 * (4e-7 + bytes * 1e-10), &QUIET))
}

fn rate(n: i64) -> Record {
    let work = Work { bytes: 1024.0 * n as f64, messages: 128.0, operations: 128.0, ..Work::default() };
    let point = Point::new().with("n", n).with("window", 128).with("ranks", 2);
    told(measured(of_ranks("p2p_mrate", Quantity::Messages, work, point, 0), 2e-5 + n as f64 * 1e-8, &QUIET))
}

/// An allreduce of `n` doubles.
pub fn collective(benchmark: &str, n: i64, cadence: &str, ranks: i64, team: u32) -> Record {
    let work = Work { bytes: 8.0 * (n * ranks) as f64, ..Work::default() };
    let point = Point::new().with("n", n).with("cadence", cadence).with("ranks", ranks);
    let seconds = 1e-6 * ranks as f64 + n as f64 * 1e-9;
    told(measured(of_ranks(benchmark, Quantity::Time, work, point, team), seconds, &QUIET))
}

/// Messages of `n` doubles in each direction, taken in the same rounds: back they take twice as long. Three starts were late.
pub fn directions(n: i64) -> Run {
    let one = |direction: &str, seconds: f64| {
        let work = Work { bytes: 8.0 * n as f64, messages: 1.0, ..Work::default() };
        let point = Point::new().with("n", n).with("direction", direction).with("ranks", 2);
        let mut record = told(measured(of_ranks("p2p_isend_ping", Quantity::Bytes, work, point, 0), seconds, &QUIET));
        let late = (0..QUIET.len()).map(|at| if at < 3 { 1.0 } else { 0.0 });
        record.samples.extra.insert(SecondaryMetric::Late.into(), late.collect());
        record
    };
    let mut run = run(vec![one("backward", 2e-6), one("forward", 1e-6)]);
    run.teams = vec![team(0, 2)];
    run
}

/// A broadcast of which a computation hides what `overlap` says.
pub fn overlapped(overlap: f64) -> Run {
    let mut record = collective("ibcast", 1, "streaming", 2, 0);
    record.samples.extra.insert(SecondaryMetric::Overlap.into(), vec![overlap; QUIET.len()]);
    let mut run = run(vec![record]);
    run.teams = vec![team(0, 2)];
    run
}

/// Two and four ranks: a message of one byte, pairs, a message rate, a collective in both cadences.
pub fn messages() -> Run {
    let work = Work { bytes: 2.0, messages: 2.0, operations: 2.0, ..Work::default() };
    let mut latency = of_ranks("latency", Quantity::Time, work, Point::new().with("ranks", 2), 0);
    latency.formula = "half a round trip".into();
    let mut records = vec![told(measured(latency, 8e-7, &QUIET))];
    for n in [1, 512, 131_072] {
        records.push(send("p2p_send", n, 2, 0));
        records.push(send("p2p_send", n, 4, 1));
    }
    records.extend([rate(1), rate(512)]);
    for n in [1, 4096] {
        records.push(collective("allreduce", n, "isolated", 4, 1));
        records.push(collective("allreduce", n, "streaming", 4, 1));
    }
    Run { teams: vec![team(0, 2), team(1, 4)], ..run(records) }
}

/// One pair each of `ranks` ranks.
pub fn pairs(ranks: u32) -> Run {
    let records = [1, 512].map(|n| send("p2p_send", n, i64::from(ranks), 0));
    Run { teams: vec![team(0, ranks)], ..run(records.into()) }
}

/// `benchmarks` collectives in both cadences on two and four ranks.
pub fn many(benchmarks: usize) -> Run {
    let names = ["allgather", "allreduce", "alltoall", "bcast", "gather", "reduce", "scatter", "scan", "exscan", "x"];
    let mut records = Vec::new();
    for name in &names[..benchmarks] {
        for n in [1, 64, 4096] {
            for cadence in ["isolated", "streaming"] {
                records.push(collective(name, n, cadence, 2, 0));
                records.push(collective(name, n, cadence, 4, 1));
            }
        }
    }
    Run { teams: vec![team(0, 2), team(1, 4)], ..run(records) }
}
