//! Runs of an application made by hand; one from measured times of a real program.

use paw_data::application::{Application, ThreadPoint, WorkFormula};
use paw_data::cell::{Cell, Role};
use paw_data::method::{EndRule, Estimator, Method};
use paw_data::outcome::{Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Record, Run};
use paw_data::sample::Sample;
use paw_data::secondary::SecondaryMetric;
use paw_data::work::Work;

use crate::records;

/// Factors of which the least is 1: 16 runs within 2 % of the best.
const FACTORS: [f64; 16] =
    [1.012, 1.0, 1.003, 1.02, 1.005, 1.001, 1.008, 1.015, 1.002, 1.018, 1.004, 1.007, 1.011, 1.006, 1.009, 1.013];

/// A cell of the application.
pub fn cell(provider: &str, point: Point) -> Cell {
    let mut cell = records::record(&[]).cell;
    cell.benchmark = "fit".into();
    cell.suite = "app".into();
    cell.provider = provider.into();
    cell.role = if provider == "base" { Role::Base } else { Role::Subject };
    cell.point = point;
    cell.method = "kbest".into();
    cell.work = Work::default();
    cell.headline = Quantity::Time;
    cell
}

/// `cell` with these wall times in seconds, a round each.
pub fn timed(cell: Cell, times_s: &[f64], ending: Ending) -> Record {
    let mut record = Record::new(cell);
    for (round, time) in times_s.iter().enumerate() {
        let extra = [
            (SecondaryMetric::UserTime, 0.9 * time),
            (SecondaryMetric::SystemTime, 0.05 * time),
            (SecondaryMetric::ResidentMemory, 1e6 + round as f64),
        ];
        record.samples.push(Sample {
            round: round as u32,
            loops: 1,
            elapsed_s: *time,
            extra: extra.map(|(metric, value)| (metric.into(), value)).into(),
            ..Sample::default()
        });
    }
    record.outcome = Some(Outcome { ending: Some(ending), ..records::measured() });
    record
}

/// `cell` of which 16 runs were made, the best in `best_s`.
pub fn steady(cell: Cell, best_s: f64) -> Record {
    timed(cell, &FACTORS.map(|f| f * best_s), Ending::Valid)
}

/// `cell` that failed.
pub fn failed(cell: Cell, why: &str) -> Record {
    let mut record = Record::new(cell);
    let outcome = Outcome { status: Status::Failed, ending: None, why: Some(why.into()), ..records::measured() };
    record.outcome = Some(outcome);
    record
}

/// k-best as the thesis has it.
pub fn kbest() -> Method {
    let ending = EndRule::KBest { k: 4, within: 0.05, min: 16, max: 32, best_counts: true };
    Method { name: "kbest".into(), ending, ..records::method(Estimator::Min) }
}

/// A run of `records` that measured `app`.
pub fn run(app: Application, records: Vec<Record>) -> Run {
    let mut run = records::run(records);
    run.header.plan.method = kbest();
    run.header.app = Some(app);
    run
}

/// Threads on a machine of so many cores with two hardware threads each.
pub fn threads(counts: &[u32], cores: u32) -> Vec<ThreadPoint> {
    let point = |&threads: &u32| ThreadPoint {
        threads,
        rule: "a test".into(),
        oversubscribed: threads > 2 * cores,
        hardware_threads: threads.min(2 * cores),
        cores: threads.min(cores),
        ..ThreadPoint::default()
    };
    counts.iter().map(point).collect()
}

/// The kinematic fit on two packages of eight cores: an original program, and 16 and 32 threads, at ten sizes.
pub fn kinfit() -> Run {
    let table = include_str!("../fixtures/kinfit_runtimes.csv");
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let sizes: Vec<i64> = lines.next().unwrap().split(',').filter_map(|v| v.strip_prefix('v')?.parse().ok()).collect();
    let mut records = Vec::new();
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let is_base = fields[0] == "original";
        for (size, time) in sizes.iter().zip(&fields[2..]) {
            let point = Point::new().with("v", *size);
            let threads: i64 = fields[1].parse().unwrap();
            let point = if is_base { point } else { point.with("threads", threads) };
            let time: f64 = time.parse().unwrap();
            let cell = cell(if is_base { "base" } else { "command" }, point);
            // Other runs of a round are disturbed in the base than in the program: the interval of a ratio has a width.
            let start = if is_base { 5 } else { 0 };
            let times: Vec<f64> = (0..16).map(|i| FACTORS[(start + i) % 16] * time / 1e6).collect();
            records.push(timed(cell, &times, Ending::Valid));
        }
    }
    let app = Application {
        command: ["./fit", "{v}"].map(str::to_owned).to_vec(),
        base: Some(["./original", "{v}"].map(str::to_owned).to_vec()),
        axes: vec!["v".into()],
        threads: threads(&[16, 32], 16),
        work: Some(WorkFormula { formula: "5738 + 1867*v".into(), unit: "events".into() }),
        ..Application::default()
    };
    run(app, records)
}
