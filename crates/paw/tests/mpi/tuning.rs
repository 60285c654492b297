//! Runs under different algorithms of a library, held against each other.

use std::process::Command;

use crate::job::{Job, PAW};
use crate::mock;

/// A run of the mock whose messages take `alpha_ns`, with a variable of a library that says so, in `name` of `job`.
fn run(job: &Job, name: &str, alpha_ns: &str, algorithm: Option<&str>) {
    let mut variables = vec![("MOCK_MPI_ALPHA_NS", alpha_ns)];
    variables.extend(algorithm.map(|value| ("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", value)));
    let ran = mock::paw(job, 2, &variables, "run allreduce --set cadence=isolated --set n=1 --reps 20 --quiet");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    std::fs::rename(job.path("r"), job.path(name)).unwrap();
}

fn tuning(job: &Job, runs: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(PAW).current_dir(job.path("")).args(["cluster", "tuning"]).args(runs).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code(), text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn algorithms_are_named_by_what_was_set() {
    let job = Job::new();
    run(&job, "default", "400000", None);
    run(&job, "ring", "50000", Some("ring"));
    let (code, said) = tuning(&job, &["default", "ring"]);
    // On a machine that is too busy for a sound number there is no table.
    match code {
        Some(0) => {
            assert!(said.contains("A = nothing set B = MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring"), "{said}");
            assert!(said.contains("B ") && said.contains("A takes at least"), "{said}");
        }
        _ => assert!(said.contains("no collective has a number of good or fair trust"), "{said}"),
    }
    let (code, said) = tuning(&job, &["default", "default"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the runs do not differ in a variable of their MPI library"), "{said}");
}
