//! Records made by hand.

use paw_data::cell::{Cell, Role};
use paw_data::machine::Machine;
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::outcome::{Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Header, Imported, Record, Run, SCHEMA};
use paw_data::sample::Sample;
use paw_data::work::Work;

/// A subject that does 1000 operations on 8000 bytes an iteration, with these times in seconds: one a round.
pub fn record(times_s: &[f64]) -> Record {
    let cell = Cell {
        group: 1,
        method: "adaptive".into(),
        work: Work { flops: 1000.0, bytes: 8000.0, ..Work::default() },
        formula: "2mnk".into(),
        ..Cell::new("blas", "dgemm", "embedded", Quantity::Flops, Point::new().with("n", 8).with("threads", 1))
    };
    let mut record = Record::new(cell);
    record.outcome = Some(measured());
    for (round, time) in times_s.iter().enumerate() {
        record.samples.push(sample(round as u32, *time));
    }
    record
}

/// A clean sample of four iterations, `time_s` seconds each.
pub fn sample(round: u32, time_s: f64) -> Sample {
    Sample { round, loops: 4, elapsed_s: 4.0 * time_s, ..Sample::default() }
}

/// The record with the samples at these places disturbed.
pub fn disturbed(mut record: Record, places: &[usize]) -> Record {
    for &place in places {
        record.samples.disturbed[place] = true;
    }
    record
}

/// The record as a reference of this role.
pub fn reference(role: Role, work: Work, times_s: &[f64]) -> Record {
    let mut record = record(times_s);
    record.cell.role = role;
    record.cell.work = work;
    record.cell.point = Point::new().with("threads", 1);
    record
}

/// A method with this headline that ends by the median's interval.
pub fn method(headline: Estimator) -> Method {
    Method {
        name: "adaptive".into(),
        warmup: 1,
        loops: LoopRule::Floor { overheads: 1000.0, floor_s: 1e-3 },
        ending: EndRule::Interval { within: 0.01, min: 16, max: 128, min_long: 6 },
        headline,
        memory: Memory::Kept,
    }
}

/// The k-best method of three within one percent.
pub fn csapp() -> Method {
    let ending = EndRule::KBest { k: 3, within: 0.01, min: 0, max: 20, best_counts: true };
    Method { name: "csapp".into(), ending, ..method(Estimator::Min) }
}

/// A run of these records.
pub fn run(records: Vec<Record>) -> Run {
    let header = Header {
        schema: SCHEMA.into(),
        id: "2026-01-01T00-00-00-abcdef".into(),
        tool: "paw 0.1.0".into(),
        argv: vec![],
        directory: String::new(),
        utc: "2026-01-01T00:00:00Z".into(),
        plan: Plan::new(method(Estimator::Median), 1, None),
        env: Default::default(),
        machine: Machine::default(),
        app: None,
        kernel: None,
        selftest: None,
    };
    Run {
        header,
        instruments: vec![],
        teams: vec![],
        records,
        explanations: Vec::new(),
        profiles: Vec::new(),
        codes: Vec::new(),
        end: None,
        damage: None,
    }
}

/// An outcome that is measured and without caveats.
pub fn measured() -> Outcome {
    Outcome {
        cell: 0,
        status: Status::Measured,
        ending: Some(Ending::Converged),
        why: None,
        check: None,
        caveats: vec![],
    }
}

/// An imported row around `mean`.
pub fn imported(mean: f64) -> Imported {
    Imported { mean, min: 0.9 * mean, max: 1.2 * mean, sigma_pop: 0.05 * mean, loops: 100, samples: 10 }
}

/// 16 times within half a percent of `center`, in no order.
pub fn steady(center: f64) -> Vec<f64> {
    (0..16).map(|i| center * (1.0 + 0.001 * f64::from(i * 7 % 5))).collect()
}
