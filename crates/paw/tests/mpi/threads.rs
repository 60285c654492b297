//! Threads of a rank that send at once need a processor each.

use crate::job::{self, Job};

#[test]
fn one_thread_of_each_rank_is_measured() {
    for mpi in job::debian() {
        let job = Job::new();
        let ran = job.paw(&mpi, 2, "run latency_threads --set pool=1 --set n=1 --reps 5 --loops 3 --quiet --out r");
        assert_eq!(ran.code, 0, "{}: {}{}", mpi.name, ran.out, ran.err);
        let outcome = &job.lines("r", "outcome")[0];
        assert_eq!(
            (&outcome["status"], &outcome["check"]["verdict"]),
            (&"measured".into(), &"pass".into()),
            "{outcome}"
        );
    }
}

#[test]
fn threads_that_would_take_turns_are_not_measured() {
    for mpi in job::debian() {
        let job = Job::new();
        // More than any machine has: what is waited for busily on one processor hands it over by time slices.
        let ran = job.paw(&mpi, 2, "run latency_threads --set pool=100000 --set n=1 --quiet --out r");
        assert_eq!(ran.code, 0, "{}: {}{}", mpi.name, ran.out, ran.err);
        let outcome = &job.lines("r", "outcome")[0];
        let why = outcome["why"].as_str().unwrap();
        assert!(outcome["status"] == "skipped" && why.contains("needs a processor for every thread"), "{outcome}");
    }
}

#[test]
fn threads_that_no_system_starts_are_refused_in_one_sentence() {
    for mpi in job::debian() {
        let job = Job::new();
        // As many as memory would hold the messages of.
        let ran = job.paw(&mpi, 2, "run latency_threads --set pool=100000000 --set n=1 --quiet --out r");
        assert_eq!(ran.code, 0, "{}: {}{}", mpi.name, ran.out, ran.err);
        let outcome = &job.lines("r", "outcome")[0];
        assert_eq!(outcome["status"], "skipped", "{outcome}");
        assert!(!ran.err.contains("a bug") && !ran.err.contains("allocation"), "{}: {}", mpi.name, ran.err);
    }
}
