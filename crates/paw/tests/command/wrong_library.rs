//! A BLAS that is wrong, hangs or dies is caught, named, and costs its own record alone.

use std::fs;
use std::path::PathBuf;

use crate::workplace::{Ran, Workplace};

/// The mock lies beside this test's program; its behaviour follows from the name it is copied to.
pub fn mock(workplace: &Workplace, behaviour: &str) -> PathBuf {
    let built = std::env::current_exe().unwrap().with_file_name("libmock_blas.so");
    let copy = workplace.path(&format!("lib{behaviour}.so"));
    fs::copy(&built, &copy).unwrap_or_else(|e| panic!("{}: {e}", built.display()));
    copy
}

/// Measures the embedded code and the mock side by side, at a size where every fault shows.
fn run(behaviour: &str, variables: &[(&str, &str)]) -> (Workplace, Ran) {
    let workplace = Workplace::new();
    let library = mock(&workplace, behaviour);
    let args = format!(
        "run dgemm --set n=96 --threads 1 --reps 3 --loops 1 --quiet --out r --provider embedded,{}",
        library.display()
    );
    let ran = workplace.paw_with(variables, &args);
    (workplace, ran)
}

/// The outcome lines of a run, as JSON.
fn outcomes(workplace: &Workplace) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(workplace.path("r/run.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    lines.filter(|line| line["line"] == "outcome").collect()
}

fn check(behaviour: &str, code: i32, words: &[&str]) {
    let (workplace, ran) = run(behaviour, &[("PAW_DEADLINE", "2")]);
    assert_eq!(ran.code, code, "{behaviour}: {}{}", ran.out, ran.err);
    let outcomes = outcomes(&workplace);
    let failed: Vec<_> = outcomes.iter().filter(|o| o["status"] == "failed").collect();
    let [failed] = failed[..] else { panic!("{behaviour} costs one record: {outcomes:?}") };
    let why = failed["why"].as_str().unwrap_or_default();
    for word in words {
        assert!(why.contains(word), "{behaviour}: '{why}' does not say '{word}'");
    }
    let measured = outcomes.iter().filter(|o| o["status"] == "measured").count();
    assert_eq!(measured, 2, "the embedded code and the peak are measured beside {behaviour}: {outcomes:?}");
    assert!(ran.out.contains(behaviour), "the table names the library: {}", ran.out);
}

#[test]
fn wrong_answers_are_findings() {
    check("off-by-1e-9", 1, &["wrong"]);
    check("bf16", 1, &["wrong"]);
    check("beta-ignored", 1, &["wrong"]);
}

#[test]
fn deaths_are_named() {
    check("segv", 3, &["segv", "SIGSEGV"]);
    check("abort", 3, &["abort", "SIGABRT"]);
    check("exit", 3, &["exit", "code 3"]);
    check("exit-in-load", 3, &["exit-in-load", "127"]);
}

#[test]
fn a_hang_ends_at_the_deadline() {
    check("hang", 3, &["hang", "did not answer within 2 s"]);
    check("hang-in-load", 3, &["hang-in-load", "did not answer within 2 s"]);
}

#[test]
fn what_a_library_prints_does_not_reach_the_results() {
    let (workplace, ran) = run("chatty", &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(outcomes(&workplace).iter().all(|o| o["status"] == "measured"));
}
