//! Invented runs of the kernel workbench: a matrix, a search, a sensitivity analysis, the ends of caches, a check.

use paw_data::application::InputFact;
use paw_data::build::Build;
use paw_data::cell::{Cell, Combine, Role};
use paw_data::kernel::{ArrayFact, CORE_DRIFT, CORE_HZ, Kernel, Level, Question, SUITE, TICKS, Tolerance};
use paw_data::machine::{Identity, Machine};
use paw_data::method::{EndRule, Estimator, LoopRule, Memory, Method, Plan};
use paw_data::outcome::{Accuracy, Caveat, Check, CheckVerdict, Ending, Outcome, Status};
use paw_data::point::Point;
use paw_data::quantity::Quantity;
use paw_data::run::{ClockKind, End, Header, Instrument, Record, Run};
use paw_data::sample::Sample;
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

/// A build: compiler, flags, variant, ticks an iteration in L1 and L2, how much its samples waver, its answer, its code.
type Row = (&'static str, &'static str, &'static str, [f64; 2], f64, Answer, &'static str);

/// The builds of the matrix; the first is the reference, `load` only moves the data.
const ROWS: [Row; 13] = [
    ("gcc", "-O2", "plain", [22.90, 23.61], 0.004, Answer::Reference, "a1"),
    ("gcc", "-O3", "plain", [22.58, 23.30], 0.004, Answer::Exact, "b2"),
    ("gcc", "-Ofast", "plain", [9.59, 10.11], 0.006, Answer::Off(1.4e-7, 2), "c3"),
    ("gcc", "-Ofast -march=native", "plain", [4.64, 5.19], 0.006, Answer::Off(2.1e-7, 3), "d4"),
    ("gcc", "-Ofast -march=native -funroll-loops", "plain", [4.65, 5.21], 0.006, Answer::Off(2.1e-7, 3), "e5"),
    ("clang-19", "-O2", "plain", [23.18, 24.02], 0.16, Answer::Exact, "f6"),
    ("clang-19", "-O3", "plain", [26.04, 26.80], 0.004, Answer::Exact, "a7"),
    ("clang-19", "-Ofast -march=native -fveclib=libmvec", "plain", [7.12, 7.70], 0.07, Answer::Off(3.3e-7, 5), "b8"),
    ("gcc", "-Ofast -march=native", "expf", [3.02, 3.64], 0.006, Answer::Off(6.2e-7, 11), "c9"),
    ("gcc", "-Ofast -march=native", "power", [2.11, 2.75], 0.006, Answer::Off(0.068, 1_140_850), "d0"),
    (
        "gcc",
        "-O3",
        "hoisted",
        [0.0, 0.0],
        0.0,
        Answer::Broken("did not build: column.c:31:18: error: expected ')' before ';' token"),
        "",
    ),
    ("icx", "-Ofast -xHost", "plain", [0.0, 0.0], 0.0, Answer::Missing("icx: not found in PATH"), ""),
    ("gcc", "-O2", "load", [1.02, 1.71], 0.004, Answer::Exact, "e1"),
];

/// A number between -1 and 1 that looks like chance and is the same every time.
fn chance(seed: u64) -> f64 {
    let mixed = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 40) as f64 / f64::from(1 << 23) - 1.0
}

/// A cell of the kernel.
pub fn cell(build: Build, role: Role, group: u32, point: Point, iterations: f64) -> Cell {
    Cell {
        id: 0,
        benchmark: "column".to_owned(),
        suite: SUITE.to_owned(),
        provider: build.name(),
        role,
        group,
        point,
        method: "meta31".to_owned(),
        work: Work { operations: iterations, ..Work::default() },
        formula: "n*n iterations a call".to_owned(),
        headline: Quantity::Time,
        combine: Combine::Single,
        instrument: 0,
        ranks: Vec::new(),
        team: None,
        library: None,
        build: Some(build),
        dat: None,
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
        float: if fast && compiler == "gcc" { "ftz: linked with fast mathematics" } else { "ieee" }.to_owned(),
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
            (TICKS, elapsed_s * HZ),
            (CORE_HZ, CORE * (1.0 + 0.001 * chance(u64::from(round) + 99))),
            (CORE_DRIFT, 1e-4),
        ];
        record.samples.push(Sample {
            round,
            position: 0,
            at_s: f64::from(round) * 0.4 + 0.003 * (seed % 100) as f64,
            loops: loops as u64,
            elapsed_s,
            switches: u32::from(disturbed),
            disturbed,
            extra: extra.map(|(name, value)| (name.to_owned(), value)).into(),
            ..Sample::default()
        });
    }
    record.outcome = Some(outcome(Status::Measured, None));
    record
}

fn outcome(status: Status, why: Option<String>) -> Outcome {
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

/// The levels of a machine with 32 KiB and 256 KiB.
fn levels() -> Vec<Level> {
    let level = |name: &str, n: u64, capacity_kib: u64, range: (u64, u64), rule: &str| Level {
        name: name.to_owned(),
        n,
        footprint_bytes: 4 * n * n + 8 * n,
        capacity_bytes: capacity_kib << 10,
        n_min: range.0,
        n_max: range.1,
        rule: rule.to_owned(),
    };
    vec![
        level("L1", 84, 32, (22, 84), "2 KiB <= bytes <= 0.9 x L1"),
        level("L2", 220, 256, (156, 241), "3 x L1 < bytes <= 0.9 x L2"),
    ]
}

/// The kernel, for a question.
pub fn kernel(question: Question) -> Kernel {
    let array = |name: &str, element: &str, extent: &str, output| ArrayFact {
        name: name.to_owned(),
        element: element.to_owned(),
        extent: extent.to_owned(),
        fill: if output { "zero" } else { "uniform(-1, 1)" }.to_owned(),
        output,
    };
    Kernel {
        name: "column".to_owned(),
        question,
        function: "column".to_owned(),
        signature: "void column(unsigned n, const float a[n][n], double b[n])".to_owned(),
        sources: vec![InputFact { path: "column.c".to_owned(), bytes: 1824, sha256: "0123abcd".repeat(8) }],
        arrays: vec![array("a", "f32", "n*n", false), array("b", "f64", "n", true)],
        iterations: "n*n".to_owned(),
        footprint: "4*(n*n) + 8*(n)".to_owned(),
        reference: "gcc -O2".to_owned(),
        reference_variant: "plain".to_owned(),
        residency: "load".to_owned(),
        warmup: 10,
        cpu: Some(1),
        levels: levels(),
        ..Kernel::default()
    }
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
        utc: "2026-04-01T10:15:00Z".to_owned(),
        plan: Plan { method, seed: 7, budget_s: None },
        env: Default::default(),
        machine: Machine { identity, ..Machine::default() },
        app: None,
        kernel: Some(kernel),
    };
    for (i, record) in records.iter_mut().enumerate() {
        record.cell.id = i as u32;
        record.outcome.iter_mut().for_each(|outcome| outcome.cell = i as u32);
    }
    let clock = Instrument { id: 0, clock: ClockKind::Tsc, resolution_s: 1e-8, overhead_s: 2e-8, hz: Some(HZ) };
    let end = End { state: "done".to_owned(), exit: 1, ..End::default() };
    Run { header, instruments: vec![clock], teams: Vec::new(), records, end: Some(end), damage: None }
}

/// A matrix over two levels: a tie, a wrong answer, a failed build, a missing compiler, identical code, a residency row.
pub fn matrix() -> Run {
    let mut records = Vec::new();
    for (i, level) in levels().iter().enumerate() {
        for (compiler, flags, variant, ticks, spread, answer, code) in ROWS {
            let role = match (answer, variant) {
                (Answer::Reference, _) => Role::Base,
                (_, "load") => Role::Bandwidth,
                _ => Role::Subject,
            };
            let point =
                Point::new().with("level", level.name.as_str()).with("n", level.n as i64).with("variant", variant);
            let own = build(compiler, flags, variant, code);
            let own = cell(own, role, i as u32, point, (level.n * level.n) as f64);
            let mut record = answered(timed(own, ticks[i], spread), answer, level.n);
            if spread > 0.1 {
                let cause = "the core's clock moved by 4.1% while it was measured";
                let caveat = Caveat::new("core-clock", cause, "Fix the frequency of the processor.");
                record.outcome.iter_mut().for_each(|outcome| outcome.caveats.push(caveat.clone()));
            }
            records.push(record);
        }
    }
    run(kernel(Question::Matrix), records)
}

/// Warm-up and repetitions at one size, and sizes over the end of both caches.
pub fn sensitivity() -> Run {
    let own = || build("gcc", "-O2", "load", "e1");
    let one = |group, (axis, x, ticks, n): (&str, i64, f64, i64)| {
        let point = Point::new()
            .with("level", if n > 89 { "L2" } else { "L1" })
            .with("n", n)
            .with("warmup", 150)
            .with("reps", 1200);
        let point = point.with("variant", "load").with(axis, x);
        timed(cell(own(), Role::Subject, group, point, (n * n) as f64), ticks, 0.003)
    };
    let warmup = [
        (1, 7.54),
        (10, 7.48),
        (20, 7.46),
        (50, 7.44),
        (100, 7.43),
        (150, 7.43),
        (200, 7.43),
        (300, 7.43),
        (400, 7.43),
    ];
    let reps = [(600, 44.9), (700, 44.6), (1200, 43.9), (1500, 43.1), (1900, 42.0), (2100, 40.4)];
    let sizes = [
        (44, 0.92),
        (63, 0.92),
        (78, 0.92),
        (84, 0.93),
        (89, 0.95),
        (94, 1.21),
        (100, 1.48),
        (127, 1.53),
        (180, 1.55),
        (220, 1.56),
        (241, 1.57),
        (255, 1.60),
        (268, 2.7),
        (285, 3.9),
        (312, 4.8),
        (361, 4.9),
    ];
    let warmup = warmup.map(|(x, t)| one(0, ("warmup", x, t, 84)));
    let reps = reps.map(|(x, t)| one(1, ("reps", x, t, 84)));
    let sizes = sizes.map(|(x, t)| one(2, ("n", x, t, x)));
    run(kernel(Question::Sensitivity), warmup.into_iter().chain(reps).chain(sizes).collect())
}

/// A search for flags in two steps: the first finds one, the second none.
pub fn search() -> Run {
    let one = |group, role, flags: &str, ticks| {
        let own = build("gcc", flags, "", &format!("{:02x}", flags.len()));
        let point = Point::new().with("level", "L1").with("n", 84);
        let answer = if role == Role::Base { Answer::Reference } else { Answer::Off(1.2e-7, 2) };
        answered(timed(cell(own, role, group, point, 7056.0), ticks, 0.003), answer, 84)
    };
    let (base, fast) = ("-O3", "-O3 -funsafe-math-optimizations");
    let records = vec![
        one(0, Role::Base, base, 22.6),
        one(0, Role::Subject, fast, 16.4),
        one(0, Role::Subject, "-O3 -funroll-all-loops", 22.5),
        one(1, Role::Base, fast, 16.5),
        one(1, Role::Subject, "-O3 -funsafe-math-optimizations -funroll-all-loops", 16.5),
    ];
    run(Kernel { reference: "gcc -O3".to_owned(), residency: String::new(), ..kernel(Question::Search) }, records)
}

/// The residency variant on both sides of each cache's end.
pub fn residency() -> Run {
    let sizes = [
        ("L1", 89, 0.93),
        ("L1", 90, 1.02),
        ("L1", 100, 1.48),
        ("L2", 255, 1.56),
        ("L2", 256, 1.57),
        ("L2", 285, 1.61),
    ];
    let one = |(level, n, ticks): (&str, i64, f64)| {
        let point = Point::new().with("level", level).with("n", n).with("variant", "load");
        let group = u32::from(level == "L2");
        timed(cell(build("gcc", "-O2", "load", "e1"), Role::Bandwidth, group, point, (n * n) as f64), ticks, 0.003)
    };
    run(kernel(Question::Residency), sizes.map(one).to_vec())
}

/// The same builds, asked for their answers alone.
pub fn check() -> Run {
    let level = &levels()[0];
    let record = |(compiler, flags, variant, _, _, answer, code): &Row| {
        let role = if matches!(answer, Answer::Reference) { Role::Base } else { Role::Subject };
        let point = Point::new().with("level", "L1").with("n", level.n as i64).with("variant", *variant);
        let own = build(compiler, flags, variant, code);
        let mut record = Record::new(cell(own, role, 0, point, (level.n * level.n) as f64));
        record.outcome = Some(outcome(Status::Measured, None));
        answered(record, *answer, level.n)
    };
    let rows = ROWS.iter().filter(|row| row.2 != "load");
    run(kernel(Question::Check), rows.map(record).collect())
}
