//! Invented runs of applications; one from measured times of a real program.

use paw_data::application::{
    Application, Better, InputFact, MetricFact, NamedCommand, Reference, ThreadPoint, WorkFormula,
};
use paw_data::cell::{Cell, Role};
use paw_data::machine::{CacheLevel, Identity, Machine};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::outcome::{Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, End, Header, Instrument, Record, Run};
use paw_data::sample::Sample;
use paw_data::secondary::{MetricName, SecondaryMetric};

/// Wall times in microseconds of a kinematic fit, by threads and size.
const KINFIT: &str = include_str!("../../../paw-data/tests/fixtures/kinfit_runtimes.csv");
/// Factors of which the least is 1: 16 runs within 2 % of the best.
const QUIET: [f64; 16] =
    [1.012, 1.0, 1.003, 1.02, 1.005, 1.001, 1.008, 1.015, 1.002, 1.018, 1.004, 1.007, 1.011, 1.006, 1.009, 1.013];

/// A cell of the program.
pub fn cell(program: &str, provider: &str, point: Point) -> Cell {
    Cell {
        role: if provider == "base" { Role::Base } else { Role::Subject },
        method: "kbest".into(),
        formula: "wall time from the program's start to its end".into(),
        ..Cell::new("app", program, provider, Quantity::Time, point)
    }
}

/// `cell` with these wall times in seconds, a round each, on so many processors.
pub fn timed(cell: Cell, times_s: &[f64], ending: Ending, workers: f64) -> Record {
    let mut record = Record::new(cell);
    for (round, time) in times_s.iter().enumerate() {
        let used = [
            (SecondaryMetric::UserTime, 0.93 * time * workers),
            (SecondaryMetric::SystemTime, 0.02 * time),
            (SecondaryMetric::ResidentMemory, 41e6 + 2e6 * workers),
        ];
        record.samples.push(Sample {
            round: round as u32,
            at_s: (round as f64 + 1.0) * 3.0 * time,
            loops: 1,
            elapsed_s: *time,
            run_delay_s: if round == 3 { 0.03 * time } else { 0.0 },
            extra: used.map(|(metric, value)| (metric.into(), value)).into(),
            ..Sample::default()
        });
    }
    record.outcome = Some(outcome(Status::Measured, Some(ending), None));
    record
}

/// `cell` of which 16 runs were made, the best in `best_s`; `start` turns the order of what happened.
pub fn steady(cell: Cell, best_s: f64, workers: f64, start: usize) -> Record {
    let times: Vec<f64> = (0..16).map(|i| QUIET[(start + i) % 16] * best_s).collect();
    timed(cell, &times, Ending::Valid, workers)
}

/// `cell` without a number.
pub fn absent(cell: Cell, status: Status, why: &str) -> Record {
    let mut record = Record::new(cell);
    record.outcome = Some(outcome(status, None, Some(why.to_owned())));
    record
}

fn outcome(status: Status, ending: Option<Ending>, why: Option<String>) -> Outcome {
    Outcome { cell: 0, status, ending, why, check: None, caveats: Vec::new() }
}

/// Thread counts on a machine of so many cores with `ways` hardware threads each.
pub fn threads(counts: &[u32], cores: u32, ways: u32) -> Vec<ThreadPoint> {
    let rule = |n: u32| match n {
        1 => "one core",
        n if n * 2 == cores => "cores of one package",
        n if n == cores => "all cores",
        n if n == cores * ways => "all hardware threads",
        n if n > cores * ways => "2 x hardware threads",
        _ => "power of two",
    };
    let point = |&n: &u32| ThreadPoint {
        threads: n,
        rule: rule(n).to_owned(),
        cpus: (0..n.min(cores * ways)).collect(),
        place: if n > cores { "compact" } else { "cores" }.to_owned(),
        oversubscribed: n > cores * ways,
        hardware_threads: n.min(cores * ways),
        cores: n.min(cores),
    };
    counts.iter().map(point).collect()
}

/// A finished run of `records` by k-best.
pub fn run(app: Application, records: Vec<Record>) -> Run {
    let method = Method {
        name: "kbest".to_owned(),
        warmup: 1,
        loops: LoopRule::Fixed(1),
        ending: EndRule::KBest { k: 4, within: 0.05, min: 16, max: 32, best_counts: true },
        headline: Estimator::Min,
        memory: Memory::Fresh,
    };
    let header = Header {
        schema: paw_data::run::SCHEMA.to_owned(),
        id: "20260314T092653Z-k1nf1t".to_owned(),
        tool: "paw 0.1.0".to_owned(),
        argv: ["paw", "app", "--set", "v=1..512", "--", "./fit", "{v}"].map(str::to_owned).to_vec(),
        directory: String::new(),
        utc: "2026-03-14T09:26:53Z".to_owned(),
        plan: Plan::new(method, 7, None),
        env: [("OMP_PROC_BIND".to_owned(), "close".to_owned())].into(),
        machine: Machine { identity: identity(), ..Machine::default() },
        app: Some(app),
        kernel: None,
        selftest: None,
    };
    let clock = Instrument { id: 0, clock: ClockKind::Monotonic, resolution_s: 1e-9, overhead_s: 2e-8, hz: None };
    let mut records = records;
    for (i, record) in records.iter_mut().enumerate() {
        record.cell.id = i as u32;
        record.outcome.iter_mut().for_each(|o| o.cell = i as u32);
    }
    let end = End { state: "done".to_owned(), ..End::default() };
    Run { instruments: vec![clock], records, end: Some(end), ..Run::new(header) }
}

fn identity() -> Identity {
    let cache = |level, kib: u64, instances| CacheLevel {
        level,
        kind: "unified".to_owned(),
        size_bytes: kib << 10,
        instances,
        shared_by: 2,
    };
    Identity {
        fingerprint: "c0ffee".to_owned(),
        host: "compute-711".to_owned(),
        cpu: "Example E5-2650".to_owned(),
        arch: "x86_64".to_owned(),
        packages: 2,
        cores: 16,
        threads: 32,
        caches: vec![cache(1, 32, 16), cache(2, 256, 16), cache(3, 20480, 2)],
        memory_bytes: 64 << 30,
        ..Identity::default()
    }
}

/// Whether it is the original program, its threads, and its times.
type Series = (bool, i64, Vec<f64>);

/// Sizes and, for each line of the table, its name, its threads and its times in seconds.
fn measured() -> (Vec<i64>, Vec<Series>) {
    let mut lines =
        KINFIT.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect::<Vec<_>>());
    let sizes = lines.next().into_iter().flatten().filter_map(|v| v.strip_prefix('v')?.parse().ok()).collect();
    let seconds = |f: &&str| f.parse().map_or(f64::NAN, |us: f64| us / 1e6);
    let line = |f: Vec<&str>| (f[0] == "original", f[1].parse().unwrap_or(1), f[2..].iter().map(seconds).collect());
    (sizes, lines.map(line).collect())
}

fn kinfit_app(counts: &[u32]) -> Application {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    Application {
        command: words("./ttDilepKinFit --variations {v}"),
        base: Some(words("./ttDilepKinFit.original --variations {v}")),
        axes: vec!["v".to_owned()],
        threads: threads(counts, 16, 2),
        work: Some(WorkFormula { formula: "5738 + 1867*v".to_owned(), unit: "events".to_owned() }),
        inputs: vec![InputFact { path: "ttbar.root".to_owned(), bytes: 4 << 20, sha256: "0123abcd".repeat(8) }],
        variables: vec!["OMP_NUM_THREADS".to_owned()],
        ..Application::default()
    }
}

/// The kinematic fit as it was measured: an original program, 16 and 32 threads, ten sizes.
pub fn kinfit() -> Run {
    let (sizes, lines) = measured();
    let mut records = Vec::new();
    for (is_base, crew, times) in lines {
        for (size, time) in sizes.iter().zip(times) {
            let point = Point::new().with("v", *size);
            let (provider, point) = if is_base { ("base", point) } else { ("command", point.with("threads", crew)) };
            let cell = cell("ttDilepKinFit", provider, point);
            records.push(steady(cell, time, crew as f64, if is_base { 5 } else { 0 }));
        }
    }
    run(kinfit_app(&[16, 32]), records)
}

/// The same with the thread counts between that were not written down, from a curve through those that were.
pub fn kinfit_complete() -> Run {
    let (sizes, lines) = measured();
    let counts = [1, 2, 4, 8, 16, 32, 64];
    let mut records = Vec::new();
    for (i, size) in sizes.iter().enumerate() {
        let (base, sixteen, all) = (lines[0].2[i], lines[1].2[i], lines[2].2[i]);
        let point = Point::new().with("v", *size);
        records.push(steady(cell("ttDilepKinFit", "base", point.clone()), base, 1.0, 5));
        // What does not shrink is what is left of 16 threads' time.
        let fixed = (sixteen - 1.04 * base / 16.0).max(0.0) * 16.0 / 15.0;
        for (j, count) in counts.iter().enumerate() {
            let time = match count {
                16 => sixteen,
                32 => all,
                64 => all * 1.07,
                n => fixed + (1.04 * base - fixed) / f64::from(*n),
            };
            let here = cell("ttDilepKinFit", "command", point.clone().with("threads", i64::from(*count)));
            let workers = f64::from(*count).min(32.0);
            records.push(match (size, count) {
                (256, 64) => absent(here, Status::Failed, "exit code 139 (signal 11)"),
                (128, 64) => noisy(here, time),
                _ => steady(here, time, workers, j + 6),
            });
        }
    }
    run(kinfit_app(&counts), records)
}

/// `cell` of which 32 runs did not agree.
pub fn noisy(cell: Cell, best_s: f64) -> Record {
    let times: Vec<f64> = (0..32).map(|i| best_s * (1.0 + 0.08 * f64::from((i * 7 + 3) % 32))).collect();
    let times: Vec<f64> =
        times.iter().enumerate().map(|(i, t)| if i == 9 { best_s } else { *t + 0.06 * best_s }).collect();
    timed(cell, &times, Ending::Timeout, 4.0)
}

/// A small machine, threads past it, copies, printed numbers, and another command.
pub fn everything() -> Run {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let metrics = vec![
        MetricFact { name: "fit_ms".to_owned(), unit: "ms".to_owned(), better: Better::Lower },
        MetricFact { name: "rate".to_owned(), unit: "events/s".to_owned(), better: Better::Higher },
    ];
    let app = Application {
        command: words("./solve -n 4096 -t {threads}"),
        name: "old".to_owned(),
        others: vec![NamedCommand { name: "new".to_owned(), command: words("./solve.new -n 4096 -t {threads}") }],
        against: Some(Reference::Command("old".to_owned())),
        threads: threads(&[1, 2, 4], 2, 1),
        metrics,
        ..Application::default()
    };
    let mut records = Vec::new();
    for (threads, copies, time) in [(1, 1, 2.4), (2, 1, 1.31), (4, 1, 1.36), (1, 2, 2.52), (1, 4, 4.9)] {
        for (provider, factor, start) in [("old", 1.0, 0), ("new", if threads == 2 { 0.9 } else { 1.002 }, 5)] {
            let point = Point::new().with("threads", threads).with("copies", copies);
            let start = start + 3 * threads as usize;
            let mut record = steady(cell("solve", provider, point), time * factor, threads as f64, start);
            let times = record.samples.elapsed_s.clone();
            let extra = &mut record.samples.extra;
            extra.insert(MetricName::of_program("fit_ms"), times.iter().map(|t| 812.0 * t).collect());
            extra.insert(MetricName::of_program("rate"), times.iter().map(|t| 5738.0 / t).collect());
            records.push(record);
        }
    }
    run(app, records)
}

/// Work that grows with the threads.
pub fn weak() -> Run {
    let app = Application {
        command: ["./stencil", "{n}"].map(str::to_owned).to_vec(),
        axes: vec!["n".to_owned()],
        weak: Some("n".to_owned()),
        threads: threads(&[1, 2, 4, 8, 16, 32], 16, 2),
        ..Application::default()
    };
    let times = [(1, 2.0), (2, 2.02), (4, 2.1), (8, 2.3), (16, 2.9), (32, 4.4)];
    let point = |n: i64| Point::new().with("n", 1_000_000 * n).with("threads", n);
    let records = times.iter().map(|(n, t)| steady(cell("stencil", "command", point(*n)), *t, *n as f64, *n as usize));
    let records = records.collect();
    run(app, records)
}
