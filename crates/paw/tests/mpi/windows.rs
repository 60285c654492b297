//! Windows of every flavour: right under every library, found out by the mock where a byte is wrong, and refused in one sentence where
//! ranks do not share the memory.

use crate::job::{self, Job};
use crate::mock;

/// Every way to synchronise, and every flavour.
const FLAVORS: &str = "run p2p_get p2p_put p2p_get_fence p2p_put_fence p2p_rget p2p_rput p2p_get_flush p2p_put_flush p2p_get_lock \
     p2p_put_lock p2p_accumulate p2p_fetch_and_op p2p_compare_and_swap col_acc col_acc_fence col_racc \
     --set flavor=create,allocate,dynamic,shared --set n=1024 --reps 2 --loops 2 --quiet";

/// Each cell's benchmark, its flavour, and its outcome.
fn outcomes(job: &Job) -> Vec<(String, String, serde_json::Value)> {
    let (cells, outcomes) = (job.lines("r", "cell"), job.lines("r", "outcome"));
    assert!(!cells.is_empty() && cells.len() == outcomes.len());
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let pairs = cells.iter().zip(outcomes);
    pairs.map(|(cell, outcome)| (word(&cell["benchmark"]), word(&cell["point"]["flavor"]), outcome)).collect()
}

#[test]
fn windows_of_every_flavour_are_right_under_every_library() {
    for mpi in job::debian().iter().chain(&job::wheels()) {
        let job = Job::new();
        let ran = job.paw(mpi, 2, &format!("{FLAVORS} --out r"));
        assert_eq!(ran.code, 0, "{}: {}{}", mpi.name, ran.out, ran.err);
        let found = outcomes(&job);
        for flavor in ["create", "allocate", "dynamic", "shared"] {
            let of = found.iter().filter(|(_, of, outcome)| of == flavor && outcome["check"]["verdict"] == "pass");
            assert!(of.count() >= 14, "{}: {flavor} is measured: {found:?}", mpi.name);
        }
        for (name, flavor, outcome) in &found {
            assert_ne!(outcome["status"], "failed", "{name} of {flavor} under {}: {outcome}", mpi.name);
            assert_ne!(outcome["check"]["verdict"], "fail", "{name} of {flavor} under {}: {outcome}", mpi.name);
        }
    }
}

#[test]
fn a_wrong_byte_in_a_window_of_any_flavour_is_found() {
    let mut wrong = 0;
    for rank in [0, 1] {
        let job = Job::new();
        mock::paw(&job, 2, &[("MOCK_MPI_CORRUPT", &format!("{rank}:1+:5000"))], FLAVORS);
        let found = outcomes(&job);
        for (name, flavor, outcome) in &found {
            let reads = name.starts_with("p2p_get") || name == "p2p_rget" || name.starts_with("col_");
            let is_short = ["p2p_accumulate", "p2p_fetch_and_op", "p2p_compare_and_swap"].contains(&name.as_str());
            let expected = if !is_short && reads == (rank == 0) { "fail" } else { "pass" };
            assert_eq!(outcome["check"]["verdict"], expected, "{name} of {flavor} at rank {rank}: {outcome}");
            wrong += usize::from(expected == "fail");
        }
    }
    assert_eq!(wrong, (10 + 3 * 2) * 4, "every benchmark of long messages, sums in both cadences, with every flavour");
}

#[test]
fn ranks_of_several_nodes_are_told_that_they_share_no_memory() {
    let job = Job::new();
    let ran = mock::paw(&job, 2, &[("MOCK_MPI_NODES", "2")], FLAVORS);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for (name, flavor, outcome) in outcomes(&job) {
        if flavor == "shared" {
            let why = outcome["why"].as_str().unwrap();
            assert!(outcome["status"] == "skipped" && why.contains("needs all 2 ranks on one node"), "{name}: {why}");
        } else {
            assert_eq!(outcome["check"]["verdict"], "pass", "{name} of {flavor}: {outcome}");
        }
    }
}
