//! What invented kernels are made of: builds, samples that waver, answers, and a run of them.

use paw_data::build::Build;
use paw_data::cell::{Cell, Role};
use paw_data::kernel::{Kernel, SUITE, Tolerance};
use paw_data::machine::{Identity, Machine};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::outcome::{Accuracy, Check, CheckVerdict, Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, End, Header, Instrument, Record, Run};
use paw_data::sample::Sample;
use paw_data::secondary::SecondaryMetric;
use paw_data::work::Work;

/// Ticks a second of the time-stamp counter.
const HZ: f64 = 2.59612e9;
/// Cycles a second of the core.
const CORE: f64 = 4.06e9;
/// Samples of a cell: the protocol's.
const METAS: u32 = 31;

/// What a build's answer is like.
#[derive(Clone, Copy)]
pub enum Answer {
    /// It is what others are held against.
    Reference,
    /// The same, bit for bit.
    Exact,
    /// Off by this relative error and so many units in the last place.
    Off(f64, u64),
    /// It did not build.
    Broken(&'static str),
    /// The compiler is not here.
    Missing(&'static str),
}

/// A number between -1 and 1 that looks like chance and is the same every time.
fn chance(seed: u64) -> f64 {
    let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 40) as f64 / f64::from(1 << 23) - 1.0
}

/// A cell of the kernel.
pub fn cell(build: Build, role: Role, group: u32, point: Point, iterations: f64) -> Cell {
    let provider = build.name();
    Cell {
        role,
        group,
        method: "meta31".into(),
        work: Work { operations: iterations, ..Work::default() },
        formula: "n*n iterations a call".into(),
        build: Some(Box::new(build)),
        ..Cell::new(SUITE, "column", provider, Quantity::Time, point)
    }
}

/// A build by its parts.
pub fn build(compiler: &str, flags: &str, variant: &str, code: &str) -> Build {
    let version = match compiler {
        "gcc" => "gcc (Debian 12.2.0-14) 12.2.0",
        "clang-19" => "Debian clang version 19.1.7",
        _ => "",
    };
    let native = flags.contains("native");
    let words =
        [compiler, "-std=c17", flags, "-fPIC", "-shared", "-fno-semantic-interposition", "-o", "column.so", "column.c"];
    let ignored = flags == "-O3" && compiler == "clang-19";
    let fast = flags.contains("-Ofast");
    Build {
        compiler: compiler.to_owned(),
        version: version.to_owned(),
        flags: flags.to_owned(),
        label: String::new(),
        variant: variant.to_owned(),
        command: words.iter().flat_map(|w| w.split(' ')).map(str::to_owned).collect(),
        target: if native { "znver5" } else { "" }.to_owned(),
        code: code.repeat(32),
        same: if ignored { vec!["clang-19 -O3 -funroll-all-loops [plain]".to_owned()] } else { Vec::new() },
        said: if fast && compiler == "clang-19" {
            "clang-19: warning: argument '-Ofast' is deprecated; use '-O3 -ffast-math' [-Wdeprecated-ofast]".to_owned()
        } else {
            String::new()
        },
        runtime: String::new(),
        float: if fast && compiler == "gcc" { "ftz: linked with fast mathematics" } else { "ieee" }.to_owned(),
        launched: None,
    }
}

/// `cell` with 31 samples of `ticks` an iteration, that waver by `spread` beside what all samples of a round have in common.
pub fn timed(cell: Cell, ticks: f64, spread: f64) -> Record {
    let iterations = cell.work.operations();
    let loops = (HZ / 400.0 / (ticks * iterations)).ceil().max(1.0);
    let seed =
        cell.provider.bytes().chain(cell.point.to_string().bytes()).fold(7, |s, b| s * 31 % 1_000_003 + u64::from(b));
    let mut record = Record::new(cell);
    for round in 0..METAS {
        let common = 1.0 + 0.004 * chance(u64::from(round));
        // Times lie close above their least, with a tail.
        let own = spread * (1.0 + chance(seed * 97 + u64::from(round))).powi(2) / 2.0;
        let seconds = ticks / HZ * iterations * loops * common * (1.0 + own);
        let disturbed = seed % 5 == 0 && round % 14 == 3;
        let elapsed_s = if disturbed { seconds * 1.6 } else { seconds };
        let extra = [
            (SecondaryMetric::Ticks, elapsed_s * HZ),
            (SecondaryMetric::CoreClock, CORE * (1.0 + 0.001 * chance(u64::from(round) + 99))),
            (SecondaryMetric::CoreDrift, 1e-4),
        ];
        record.samples.push(Sample {
            round,
            position: 0,
            at_s: f64::from(round) * 0.4 + 0.003 * (seed % 100) as f64,
            loops: loops as u64,
            elapsed_s,
            switches: u32::from(disturbed),
            disturbed,
            extra: extra.map(|(metric, value)| (metric.into(), value)).into(),
            ..Sample::default()
        });
    }
    record.outcome = Some(outcome(Status::Measured, None));
    record
}

/// An outcome that has no answer checked.
pub fn outcome(status: Status, why: Option<String>) -> Outcome {
    let ending = (status == Status::Measured).then_some(Ending::Complete);
    Outcome { cell: 0, status, ending, why, check: None, caveats: Vec::new() }
}

/// `record` with this answer, checked by element.
pub fn answered(mut record: Record, answer: Answer, elements: u64) -> Record {
    let tolerance = Tolerance::default();
    let (relative, ulp) = match answer {
        Answer::Off(relative, ulp) => (relative, ulp),
        Answer::Exact => (0.0, 0),
        Answer::Reference => return record,
        Answer::Broken(why) | Answer::Missing(why) => {
            let status = if matches!(answer, Answer::Broken(_)) { Status::Failed } else { Status::Skipped };
            record.samples = Default::default();
            record.outcome = Some(outcome(status, Some(why.to_owned())));
            return record;
        }
    };
    let wrong = relative > tolerance.relative && ulp > tolerance.ulp;
    let differing = if ulp == 0 { 0 } else { elements * 7 / 10 };
    let first = if wrong {
        "b[0]"
    } else if differing > 0 {
        "b[2]"
    } else {
        ""
    };
    let note = format!(
        "the answer is wrong: b[0] is 3.871901e2, not 4.154399e2, and {differing} of {elements} elements differ"
    );
    let accuracy = Accuracy {
        elements,
        differing,
        wrong: if wrong { differing } else { 0 },
        relative_max: relative,
        ulp_max: ulp,
        nan: 0,
        infinite: 0,
        first: first.to_owned(),
    };
    let check = Check {
        method: "element by element against gcc -O2 [plain]".to_owned(),
        error: relative,
        bound: tolerance.relative,
        verdict: if wrong { CheckVerdict::Fail } else { CheckVerdict::Pass },
        note: if wrong { note.clone() } else { String::new() },
        accuracy: Some(Box::new(accuracy)),
    };
    let status = if wrong { Status::Failed } else { Status::Measured };
    record.outcome = Some(Outcome { check: Some(check), ..outcome(status, wrong.then_some(note)) });
    record
}

/// A finished run of `records`.
pub fn run(kernel: Kernel, mut records: Vec<Record>) -> Run {
    let method = Method {
        name: "meta31".to_owned(),
        warmup: 0,
        loops: LoopRule::Floor { overheads: 1000.0, floor_s: 1e-3 },
        ending: EndRule::Fixed { samples: METAS },
        headline: Estimator::Median,
        memory: Memory::Fresh,
    };
    let identity = Identity {
        fingerprint: "0ddba11".to_owned(),
        host: "lab-3".to_owned(),
        cpu: "Example 9755".to_owned(),
        arch: "x86_64".to_owned(),
        packages: 1,
        cores: 2,
        threads: 2,
        memory_bytes: 16 << 30,
        ..Identity::default()
    };
    let header = Header {
        schema: paw_data::run::SCHEMA.to_owned(),
        id: "20260401T101500Z-k3rn31".to_owned(),
        tool: "paw 0.1.0".to_owned(),
        argv: ["paw", "kernel", "matrix", "column.toml"].map(str::to_owned).to_vec(),
        directory: String::new(),
        utc: "2026-04-01T10:15:00Z".to_owned(),
        plan: Plan::new(method, 7, None),
        env: Default::default(),
        machine: Machine { identity, ..Machine::default() },
        app: None,
        kernel: Some(kernel),
        selftest: None,
    };
    for (i, record) in records.iter_mut().enumerate() {
        record.cell.id = i as u32;
        record.outcome.iter_mut().for_each(|outcome| outcome.cell = i as u32);
    }
    let clock = Instrument { id: 0, clock: ClockKind::Tsc, resolution_s: 1e-8, overhead_s: 2e-8, hz: Some(HZ) };
    let end = End { state: "done".to_owned(), exit: 1, ..End::default() };
    Run { instruments: vec![clock], records, end: Some(end), ..Run::new(header) }
}
