//! Writes an invented run of many cells, to see what reading and reporting it costs:
//! `cargo run --release -p paw-data --example large_run -- DIR [CELLS [SEED]]`.
#![forbid(unsafe_code)]

use std::path::Path;
use std::sync::Arc;

use paw_data::cell::{Cell, Library, Rank, Role};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::outcome::{Check, CheckVerdict, Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, End, Header, Instrument, Record};
use paw_data::sample::Sample;
use paw_data::store;
use paw_data::work::Work;

/// Cells of a run, where no number is typed.
const CELLS: u32 = 100_000;

/// Samples of a cell, and those before it that warm up.
const SAMPLES: (u32, u32) = (16, 2);

/// Suite, benchmark, axis, quantity, and the amount of work of one element.
const BENCHMARKS: [(&str, &str, &str, Quantity, f64); 6] = [
    ("blas", "dgemm", "n", Quantity::Flops, 2e4),
    ("blas", "dgemv", "n", Quantity::Flops, 2e3),
    ("blas", "ddot", "n", Quantity::Flops, 2.0),
    ("memory", "triad", "bytes", Quantity::Bytes, 24.0),
    ("memory", "memory_latency", "bytes", Quantity::Time, 0.0),
    ("mpi", "pingpong", "n", Quantity::Bytes, 16.0),
];

const PROVIDERS: [&str; 4] = ["embedded", "openblas", "mkl", "blis"];

/// Cells of a group: each provider, and a reference.
const GROUP: u32 = PROVIDERS.len() as u32 + 1;

const THREADS: u32 = 16;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut typed = std::env::args().skip(1);
    let dir = typed.next().ok_or("large_run DIR [CELLS [SEED]]")?;
    let cells = typed.next().map_or(Ok(CELLS), |cells| cells.parse())?;
    let seed = typed.next().map_or(Ok(1), |seed| seed.parse())?;
    let mut writer = store::create(Path::new(&dir))?;
    let mut inventor = Inventor { state: 0x9E37_79B9_7F4A_7C15 ^ seed, at_s: 0.4 };
    writer.header(&header(seed))?;
    let hz = Some(2.596e9);
    writer.instrument(&Instrument { id: 0, clock: ClockKind::Tsc, resolution_s: 1e-8, overhead_s: 2.1e-8, hz })?;
    (0..cells).try_for_each(|id| writer.record(&inventor.record(id)))?;
    writer.end(&End { state: "done".to_owned(), ..End::default() })?;
    Ok(())
}

fn header(seed: u64) -> Header {
    let method = Method {
        name: "adaptive".to_owned(),
        warmup: SAMPLES.1,
        loops: LoopRule::Floor { overheads: 1000.0, floor_s: 1e-3 },
        ending: EndRule::Interval { within: 0.01, min: 16, max: 128, min_long: 6 },
        headline: Estimator::Median,
        memory: Memory::Kept,
    };
    let mut header = Header::bare(
        format!("large-{seed}"),
        format!("paw {}", env!("CARGO_PKG_VERSION")),
        Plan::new(method, seed, None),
    );
    header.utc = format!("2026-03-14T09:26:{:02}Z", seed % 60);
    header.argv = ["paw", "run"].map(str::to_owned).to_vec();
    header.machine.identity.host = "node017".to_owned();
    header.machine.identity.fingerprint = "b41f7c".to_owned();
    header
}

struct Inventor {
    state: u64,
    at_s: f64,
}

impl Inventor {
    /// A number between 0 and 1: xorshift64, G. Marsaglia 2003.
    fn random(&mut self) -> f64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as f64 / (1u64 << 53) as f64
    }

    fn record(&mut self, id: u32) -> Record {
        let cell = cell(id);
        let is_skipped = cell.provider == "mkl" && cell.group % 10 == 3;
        let outcome = Outcome {
            cell: id,
            status: if is_skipped { Status::Skipped } else { Status::Measured },
            ending: (!is_skipped).then_some(Ending::Converged),
            why: is_skipped.then(|| "libiomp5.so: not found; looked in /usr/lib/x86_64-linux-gnu and /opt".to_owned()),
            check: (!is_skipped).then(check),
            caveats: Vec::new(),
        };
        let mut record = Record::new(cell);
        record.outcome = Some(outcome);
        if !is_skipped {
            let seconds = 1e-6 * f64::from(1 + id % 997) / record.cell.point.float("threads").unwrap_or(1.0);
            let (measured, before) = SAMPLES;
            (0..before).for_each(|round| record.warmup.push(self.sample(seconds * 1.3, round)));
            (0..measured).for_each(|round| record.samples.push(self.sample(seconds, round)));
        }
        record
    }

    fn sample(&mut self, seconds: f64, round: u32) -> Sample {
        let loops = (1e-3 / seconds).ceil() as u64;
        let is_slow = self.random() < 0.05;
        let noise = 1.0 + 0.01 * (self.random() + self.random() - 1.0) + if is_slow { 0.3 } else { 0.0 };
        let elapsed_s = (seconds * loops as f64 * noise * 1e9).round() / 1e9;
        self.at_s = ((self.at_s + elapsed_s + 0.002) * 1e9).round() / 1e9;
        Sample {
            round,
            position: round % GROUP,
            invocation: round % 4,
            at_s: self.at_s,
            loops,
            elapsed_s,
            run_delay_s: if is_slow { 1e-9 * (elapsed_s * 2e8).round() } else { 0.0 },
            switches: u32::from(is_slow),
            disturbed: is_slow,
            ..Sample::default()
        }
    }
}

fn check() -> Check {
    let method = "Freivalds at the timed size".to_owned();
    Check { method, error: 0.03, bound: 1.0, verdict: CheckVerdict::Pass, note: String::new(), accuracy: None }
}

fn cell(id: u32) -> Cell {
    let (group, place) = (id / GROUP, (id % GROUP) as usize);
    let threads = 1 + group % THREADS;
    let (suite, benchmark, axis, headline, amount) = BENCHMARKS[(group / THREADS) as usize % BENCHMARKS.len()];
    let size = 64 * i64::from(1 + group / THREADS / BENCHMARKS.len() as u32);
    let rank = Rank { host: "node017".into(), cpus: (0..threads).collect(), ..Rank::default() };
    let common = Cell { id, group, method: "adaptive".into(), ranks: vec![rank], ..of_peak(threads) };
    let Some(provider) = PROVIDERS.get(place) else { return common };
    let amount = amount * size as f64;
    let is_counted = headline == Quantity::Flops;
    let library = (suite == "blas").then(|| Library {
        path: format!("/usr/lib/x86_64-linux-gnu/lib{provider}.so.0"),
        version: "0.3.29".to_owned(),
        core: "SkylakeX".to_owned(),
        threads,
    });
    Cell {
        id,
        group,
        method: common.method,
        ranks: common.ranks,
        library: library.map(Arc::new),
        formula: "2*m*n*k".into(),
        work: Work {
            flops: if is_counted { amount } else { 0.0 },
            bytes: if is_counted { 0.0 } else { amount },
            ..Work::default()
        },
        ..Cell::new(
            suite,
            benchmark,
            *provider,
            headline,
            Point::new().with(axis, size).with("threads", i64::from(threads)),
        )
    }
}

fn of_peak(threads: u32) -> Cell {
    let point = Point::new().with("threads", i64::from(threads));
    let work = Work { flops: 1e6, ..Work::default() };
    Cell {
        role: Role::Peak,
        work,
        formula: "2 × lanes × accumulators".into(),
        ..Cell::new("peak", "peak_f64", "native", Quantity::Flops, point)
    }
}
