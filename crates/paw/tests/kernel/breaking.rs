//! Kernels that break, and specs that say nothing sensible: one line each, and the others go on.

use paw_data::outcome::Status;
use workplace::{Ran, Workplace};

use crate::place::{ended, examples, kernel, name, run, wrong};

/// A kernel with a fault in each of its variants but the first.
const SOURCE: &str = r#"#include <stddef.h>
void bad(unsigned long n, const double *a, double *b) {
#if defined(CRASH)
    *(volatile int *)NULL = 1;
#elif defined(HANG)
    for (;;) __asm__ volatile("");
#elif defined(BEYOND)
    b[n] = 1.0;
#elif defined(NAN_)
    b[0] = __builtin_nan("");
    return;
#elif defined(BROKEN)
    nonsense;
#endif
    for (unsigned long i = 0; i < n; i++) b[i] = 2.0 * a[i];
}
"#;

const SPEC: &str = r#"paw = "kernel/1"
sources = ["bad.c"]
signature = "void bad(unsigned long n, const double *a, double *b)"
iterations = "n"
flags = ["-O1"]

[arrays]
a = "f64[n]"
b = { type = "f64[n]", output = true }

[variants]
good = {}
crash = { define = ["CRASH"] }
hang = { define = ["HANG"] }
beyond = { define = ["BEYOND"] }
nan = { define = ["NAN_"] }
broken = { define = ["BROKEN"] }
"#;

/// A directory that holds the kernel above, its spec changed from `old` to `new`.
fn broken(old: &str, new: &str) -> Workplace {
    let place = examples();
    place.write("bad.c", SOURCE);
    assert!(SPEC.contains(old));
    place.write("bad.toml", SPEC.replacen(old, new, 1));
    place
}

/// What a matrix of the one good variant says.
fn asked(place: &Workplace, sizes: &str) -> Ran {
    kernel(
        place,
        &format!("matrix bad.toml {sizes} --compilers gcc --variants good --metas 6 --region 1ms --quiet --out r"),
    )
}

/// Asserts that a spec is refused in one sentence that holds all `parts`.
fn refused(place: &Workplace, sizes: &str, parts: &[&str]) {
    let ran = asked(place, sizes);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert_eq!(ran.err.matches("paw: ").count(), 1, "{}", ran.err);
    assert!(parts.iter().all(|part| ran.err.contains(part)), "{}", ran.err);
    assert!(!place.path("r").exists(), "nothing was begun");
}

#[test]
fn a_variant_that_breaks_is_one_line_and_the_others_go_on() {
    ::workplace::needs!(CLANG);
    let place = broken("", "");
    let ran = kernel(
        &place,
        "matrix bad.toml --n 1000 --compilers gcc,clang --metas 6 --region 1ms --timeout 1s --quiet --out r",
    );
    assert_eq!(ran.code, 1, "{}", ran.err);
    let run = run(&place);
    assert_eq!(run.records.len(), 12, "{}", ran.out);
    let expected = [
        ("[good]", Status::Measured, ""),
        ("[crash]", Status::Failed, "SIGSEGV"),
        ("[hang]", Status::Failed, "did not answer within 1 s"),
        ("[beyond]", Status::Failed, "past the end of array `b`"),
        ("[nan]", Status::Failed, "wrong answer: "),
        ("[broken]", Status::Failed, "bad.c:13:5: error: "),
    ];
    for record in &run.records {
        let (name, (status, why)) = (name(record), ended(record));
        let (_, expected, part) = expected.iter().find(|(variant, ..)| name.ends_with(variant)).unwrap();
        assert_eq!(status, *expected, "{name}: {why}");
        assert!(why.contains(part) && !why.contains('\n') && !why.contains("by against"), "{name}: {why}");
    }
    assert_eq!(wrong(&run).len(), 2, "{:?}", wrong(&run));
    assert!(ran.out.contains("did not build: ") && ran.out.contains("NaN"), "{}", ran.out);
}

#[test]
fn a_source_that_is_not_there_is_named_with_its_place() {
    refused(&broken("bad.c", "none.c"), "--n 100", &["bad.toml:2:", "none.c"]);
}

#[test]
fn an_unknown_name_in_a_formula_has_a_caret_under_it() {
    let place = broken("iterations = \"n\"", "iterations = \"n*q\"");
    refused(&place, "--n 100", &["bad.toml:4:", "`q`", "4 | iterations = \"n*q\"\n  |                 ^"]);
}

#[test]
fn a_formula_that_is_zero_is_reported_with_its_size() {
    refused(&broken("iterations = \"n\"", "iterations = \"n-n\""), "--n 100", &["`n-n`", "0 at n = 100"]);
}

#[test]
fn a_spec_that_is_no_toml_is_reported_with_line_and_column() {
    refused(&broken(SPEC, "this is [not toml"), "--n 100", &["bad.toml:1:"]);
}

#[test]
fn a_size_beyond_whole_numbers_is_refused() {
    refused(&broken("", ""), "--n 1000000000000000000", &["n = 1000000000000000000", "too large"]);
}

#[test]
fn a_size_beyond_memory_is_skipped_with_both_numbers() {
    let place = broken("", "");
    let ran = asked(&place, "--n 100,1000000000000");
    assert_eq!(ran.code, 0, "{}{}", ran.err, ran.out);
    let run = run(&place);
    let ends: Vec<_> = run.records.iter().map(|record| ended(record).0).collect();
    assert_eq!(ends, [Status::Measured, Status::Skipped], "{}", ran.out);
    let why = ended(&run.records[1]).1;
    assert!(why.contains("n = 1000000000000 needs 16") && why.contains("are free"), "{why}");
}
