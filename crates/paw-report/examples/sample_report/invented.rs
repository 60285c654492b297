//! An invented run: a dgemm ladder of three libraries and two thread counts, STREAM, latency, peaks, and what goes wrong.

use std::sync::Arc;

use paw_data::cell::{Cell, Library, Role};
use paw_data::outcome::{Check, CheckVerdict, Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, End, Instrument, Record, Run};
use paw_data::sample::Sample;
use paw_data::work::Work;

use crate::machine::header;

/// A run whose libraries are `speed` times as fast as those of seed 1.
pub fn run(seed: u64, speed: f64) -> Run {
    let mut inventor =
        Inventor { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15), at_s: 0.4, records: Vec::new(), speed };
    peaks(&mut inventor);
    dgemm(&mut inventor);
    dgemv(&mut inventor);
    stream(&mut inventor);
    latency(&mut inventor);
    let clock = Instrument { id: 0, clock: ClockKind::Tsc, resolution_s: 1e-8, overhead_s: 2.1e-8, hz: Some(2.596e9) };
    let end = End { state: "done".to_owned(), exit: 0, ..End::default() };
    Run {
        header: header(seed),
        instruments: vec![clock],
        teams: Vec::new(),
        profiles: Vec::new(),
        records: inventor.records,
        explanations: Vec::new(),
        codes: Vec::new(),
        end: Some(end),
        damage: None,
    }
}

struct Inventor {
    state: u64,
    at_s: f64,
    records: Vec<Record>,
    speed: f64,
}

/// What a cell is told apart by.
struct Told<'t> {
    suite: &'t str,
    benchmark: &'t str,
    provider: &'t str,
    role: Role,
    group: u32,
    point: Point,
    work: Work,
    formula: &'t str,
    headline: Quantity,
}

impl Inventor {
    /// A number between 0 and 1: xorshift64, G. Marsaglia 2003.
    fn random(&mut self) -> f64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as f64 / (1u64 << 53) as f64
    }

    fn cell(&mut self, told: Told<'_>) -> Record {
        let library = (told.suite == "blas" && told.provider != "embedded").then(|| Library {
            path: format!("/usr/lib/x86_64-linux-gnu/lib{}.so.0", told.provider),
            version: "0.3.29".to_owned(),
            core: "SkylakeX".to_owned(),
            threads: told.point.int("threads").unwrap_or(1) as u32,
        });
        Record::new(Cell {
            id: self.records.len() as u32,
            role: told.role,
            group: told.group,
            method: "adaptive".into(),
            work: told.work,
            formula: told.formula.into(),
            library: library.map(Arc::new),
            ..Cell::new(told.suite, told.benchmark, told.provider, told.headline, told.point)
        })
    }

    /// Samples around `seconds` an iteration; `noise` is their relative scatter.
    fn measured(&mut self, told: Told<'_>, seconds: f64, noise: f64) {
        let mut record = self.cell(told);
        let loops = (1e-3 / seconds).ceil().max(1.0) as u64;
        let count = if noise > 0.03 { 64 } else { 16 + (self.random() * 3.0) as u32 * 4 };
        for round in 0..count {
            let slow = self.random() < 0.06;
            let lognormal = (noise * (self.random() + self.random() + self.random() - 1.5)).exp();
            let elapsed_s = seconds * loops as f64 * lognormal * if slow { 1.0 + self.random() * 0.5 } else { 1.0 };
            self.at_s += elapsed_s + 0.002;
            record.samples.push(Sample {
                round,
                position: 0,
                invocation: round % 4,
                at_s: self.at_s,
                loops,
                elapsed_s,
                run_delay_s: if slow { elapsed_s * 0.2 } else { 0.0 },
                switches: u32::from(slow),
                disturbed: slow,
                ..Sample::default()
            });
        }
        let noisy = noise > 0.03;
        let ending = Some(if noisy { Ending::MaxSamples } else { Ending::Converged });
        let check = Check {
            method: "Freivalds at the timed size".to_owned(),
            error: 0.03,
            bound: 1.0,
            verdict: CheckVerdict::Pass,
            note: String::new(),
            accuracy: None,
        };
        record.outcome = Some(Outcome {
            cell: record.cell.id,
            status: Status::Measured,
            ending,
            why: None,
            check: Some(check),
            caveats: Vec::new(),
        });
        self.records.push(record);
    }

    fn absent(&mut self, told: Told<'_>, status: Status, why: &str) {
        let mut record = self.cell(told);
        let why = Some(why.to_owned());
        record.outcome =
            Some(Outcome { cell: record.cell.id, status, ending: None, why, check: None, caveats: Vec::new() });
        self.records.push(record);
    }
}

fn threads(n: i64) -> Point {
    Point::new().with("threads", n)
}

fn peaks(inventor: &mut Inventor) {
    for (benchmark, flops) in [("peak_f64", 141e9), ("peak_f32", 283e9)] {
        for n in [1, 2] {
            let work = Work { flops: 1e6, ..Work::default() };
            let told = Told {
                suite: "peak",
                benchmark,
                provider: "native",
                role: Role::Subject,
                group: 1000 + n as u32,
                point: threads(n),
                work,
                formula: "2 × lanes × accumulators",
                headline: Quantity::Flops,
            };
            inventor.measured(told, 1e6 / (flops * n as f64), 0.004);
        }
    }
}

fn dgemm(inventor: &mut Inventor) {
    let providers = [("embedded", 1.0, 30.0), ("openblas", 0.93, 18.0), ("mkl", 0.45, 34.0)];
    for (rung, n) in (3..=12).map(|i| 1i64 << i).enumerate() {
        for count in [1, 2] {
            let group = rung as u32 * 2 + count as u32;
            let size = n as f64;
            let work = Work {
                flops: 2.0 * size.powi(3),
                flops_paw: 2.0 * size * size * (size + 1.0),
                bytes: 32.0 * size * size,
                ..Work::default()
            };
            for (provider, quality, half) in providers {
                let told = Told {
                    suite: "blas",
                    benchmark: "dgemm",
                    provider,
                    role: Role::Subject,
                    group,
                    point: Point::new().with("n", n).with("threads", count),
                    work,
                    formula: "2mnk",
                    headline: Quantity::Flops,
                };
                let team = if n < 64 { 1.0 } else { count as f64 * 0.96 };
                let rate = 132e9 * quality * team * (1.0 - (-size / half).exp()) * if n > 1024 { 0.93 } else { 1.0 };
                match (provider, n, count) {
                    ("mkl", _, 2) => inventor.absent(
                        told,
                        Status::Skipped,
                        "libiomp5.so: not found; looked in /usr/lib/x86_64-linux-gnu and /opt/intel. hint: MKL_THREADING_LAYER=GNU",
                    ),
                    ("openblas", 4096, 2) => inventor.absent(
                        told,
                        Status::Failed,
                        "the worker was killed by signal 9 after 3 samples. hint: is there memory for 3 matrices of 128 MiB?",
                    ),
                    _ => {
                        let noise = if provider == "openblas" && n == 16 { 0.06 } else { 0.008 + 0.02 / size };
                        let speed = inventor.speed;
                        inventor.measured(told, work.flops / (rate * speed), noise);
                    }
                }
            }
            let told = Told {
                suite: "peak",
                benchmark: "peak_f64",
                provider: "native",
                role: Role::Peak,
                group,
                point: threads(count),
                work: Work { flops: 1e6, ..Work::default() },
                formula: "2 × lanes × accumulators",
                headline: Quantity::Flops,
            };
            inventor.measured(told, 1e6 / (141e9 * count as f64), 0.004);
        }
    }
}

fn dgemv(inventor: &mut Inventor) {
    for (rung, n) in [256i64, 1024, 4096].into_iter().enumerate() {
        let size = n as f64;
        let work = Work { flops: 2.0 * size * size, bytes: 8.0 * size * size, ..Work::default() };
        for (provider, rate) in [("embedded", [64e9, 29e9, 12.1e9][rung]), ("openblas", [36e9, 30e9, 9.3e9][rung])] {
            let told = Told {
                suite: "blas",
                benchmark: "dgemv",
                provider,
                role: Role::Subject,
                group: 200 + rung as u32,
                point: Point::new().with("n", n).with("threads", 1),
                work,
                formula: "2mn",
                headline: Quantity::Flops,
            };
            inventor.measured(told, work.flops / rate, if n == 4096 { 0.05 } else { 0.01 });
        }
        for (role, benchmark, work, seconds) in [
            (Role::Bandwidth, "read", Work { bytes: 1e9, ..Work::default() }, 1e9 / 53.1e9),
            (Role::Peak, "peak_f64", Work { flops: 1e6, ..Work::default() }, 1e6 / 141e9),
        ] {
            let headline = if role == Role::Peak { Quantity::Flops } else { Quantity::Bytes };
            let (provider, formula, point, suite) = ("native", "bytes read", threads(1), "memory");
            let group = 200 + rung as u32;
            inventor.measured(
                Told { suite, benchmark, provider, role, group, point, work, formula, headline },
                seconds,
                0.006,
            );
        }
    }
}

fn stream(inventor: &mut Inventor) {
    let kernels = [
        ("stream_copy", 2.0, 0.0, 39.0),
        ("stream_scale", 2.0, 1.0, 38.7),
        ("stream_add", 3.0, 1.0, 40.1),
        ("stream_triad", 3.0, 2.0, 40.2),
    ];
    for (benchmark, arrays, flops, rate) in kernels {
        let n = 1e7;
        let work = Work { flops: flops * n, bytes: arrays * 8.0 * n, ..Work::default() };
        for (stores, gain) in [("normal", 1.0), ("nontemporal", 1.35)] {
            for count in [1, 2] {
                let point = Point::new().with("bytes", 240_000_000i64).with("stores", stores).with("threads", count);
                let told = Told {
                    suite: "memory",
                    benchmark,
                    provider: "native",
                    role: Role::Subject,
                    group: 300,
                    point,
                    work,
                    formula: "STREAM's count",
                    headline: Quantity::Bytes,
                };
                inventor.measured(told, work.bytes / (rate * 1e9 * gain * count as f64 * 0.97), 0.02);
            }
        }
    }
}

fn latency(inventor: &mut Inventor) {
    for shift in 12..=28 {
        let bytes = 1i64 << shift;
        let b = bytes as f64;
        let step = |size: f64, from: f64, to: f64| from + (to - from) / (1.0 + (size / b).powi(3));
        let nanoseconds = step(48.0 * 1024.0, 0.96, 3.4) + step(1048576.0, 0.0, 9.1) + step(33554432.0, 0.0, 96.0);
        let told = Told {
            suite: "memory",
            benchmark: "memory_latency",
            provider: "native",
            role: Role::Subject,
            group: 400 + shift as u32,
            point: Point::new().with("bytes", bytes).with("threads", 1),
            work: Work::default(),
            formula: "seconds ÷ loads",
            headline: Quantity::Time,
        };
        inventor.measured(told, nanoseconds * 1e-9, 0.015);
    }
}
