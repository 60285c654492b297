//! A small run with one of everything.

use std::sync::Arc;

use paw_data::application::{
    Application, Better, InputFact, MetricFact, NamedCommand, Reference, RooflineFacts, ThreadPoint, WorkFormula,
};
use paw_data::cell::{Cell, Combine, Dat, Library, Rank};
use paw_data::counters::{CountedEvent, CounterMetric, Counters, Direction, Scope, Source};
use paw_data::executed::{Executed, ExecutedLoop};
use paw_data::machine::{CacheLevel, Identity, Machine};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::outcome::{Caveat, Check, CheckVerdict, Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::precision::Precision;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, End, Header, Imported, Instrument, Record, Run, SCHEMA};
use paw_data::sample::Sample;
use paw_data::secondary::SecondaryMetric;
use paw_data::team::Team;
use paw_data::work::Work;

use crate::sample_code::sample_code;

/// A run of four cells: measured, measured with every optional column, skipped, imported.
pub fn sample_run() -> Run {
    Run {
        header: header(),
        instruments: vec![
            Instrument { id: 0, clock: ClockKind::Monotonic, resolution_s: 1e-9, overhead_s: 2.1e-8, hz: None },
            Instrument { id: 1, clock: ClockKind::Tsc, resolution_s: 1e-9, overhead_s: 1.9e-8, hz: Some(2.596e9) },
        ],
        teams: vec![team()],
        profiles: Vec::new(),
        records: vec![measured(0, 8), rich(1), skipped(2), imported(3)],
        codes: vec![sample_code()],
        end: Some(End { state: "done".into(), exit: 0, machine_state: [("load".into(), "1.5".into())].into() }),
        explanations: Vec::new(),
        damage: None,
    }
}

pub fn header() -> Header {
    let method = Method {
        name: "adaptive".into(),
        warmup: 1,
        loops: LoopRule::Floor { overheads: 1000.0, floor_s: 1e-3 },
        ending: EndRule::Interval { within: 0.01, min: 16, max: 128, min_long: 6 },
        headline: Estimator::Median,
        memory: Memory::Kept,
    };
    let cache = CacheLevel { level: 1, kind: "data".into(), size_bytes: 49152, instances: 2, shared_by: 1 };
    let identity =
        Identity { cpu: "Some CPU".into(), isa: vec!["avx2".into()], caches: vec![cache], ..Identity::default() };
    Header {
        schema: SCHEMA.into(),
        id: "20260102T030405Z-abcdef".into(),
        tool: "paw 0.1.0".into(),
        argv: vec!["paw".into(), "run".into()],
        directory: String::new(),
        utc: "2026-01-02T03:04:05Z".into(),
        plan: Plan::new(method, u64::MAX, Some(120.0)),
        env: [("OMP_NUM_THREADS".into(), "2".into())].into(),
        machine: Machine { identity, state: [("governor".into(), "performance".into())].into(), ..Machine::default() },
        app: Some(application()),
        kernel: None,
        selftest: None,
    }
}

fn application() -> Application {
    Application {
        command: vec!["./fit".into(), "--variations".into(), "{n}".into()],
        shell: false,
        base: Some(vec!["./fit_sequential".into(), "{n}".into()]),
        name: "fit".into(),
        others: vec![NamedCommand { name: "new".into(), command: vec!["./fit_new".into(), "{n}".into()] }],
        axes: vec!["n".into(), "mode".into()],
        alternatives: vec!["mode".into()],
        against: Some(Reference::Value { axis: "mode".into(), value: "fast".into() }),
        threads: vec![ThreadPoint {
            threads: 4,
            rule: "2 x hardware threads".into(),
            cpus: vec![0, 1],
            place: "compact".into(),
            oversubscribed: true,
            hardware_threads: 2,
            cores: 1,
        }],
        hardware_threads: 4,
        metrics: vec![MetricFact { name: "fit_ms".into(), unit: "ms".into(), better: Better::Lower }],
        drive: Some("fit_ms".into()),
        headline: Some("fit_ms".into()),
        work: Some(WorkFormula { formula: "5738 + 1867*n".into(), unit: "events".into() }),
        weak: Some("n".into()),
        inputs: vec![InputFact { path: "events.bin".into(), bytes: 4096, sha256: "ab".repeat(32) }],
        variables: vec!["OMP_NUM_THREADS".into()],
        verify: vec!["exit 0".into()],
        timeout_s: Some(60.5),
        output: "discarded".into(),
        roofline: Some(RooflineFacts {
            precision: Some(Precision::Single),
            flops: Some("2*n^3".into()),
            bytes: None,
            refused: "no counters".into(),
        }),
        resumed: None,
    }
}

/// A DGEMM cell of size `n` with two threads, nothing measured yet.
pub fn dgemm(id: u32, n: i64) -> Cell {
    let nf = n as f64;
    let point = Point::new().with("n", n).with("beta", 1.0).with("transa", "N").with("threads", 2);
    Cell {
        id,
        group: id,
        method: "adaptive".into(),
        work: Work { flops: 2.0 * nf.powi(3), flops_paw: 2.0 * nf * nf * (nf + 1.0), ..Work::default() },
        formula: "2mnk".into(),
        library: Some(Arc::new(Library {
            path: "/usr/lib/libopenblas.so.0".into(),
            version: "0.3.28".into(),
            core: "Zen".into(),
            threads: 2,
        })),
        dat: Some(Box::new(Dat::new("dgemm", "DGEMM", "n"))),
        ..Cell::new("blas", "dgemm", "openblas", Quantity::Flops, point)
    }
}

/// Two ranks, on a node each.
fn team() -> Team {
    let rank = |rank, host: &str| Rank {
        rank,
        host: host.into(),
        cpus: vec![0, 2],
        partner: Some(1 - rank),
        package: Some(0),
        core: None,
    };
    let library = Library { path: "/opt/lib/libmpi.so.12".into(), version: "MPICH 5.0.2".into(), ..Library::default() };
    Team {
        id: 4,
        launcher: "srun (pmi2)".into(),
        library: Some(library),
        thread_level: "funneled".into(),
        ranks: vec![rank(0, "node-a"), rank(1, "node-b")],
    }
}

fn sample(round: u32, elapsed_s: f64) -> Sample {
    Sample { round, position: 1, at_s: 0.1 + f64::from(round), loops: 100, elapsed_s, ..Sample::default() }
}

fn outcome(cell: u32, status: Status) -> Outcome {
    Outcome { cell, status, ending: None, why: None, check: None, caveats: Vec::new() }
}

/// A DGEMM cell with a warm-up, three clean samples of 1, 2 and 3 µs an iteration, and a disturbed one of a third process.
pub fn measured(id: u32, n: i64) -> Record {
    let mut record = Record::new(dgemm(id, n));
    record.warmup.push(sample(0, 9e-4));
    for (round, us) in [1.0, 2.0, 3.0].into_iter().enumerate() {
        record.samples.push(sample(round as u32, us * 1e-4));
    }
    let moved = Sample { invocation: 2, ..sample(3, 0.5) };
    record.samples.push(Sample { run_delay_s: 0.004, switches: 3, migrations: 1, disturbed: true, ..moved });
    let check = Check {
        method: "Freivalds".into(),
        error: 1.5,
        bound: 16.0,
        verdict: CheckVerdict::Pass,
        note: String::new(),
        accuracy: None,
    };
    let caveats = vec![Caveat::new("few-samples", "only three", "measure longer")];
    record.outcome = Some(Outcome {
        ending: Some(Ending::NoisyStable),
        check: Some(check),
        caveats,
        ..outcome(id, Status::Measured)
    });
    record
}

/// A cell with stamped operations, secondary metrics and ranks.
fn rich(id: u32) -> Record {
    let mut cell = dgemm(id, 64);
    cell.instrument = 1;
    cell.combine = Combine::Slowest;
    cell.ranks = vec![Rank { cpus: vec![0, 2], ..Rank::default() }];
    cell.team = Some(4);
    let mut record = Record::new(cell);
    for round in 0..3 {
        record.samples.push(Sample {
            ops_s: vec![1e-6, 0.1 + 0.2],
            extra: [(SecondaryMetric::CoreClock.into(), 3.4e9), (SecondaryMetric::Ticks.into(), 123456789.0)].into(),
            ..sample(round, 1.0 / 3.0)
        });
    }
    record.counters.push(counters(id));
    record.executed = Some(executed(id));
    record
}

/// A loop that a call runs through, with every key.
fn executed(cell: u32) -> Executed {
    let own = ExecutedLoop {
        function: "triad".into(),
        address: 0x1139,
        trips: 128.0,
        flop: 16,
        load_bytes: 128,
        store_bytes: 64,
    };
    Executed { cell, loops: vec![own], refused: "an invented reason".into() }
}

/// Counts with every key: one event that shared its counter, one that was refused, one metric of another tool.
fn counters(cell: u32) -> Counters {
    let counted = CountedEvent {
        name: "A".into(),
        event: "cpu/event=0x51,umask=0x1/".into(),
        counts: vec![10.0, 1.0 / 3.0],
        enabled_s: vec![1.0, 1.0],
        running_s: vec![0.5, 0.25],
        why: None,
    };
    let refused = CountedEvent { name: "B".into(), why: Some("it was refused".into()), ..CountedEvent::default() };
    let metric = CounterMetric {
        name: "rate".into(),
        title: "a rate".into(),
        unit: "1/s".into(),
        better: Direction::Lower,
        formula: "A / seconds".into(),
        meaning: "How often.".into(),
        value: None,
    };
    let printed = CounterMetric { formula: String::new(), value: Some(2.5), ..metric.clone() };
    Counters {
        cell,
        group: "L2".into(),
        title: "Lines".into(),
        source: Source::Imported,
        origin: "a file".into(),
        processor: "zen5".into(),
        scope: Scope::Program,
        calls: vec![1.0, 1.0],
        iterations: 0.0,
        seconds: vec![0.5, 0.25],
        nominal_hz: Some(2.8e9),
        events: vec![counted, refused],
        metrics: vec![metric, printed],
        notes: vec!["a note".into()],
    }
}

fn skipped(id: u32) -> Record {
    let mut record = Record::new(dgemm(id, 10000));
    record.outcome = Some(Outcome { why: Some("needs 2.4 GB, 1 GB is free".into()), ..outcome(id, Status::Skipped) });
    record
}

fn imported(id: u32) -> Record {
    let mut record = Record::new(dgemm(id, 32));
    record.imported_time =
        Some(Box::new(Imported { mean: 2e-6, min: 1e-6, max: 3e-6, sigma_pop: 5e-7, loops: 1000, samples: 10 }));
    record.imported_rate =
        Some(Box::new(Imported { mean: 8e9, min: 7e9, max: 9e9, sigma_pop: 5e8, loops: 1000, samples: 10 }));
    record
}
