//! Every benchmark runs under every library that is here, and its answer is right.

use crate::job::{self, Job, Mpi};

/// The smallest points of everything, a few samples each.
const SMALLEST: &str = "run mpi --loops 2 --quiet --out r";

fn check(mpi: &Mpi, ranks: u32) {
    let job = Job::new();
    let (sizes, samples) = if ranks > 2 { ("3", job::ONE_SAMPLE) } else { ("1,3", "--reps 3") };
    let args = format!("{SMALLEST} --set n={sizes} {samples}");
    let ran = job.paw(mpi, ranks, &args);
    assert_eq!(ran.code, 0, "{} on {ranks} ranks: {}{}", mpi.name, ran.out, ran.err);
    // Open MPI gives ranks a terminal, also where its own output is a pipe.
    assert!(!ran.out.contains('\u{1b}'), "no styles in a pipe: {}", ran.out);
    let outcomes = job.lines("r", "outcome");
    let cells = job.lines("r", "cell");
    assert!(!cells.is_empty() && cells.len() == outcomes.len());
    for (cell, outcome) in cells.iter().zip(&outcomes) {
        let name = cell["benchmark"].as_str().unwrap();
        assert_ne!(outcome["status"], "failed", "{name} on {ranks} ranks of {}: {outcome}", mpi.name);
        assert_eq!(cell["provider"], mpi.name);
        if outcome["status"] == "measured" {
            assert_eq!(outcome["check"]["verdict"], "pass", "{name}: {outcome}");
        } else {
            let why = outcome["why"].as_str().unwrap();
            let known = [
                "and this job has",
                "has no MPI_",
                "a job of its own",
                "do not divide into",
                "started again (pmodels/mpich#7078)",
            ];
            assert!(known.iter().any(|reason| why.contains(reason)), "{name} is skipped for a reason: {why}");
        }
    }
}

#[test]
fn two_ranks_of_debians_libraries() {
    job::debian().iter().for_each(|mpi| check(mpi, 2));
}

#[test]
fn three_ranks_of_debians_libraries() {
    job::debian().iter().for_each(|mpi| check(mpi, 3));
}

#[test]
fn four_ranks_of_debians_libraries() {
    job::debian().iter().for_each(|mpi| check(mpi, 4));
}

/// The benchmarks of a cluster's links, which their names alone select.
#[test]
fn every_link_and_loaded_ones_of_debians_libraries() {
    for mpi in job::debian() {
        let job = Job::new();
        let ran = job.paw(&mpi, 4, "run pair_matrix congestion bisection --set n=3 --loops 2 --reps 2 --quiet --out r");
        assert_eq!(ran.code, 0, "{}: {}{}", mpi.name, ran.out, ran.err);
        let outcomes = job.lines("r", "outcome");
        assert_eq!(outcomes.len(), 3 * 2 + 3 + 5, "rounds, loads and cuts");
        for outcome in outcomes {
            assert_eq!(outcome["check"]["verdict"], "pass", "{}: {outcome}", mpi.name);
        }
        let ranks = job.lines("r", "samples").iter().filter(|part| part["extra"]["rank_3_s"].is_array()).count();
        assert!(ranks >= 6, "every rank's own time is kept in every round: {ranks}");
    }
}

#[test]
fn two_and_four_ranks_of_libraries_from_wheels() {
    for mpi in job::wheels() {
        check(&mpi, 2);
        check(&mpi, 4);
    }
}
