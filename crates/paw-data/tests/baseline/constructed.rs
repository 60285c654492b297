//! Runs of known numbers.

use std::path::Path;

use paw_data::baseline::Baseline;
use paw_data::baseline::bounds::Candidate;
use paw_data::baseline::file::parse;
use paw_data::baseline::judgement::{Judgement, judge};
use paw_data::cell::Cell;
use paw_data::document::Document;
use paw_data::machine::{Identity, Machine};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::outcome::{Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{Header, Record, Run};
use paw_data::sample::Sample;
use paw_data::work::Work;

/// Bytes of one iteration: a time of 1 s is 1 GB/s.
pub const BYTES: f64 = 1e9;

/// A reference of the only cell of [`run`]: 1 GB/s, and 5 % less or 10 % more.
pub const REFERENCE: &str = "[[reference]]\nbenchmark = \"read\"\nprovider = \"native\"\npoint = { bytes = 4096 }\n\
    value = 1.0\nunit = \"GB/s\"\nlower = -0.05\nupper = 0.10\nmachine = \"Some*\"\n";

pub fn machine(hypervisor: &str) -> Machine {
    let identity = Identity { cpu: "Some CPU 7".into(), hypervisor: hypervisor.into(), ..Identity::default() };
    let state = [("governor", "performance"), ("boost", "off")];
    let state = state.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Machine { identity, state, ..Machine::default() }
}

/// A run without cells, of the day numbered `day`.
pub fn empty(id: &str, day: usize, machine: Machine) -> Run {
    let method = Method {
        name: "adaptive".into(),
        warmup: 1,
        loops: LoopRule::Floor { overheads: 1000.0, floor_s: 1e-3 },
        ending: EndRule::Interval { within: 0.01, min: 16, max: 128, min_long: 6 },
        headline: Estimator::Median,
        memory: Memory::Kept,
    };
    let mut header = Header::bare(id.into(), "paw 0.1.0".into(), Plan::new(method, 1, None));
    header.utc = format!("2026-01-{:02}T03:04:05Z", 1 + day);
    header.machine = machine;
    Run::new(header)
}

/// A measured cell whose processes have these times in seconds, each.
pub fn record(processes: &[Vec<f64>]) -> Record {
    let point = Point::new().with("bytes", 4096);
    let cell = Cell {
        work: Work { bytes: BYTES, ..Work::default() },
        ..Cell::new("memory", "read", "native", Quantity::Bytes, point)
    };
    let mut record = Record::new(cell);
    let samples = (0..).zip(processes).flat_map(|(id, times)| times.iter().map(move |time| (id, *time)));
    for (round, (invocation, elapsed_s)) in (0..).zip(samples) {
        record.samples.push(Sample {
            round,
            invocation,
            loops: 1,
            elapsed_s,
            at_s: f64::from(round),
            ..Sample::default()
        });
    }
    record.outcome = Some(outcome(Status::Measured, None));
    record
}

pub fn outcome(status: Status, why: Option<&str>) -> Outcome {
    let why = why.map(str::to_owned);
    Outcome { cell: 0, status, ending: Some(Ending::Converged), why, check: None, caveats: Vec::new() }
}

/// Three processes of eight samples around `time_s`, which lie within a percent.
pub fn steady(time_s: f64) -> Vec<Vec<f64>> {
    let process = |process: u32| -> Vec<f64> {
        let own = time_s * (0.996 + 0.004 * f64::from(process));
        (0..8).map(|i| own * (1.0 + 0.002 * f64::from((i * 5 + process * 3) % 8) - 0.007)).collect()
    };
    (0..3).map(process).collect()
}

/// A run with one cell.
pub fn run(id: &str, processes: &[Vec<f64>]) -> Run {
    Run { records: vec![record(processes)], ..empty(id, 0, machine("")) }
}

pub fn baselines(text: &str) -> Vec<Baseline> {
    parse(&Document { path: Path::new("ref.toml"), text }).unwrap()
}

/// The judgement on the only reference of `text`.
pub fn only(text: &str, runs: &[Run], of: impl FnOnce(&Judgement<'_>)) {
    let baselines = baselines(text);
    let judgements = judge(&baselines, runs);
    let [judgement] = &judgements[..] else { panic!("{} references", judgements.len()) };
    of(judgement);
}

/// A candidate as a reference of the same numbers.
pub fn stored(candidate: &Candidate) -> Baseline {
    let text = format!(
        "[[reference]]\nbenchmark = '{}'\nprovider = '{}'\nvalue = {:e}\nunit = '{}'\nlower = {}\nupper = {}\n\
         provenance = {{ runs = {}, days = {}, spread = {:e}, percentile = 5, half_width = {:e} }}\n",
        candidate.benchmark,
        candidate.provider,
        candidate.value / candidate.unit.factor,
        candidate.unit.text,
        candidate.lower,
        candidate.upper,
        candidate.measured.runs,
        candidate.measured.days,
        candidate.measured.spread.unwrap_or(0.0),
        candidate.measured.half_width.unwrap_or(0.0),
    );
    baselines(&text).remove(0)
}
