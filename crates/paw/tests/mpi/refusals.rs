//! What cannot be measured is refused in one sentence, once.

use crate::job::{self, Job};

/// How often `words` stand in `text`.
fn count(text: &str, words: &str) -> usize {
    text.matches(words).count()
}

#[test]
fn latency_wants_two_ranks() {
    for mpi in job::debian() {
        let ran = Job::new().paw(&mpi, 3, "run latency");
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert_eq!(count(&ran.err, "latency needs exactly 2 ranks, and this job has 3"), 1, "{}", ran.err);
    }
}

#[test]
fn pairs_want_an_even_number_of_ranks() {
    for mpi in job::debian() {
        let ran = Job::new().paw(&mpi, 3, "run p2p_send");
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert_eq!(count(&ran.err, "p2p_send needs an even number of ranks"), 1, "{}", ran.err);
    }
}

#[test]
fn the_hint_has_a_number_of_ranks_that_suits() {
    for mpi in job::debian() {
        let ran = Job::new().paw(&mpi, 3, "run congestion");
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains("mpirun -n 4 paw run congestion"), "{}", ran.err);
        let job = Job::new();
        let ran = job.paw(&mpi, 3, "run congestion barrier --set load=none --reps 6 --quiet --out r");
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let skipped = job.lines("r", "outcome").into_iter().find(|outcome| outcome["status"] == "skipped").unwrap();
        assert!(skipped["why"].as_str().unwrap().ends_with("hint: mpirun -n 4 paw run congestion"), "{skipped}");
    }
}

#[test]
fn what_one_process_measures_is_not_measured_by_two() {
    for mpi in job::debian() {
        let ran = Job::new().paw(&mpi, 2, "run dgemm");
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert_eq!(count(&ran.err, "dgemm is measured by one process, and 2 were started"), 1, "{}", ran.err);
    }
}

#[test]
fn a_mistyped_name_is_reported_once() {
    for mpi in job::debian() {
        let ran = Job::new().paw(&mpi, 2, "run latncy");
        assert_eq!(count(&ran.err, "did you mean `latency`?"), 1, "{}", ran.err);
    }
}

#[test]
fn a_library_of_another_launcher_is_named() {
    let [openmpi, mpich] = &job::debian()[..] else { return };
    let libraries = [(openmpi, "libmpich.so.12"), (mpich, "libmpi.so.40")];
    for (mpi, library) in libraries {
        let ran = Job::new().paw_with(mpi, 2, &[("PAW_MPI_LIBRARY", library)], "run latency");
        assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
        assert_eq!(count(&ran.err, "paw: "), 1, "one sentence from all ranks: {}", ran.err);
        assert!(ran.err.contains(library) || ran.err.contains("MPICH") || ran.err.contains("Open MPI"), "{}", ran.err);
    }
}

#[test]
fn a_rank_whose_library_is_missing_says_so() {
    for mpi in job::debian() {
        let job = Job::new();
        let ran = job.paw_apart(&mpi, "PAW_MPI_LIBRARY=/nowhere/libmpi.so", "run latency --reps 3 --out r");
        // Launchers have a code of their own where a rank leaves before MPI has begun.
        assert_ne!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert_eq!(count(&ran.err, "paw: rank 1: no MPI library"), 1, "{}", ran.err);
        assert!(ran.err.contains("/nowhere/libmpi.so") && !ran.err.contains("fit the launcher"), "{}", ran.err);
        assert!(!job.path("r").exists(), "nothing was measured: {}", ran.err);
    }
}

#[test]
fn ranks_with_other_plans_are_reported_before_anything_is_measured() {
    for mpi in job::debian() {
        let job = Job::new();
        let ran = job.paw_apart(&mpi, "MAX_P2P_SIZE=2", "run p2p_send --reps 3 --out r");
        assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
        assert_eq!(count(&ran.err, "rank 1: its plan is not that of rank 0"), 1, "{}", ran.err);
        assert!(!job.path("r").exists(), "{}", ran.err);
    }
}
