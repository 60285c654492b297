//! Every BLAS on this machine computes right, called by us: each in a process of its own, with one thread and with two,
//! by the interface it is opened with and by Fortran's.

use std::path::Path;
use std::process::{Command, ExitCode};

use paw_data::outcome::{Check, CheckVerdict};
use paw_foreign::blas::dimensions::{GemmDimensions, GemvDimensions, Transpose};
use paw_foreign::blas::discovery::{Search, find_all};
use paw_foreign::blas::environment::{environment_for, fallback_environments};
use paw_foreign::blas::{Blas, Convention, Language, Real};
use paw_suites::blas::verify::{check_gemm, check_gemv};

/// Names the library to a child of this test.
const LIBRARY: &str = "PAW_TEST_BLAS";
/// Tells the child the interface: `any` or `fortran`.
const INTERFACE: &str = "PAW_TEST_BLAS_INTERFACE";

fn main() -> ExitCode {
    if let (Ok(library), Ok(interface)) = (std::env::var(LIBRARY), std::env::var(INTERFACE)) {
        return child(Path::new(&library), &interface);
    }
    let mut filters = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    if filters.peek().is_some() && !filters.any(|filter| "libraries".contains(&filter)) {
        return ExitCode::SUCCESS;
    }
    parent()
}

fn parent() -> ExitCode {
    let found = find_all(&Search::here());
    if found.is_empty() {
        println!("no BLAS is installed on this machine: nothing to call");
    }
    let mut code = ExitCode::SUCCESS;
    for library in &found {
        for (threads, interface) in [(1, "any"), (2, "any"), (1, "fortran")] {
            let told = told_of(&library.path, threads, interface);
            let (state, words) = told.map_or_else(|words| ("FAILED", words), |words| ("ok", words));
            println!("{} {} {threads} threads, {interface}: {state} {words}", library.family, library.path.display());
            if state == "FAILED" {
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// What a child says of the library, in the first environment in which it lives.
fn told_of(library: &Path, threads: u32, interface: &str) -> Result<String, String> {
    let mut told = Err("never started".to_owned());
    for fallback in [vec![Vec::new()], fallback_environments(library)].concat() {
        let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
        command.env(LIBRARY, library).env(INTERFACE, interface).envs(environment_for(threads)).envs(fallback);
        let output = command.output().expect("this test can be started again");
        let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().replace('\n', " | ");
        told = match output.status.success() {
            true => return Ok(words(&output.stdout)),
            false => Err(format!("{}: {} {}", output.status, words(&output.stdout), words(&output.stderr))),
        };
    }
    told
}

fn child(library: &Path, interface: &str) -> ExitCode {
    let wanted = |convention: &Convention| interface == "any" || convention.language == Language::Fortran;
    let blas = match Blas::open_as(library, Convention::all().filter(wanted)) {
        Ok(blas) => blas,
        // A library that speaks C alone has nothing to be tested here.
        Err(error) if interface == "fortran" => {
            println!("{error}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            println!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let checks = [every_form::<f64>(&blas), every_form::<f32>(&blas)].concat();
    let wrong: Vec<_> = checks.iter().filter(|(_, check)| check.verdict != CheckVerdict::Pass).collect();
    if let Some((case, check)) = wrong.first() {
        println!("{} of {} products are wrong, first {case}: {check:?}", wrong.len(), checks.len());
        return ExitCode::FAILURE;
    }
    let worst = checks.iter().map(|(_, check)| check.error).fold(0.0, f64::max);
    let symbol = blas.convention().symbol("?gemm");
    println!("{} products by {symbol} {:?}, worst error {worst:.2}", checks.len(), blas.integers());
    ExitCode::SUCCESS
}

const SHAPES: [(usize, usize, usize); 9] = [
    (1, 1, 1),
    (2, 3, 4),
    (8, 8, 8),
    (17, 31, 13),
    (64, 64, 64),
    (100, 1, 50),
    (1, 100, 50),
    (33, 40, 1000),
    (257, 129, 65),
];
const SCALARS: [(f64, f64); 4] = [(1.0, 1.0), (1.0, 0.0), (-0.7, 1.0), (0.5, -1.3)];
const BOTH: [Transpose; 2] = [Transpose::No, Transpose::Yes];

fn every_form<T: Real>(blas: &Blas) -> Vec<(String, Check)> {
    let mut checks = Vec::new();
    for (number, (m, n, k)) in SHAPES.into_iter().enumerate() {
        for (turn, (transa, transb)) in BOTH.into_iter().flat_map(|a| BOTH.map(|b| (a, b))).enumerate() {
            // Every pair of scalars meets every shape and every form; the small shapes meet all.
            let scalars = if m * n * k < 10_000 { SCALARS.to_vec() } else { vec![SCALARS[(number + turn) % 4]] };
            for (alpha, beta) in scalars {
                let dense = GemmDimensions { transa, transb, ..GemmDimensions::dense(m, n, k) };
                let (lda, ldb) = (dense.stored_a().1 + 3, dense.stored_b().1 + 3);
                checks.push(gemm::<T>(blas, GemmDimensions { lda, ldb, ldc: n + 3, ..dense }, alpha, beta));
            }
        }
        for (trans, (alpha, beta)) in BOTH.into_iter().flat_map(|trans| SCALARS.map(|scalars| (trans, scalars))) {
            checks.push(gemv::<T>(
                blas,
                GemvDimensions { trans, lda: k + 3, ..GemvDimensions::dense(m * n, k) },
                alpha,
                beta,
            ));
        }
    }
    checks
}

fn gemm<T: Real>(blas: &Blas, shape: GemmDimensions, alpha: f64, beta: f64) -> (String, Check) {
    let a: Vec<T> = values(shape.stored_a().0 * shape.lda, 1);
    let b: Vec<T> = values(shape.stored_b().0 * shape.ldb, 2);
    let c0: Vec<T> = before(shape.m * shape.ldc, beta);
    let (alpha, beta) = (T::nearest(alpha), T::nearest(beta));
    let mut c = c0.clone();
    blas.bind_gemm(&shape, alpha, &a, &b, beta, &mut c).expect("the library has it").call();
    (format!("{}gemm {shape:?} {alpha:?} {beta:?}", T::LETTER), check_gemm(&shape, alpha, &a, &b, beta, &c0, &c))
}

fn gemv<T: Real>(blas: &Blas, shape: GemvDimensions, alpha: f64, beta: f64) -> (String, Check) {
    let (a, x): (Vec<T>, Vec<T>) = (values(shape.m * shape.lda, 1), values(shape.x_len(), 2));
    let y0: Vec<T> = before(shape.y_len(), beta);
    let (alpha, beta) = (T::nearest(alpha), T::nearest(beta));
    let mut y = y0.clone();
    blas.bind_gemv(&shape, alpha, &a, &x, beta, &mut y).expect("the library has it").call();
    (format!("{}gemv {shape:?} {alpha:?} {beta:?}", T::LETTER), check_gemv(&shape, alpha, &a, &x, beta, &y0, &y))
}

/// What the result was before: NaN where β = 0 forbids to read it.
fn before<T: Real>(count: usize, beta: f64) -> Vec<T> {
    if beta == 0.0 { vec![T::nearest(f64::NAN); count] } else { values(count, 3) }
}

/// Values in [-0.5, 0.5), the same every time.
fn values<T: Real>(count: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        T::nearest((state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5)
    };
    (0..count).map(|_| next()).collect()
}
