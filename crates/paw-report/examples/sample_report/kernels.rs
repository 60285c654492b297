//! Invented runs of the kernel workbench: a matrix, a search, a sensitivity analysis, the ends of caches, a check.

#[path = "kernels/bench.rs"]
mod bench;

use paw_data::application::InputFact;
use paw_data::cell::Role;
use paw_data::kernel::{ArrayFact, Kernel, Level, Question};
use paw_data::outcome::{Caveat, Status};
use paw_data::point::Point;
use paw_data::run::{Record, Run};

pub use bench::{Answer, answered, build, cell, run, timed};

use bench::outcome;

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
