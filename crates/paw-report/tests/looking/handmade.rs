//! Small runs written by hand.

use paw_data::cell::{Cell, Role};
use paw_data::machine::{CacheLevel, Identity, Machine};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::outcome::{Caveat, Check, CheckVerdict, Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, End, Header, Imported, Instrument, Record, Run};
use paw_data::sample::Sample;
use paw_data::work::Work;

/// Eight factors around 1 with a median of 1: what a quiet machine does.
pub const QUIET: [f64; 8] = [1.002, 0.999, 1.001, 0.998, 1.0, 1.0, 0.997, 1.003];

/// A run of `records`, finished, on a small machine.
pub fn run(records: Vec<Record>) -> Run {
    let method = Method {
        name: "adaptive".to_owned(),
        warmup: 1,
        loops: LoopRule::Floor { overheads: 1000.0, floor_s: 1e-3 },
        ending: EndRule::Interval { within: 0.01, min: 16, max: 128, min_long: 6 },
        headline: Estimator::Median,
        memory: Memory::Kept,
    };
    let header = Header {
        schema: paw_data::run::SCHEMA.to_owned(),
        id: "20260314T092653Z-abc123".to_owned(),
        tool: "paw 0.1.0".to_owned(),
        argv: ["paw", "run", "dgemm", "--set", "n=64,128"].map(str::to_owned).to_vec(),
        directory: String::new(),
        utc: "2026-03-14T09:26:53Z".to_owned(),
        plan: Plan::new(method, 7, None),
        env: [("OMP_NUM_THREADS".to_owned(), "2".to_owned())].into(),
        machine: Machine {
            identity: identity(),
            state: [("load1".to_owned(), "0.10".to_owned())].into(),
            ..Machine::default()
        },
        app: None,
        kernel: None,
        selftest: None,
    };
    let clock = Instrument { id: 0, clock: ClockKind::Monotonic, resolution_s: 1e-9, overhead_s: 2e-8, hz: None };
    let records = records.into_iter().enumerate().map(|(i, record)| numbered(record, i as u32)).collect();
    let end = End { state: "done".to_owned(), ..End::default() };
    Run { instruments: vec![clock], records, end: Some(end), ..Run::new(header) }
}

/// Three runs like `run`, named by `side`.
pub fn three_like(side: &str, run: &Run) -> [Run; 3] {
    [0, 1, 2].map(|number| {
        let mut other = run.clone();
        other.header.id = format!("{side}{number}");
        other
    })
}

fn numbered(mut record: Record, id: u32) -> Record {
    record.cell.id = id;
    if let Some(outcome) = &mut record.outcome {
        outcome.cell = id;
    }
    record
}

fn identity() -> Identity {
    let cache = |level, kib: u64| CacheLevel {
        level,
        kind: "unified".to_owned(),
        size_bytes: kib << 10,
        instances: 1,
        shared_by: 1,
    };
    Identity {
        fingerprint: "f00d".to_owned(),
        host: "node1".to_owned(),
        cpu: "Example 9000".to_owned(),
        arch: "x86_64".to_owned(),
        packages: 1,
        cores: 2,
        threads: 2,
        caches: vec![cache(1, 32), cache(2, 1024)],
        memory_bytes: 8 << 30,
        ..Identity::default()
    }
}

/// A cell of `benchmark` that counts `quantity`, with a work of 10⁶ of each kind.
pub fn cell(suite: &str, benchmark: &str, provider: &str, quantity: Quantity, point: Point) -> Cell {
    Cell {
        method: "adaptive".into(),
        work: Work { flops: 1e6, flops_paw: 1e6, bytes: 1e6, ..Work::default() },
        formula: "2mnk".into(),
        ..Cell::new(suite, benchmark, provider, quantity, point)
    }
}

/// A dgemm cell.
pub fn dgemm(provider: &str, n: i64, threads: i64) -> Cell {
    cell("blas", "dgemm", provider, Quantity::Flops, Point::new().with("n", n).with("threads", threads))
}

/// `cell` measured: one sample of `seconds` × each factor, a right answer, nothing disturbed.
pub fn measured(cell: Cell, seconds: f64, factors: &[f64]) -> Record {
    let mut record = Record::new(cell);
    // A job of ranks is one process; elsewhere four took turns.
    let processes = if record.cell.team.is_some() { 1 } else { 4 };
    for (i, factor) in factors.iter().enumerate() {
        let elapsed_s = seconds * factor * 10.0;
        let (round, at_s) = (i as u32, 1.0 + i as f64 * 0.01);
        record.samples.push(Sample {
            round,
            invocation: round % processes,
            at_s,
            loops: 10,
            elapsed_s,
            ..Sample::default()
        });
    }
    let check = Check {
        method: "Freivalds".to_owned(),
        error: 0.1,
        bound: 1.0,
        verdict: CheckVerdict::Pass,
        note: String::new(),
        accuracy: None,
    };
    let mut outcome = ended(Status::Measured, None);
    outcome.ending = Some(Ending::Converged);
    outcome.check = Some(check);
    record.outcome = Some(outcome);
    record
}

/// `cell` without a number.
pub fn absent(cell: Cell, status: Status, why: &str) -> Record {
    let mut record = Record::new(cell);
    record.outcome = Some(ended(status, Some(why)));
    record
}

fn ended(status: Status, why: Option<&str>) -> Outcome {
    Outcome { cell: 0, status, ending: None, why: why.map(str::to_owned), check: None, caveats: Vec::new() }
}

/// `record` with its samples from `from` on disturbed.
pub fn disturbed(mut record: Record, from: usize) -> Record {
    record.samples.disturbed.iter_mut().skip(from).for_each(|d| *d = true);
    record
}

/// `record` with a caveat.
pub fn doubted(mut record: Record, id: &str, cause: &str, action: &str) -> Record {
    if let Some(outcome) = &mut record.outcome {
        outcome.caveats.push(Caveat::new(id, cause, action));
    }
    record
}

/// `record` as a reference of its group.
pub fn reference(mut record: Record, role: Role) -> Record {
    record.cell.role = role;
    record
}

/// A row as PAW's files have it: a rate without samples.
pub fn imported(cell: Cell, rate: f64) -> Record {
    let mut record = Record::new(cell);
    let row =
        Imported { mean: rate, min: rate * 0.9, max: rate * 1.1, sigma_pop: rate * 0.05, loops: 100, samples: 10 };
    record.imported_rate = Some(Box::new(row));
    record.outcome = Some(ended(Status::Measured, None));
    record
}

/// Two sizes, two providers, a peak in the same rounds, a library that is not there, a latency ladder.
pub fn small() -> Run {
    let peak = || cell("peak", "peak_f64", "native", Quantity::Flops, Point::new().with("threads", 1));
    let mut records = vec![
        measured(dgemm("embedded", 64, 1), 1e-5, &QUIET),
        measured(dgemm("openblas", 64, 1), 9e-6, &QUIET),
        measured(dgemm("embedded", 128, 1), 8e-6, &QUIET),
        disturbed(measured(dgemm("openblas", 128, 1), 8.4e-6, &[1.0, 1.01, 0.99, 1.0, 1.02, 0.98, 1.4, 1.6]), 6),
        absent(dgemm("mkl", 64, 1), Status::Skipped, "libmkl_rt.so.3: not found; looked in /usr/lib and /opt/intel"),
        absent(dgemm("mkl", 128, 1), Status::Skipped, "libmkl_rt.so.3: not found; looked in /usr/lib and /opt/intel"),
        absent(dgemm("blis", 128, 1), Status::Failed, "the worker was killed by signal 11"),
        reference(measured(peak(), 7.1e-6, &QUIET), Role::Peak),
    ];
    records[2] = doubted(records[2].clone(), "misplaced", "threads ran elsewhere", "Measure on an idle machine.");
    for shift in 12..=23 {
        let seconds = if shift < 15 { 1e-9 } else { 4e-9 * f64::from(shift - 14) };
        let point = Point::new().with("bytes", 1i64 << shift).with("threads", 1);
        let mut latency = cell("memory", "memory_latency", "native", Quantity::Time, point);
        latency.work = Work::default();
        latency.formula = "".into();
        records.push(measured(latency, seconds, &QUIET));
    }
    run(records)
}

/// A ladder of `rungs` sizes, three providers and two thread counts: longer than a screen.
pub fn long(rungs: u32) -> Run {
    let mut records = Vec::new();
    for rung in 0..rungs {
        for threads in [1, 2] {
            for (provider, speed) in [("embedded", 1.0), ("openblas", 0.9), ("a_library_with_a_long_name", 0.8)] {
                let seconds = 1e-5 / speed / threads as f64;
                records.push(measured(dgemm(provider, 8i64 << (rung % 40), threads), seconds, &QUIET));
            }
        }
    }
    run(records)
}

/// A run whose every name tries to be markup.
pub fn hostile() -> Run {
    let evil = "<script>alert(1)</script>\"'`|&\u{1b}[31m\u{9b}\u{202e}";
    let mut run = small();
    run.header.machine.identity.host = evil.to_owned();
    run.header.machine.identity.cpu = evil.to_owned();
    run.header.argv.push(evil.to_owned());
    run.header.tool = evil.to_owned();
    run.header.id = evil.to_owned();
    run.header.utc = evil.to_owned();
    run.header.env.insert(evil.to_owned(), evil.to_owned());
    run.header.machine.state.insert(evil.to_owned(), evil.to_owned());
    for record in &mut run.records {
        record.cell.provider = format!("{}{evil}", record.cell.provider).into();
        record.cell.benchmark = format!("{}{evil}", record.cell.benchmark).into();
        record.cell.suite = format!("{}{evil}", record.cell.suite).into();
        record.cell.formula = evil.into();
        record.cell.point.set(evil, evil.into());
        if let Some(outcome) = &mut record.outcome {
            outcome.caveats.push(Caveat::new(evil, evil, evil));
            outcome.why = outcome.why.as_ref().map(|_| evil.to_owned());
        }
    }
    run
}
