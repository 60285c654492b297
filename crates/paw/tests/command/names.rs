//! Names that mean benchmarks, and names that do not.

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::workplace::{PAW, Workplace};

const PLAN: &str = "--set n=8 --provider embedded --threads 1 --dry-run";

/// Benchmarks of the plan, in order, without repetition.
fn planned(names: &str) -> Vec<String> {
    let ran = Workplace::new().paw(&format!("run {names} {PLAN} --format csv"));
    assert_eq!(ran.code, 0, "{}", ran.err);
    let mut names: Vec<_> = ran.out.lines().skip(1).filter(|line| line.contains(",subject,")).map(benchmark).collect();
    names.dedup();
    names
}

fn benchmark(line: &str) -> String {
    line.split(',').nth(1).unwrap().to_owned()
}

#[test]
fn a_name_is_a_benchmark_a_pattern_or_an_executable() {
    assert_eq!(planned("dgemm"), ["dgemm"]);
    assert_eq!(planned("blas_sgemm"), ["sgemm"]);
    assert_eq!(planned("?gemv"), ["dgemv", "sgemv"]);
    assert_eq!(planned("sgemv dgemv sgemv"), ["sgemv", "dgemv"]);
    assert_eq!(planned("blas"), ["dgemm", "sgemm", "dgemm_single", "dgemv", "sgemv", "bf16gemm", "int8gemm"]);
}

#[test]
fn a_link_named_like_an_executable_runs_it() {
    let workplace = Workplace::new();
    let started = |name: &str| {
        let link = workplace.path(name);
        symlink(PAW, &link).unwrap();
        let output = Command::new(&link).env_clear().args(PLAN.split(' ')).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
    };
    let (code, text) = started("blas_dgemv");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("dgemv"), "{text}");
    // Whatever devices are here, the plan names the benchmark.
    let (code, text) = started("gpu_in_pinned");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("gpu_in_pinned"), "{text}");
    let link = workplace.path("gpu_info");
    symlink(PAW, &link).unwrap();
    let output = Command::new(&link).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("device"), "PAW's name for a description of devices");
}

#[test]
fn an_executable_takes_its_threads_from_the_environment() {
    let workplace = Workplace::new();
    let plan = "--set n=8 --provider embedded --dry-run --format csv";
    let ran = workplace.paw_with(&[("OMP_NUM_THREADS", "1")], &format!("run blas_dgemm {plan}"));
    assert!(ran.err.contains("OMP_NUM_THREADS: 1 thread"), "{}", ran.err);
    assert!(!ran.out.contains("threads=2"), "{}", ran.out);
    let ours = workplace.paw_with(&[("OMP_NUM_THREADS", "1")], &format!("run dgemm {plan}"));
    assert_eq!(ours.err, "");
}

#[test]
fn an_unknown_name_is_met_with_the_nearest() {
    let workplace = Workplace::new();
    for args in ["run dgem", "list dgem"] {
        let ran = workplace.paw(args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args}");
        assert!(ran.err.contains("did you mean `dgemm`?"), "{args}: {}", ran.err);
    }
    assert_eq!(workplace.paw("run zz*").code, 6);
    assert!(workplace.paw("run gpu_info").err.contains("`paw machine` describes the devices"));
    assert!(workplace.names(".").is_empty(), "a refused run leaves nothing");
}
