//! Messages in parts, trains of messages, and sessions: right where the library has them, skipped in a sentence where it has not.

use crate::job::{self, Job};
use crate::mock;

const ARGS: &str = "run p2p_partitioned col_session --set n=8,1000 --set partitions=1,4 --reps 3 --loops 2 --quiet";

#[test]
fn messages_in_parts_and_sessions_are_right_where_they_are() {
    let job = Job::new();
    let ran = mock::paw(&job, 2, &[], ARGS);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let outcomes = job.lines("r", "outcome");
    assert!(
        outcomes.len() == 5 && outcomes.iter().all(|outcome| outcome["check"]["verdict"] == "pass"),
        "{outcomes:?}"
    );
    let mut right = 0;
    for mpi in job::debian() {
        let job = Job::new();
        let ran = job.paw(&mpi, 2, &format!("{ARGS} --out r"));
        assert_eq!(ran.code, 0, "{}: {}{}", mpi.name, ran.out, ran.err);
        for outcome in job.lines("r", "outcome") {
            let is_right = outcome["check"]["verdict"] == "pass";
            let is_absent = outcome["why"].as_str().is_some_and(|why| why.contains("has no MPI_"));
            assert!(is_right || is_absent, "{}: {outcome}", mpi.name);
            right += usize::from(is_right);
        }
    }
    assert!(right >= 5, "at least one library has both: {right}");
}

#[test]
fn parts_that_are_not_equal_are_refused_in_a_sentence() {
    let job = Job::new();
    let ran = mock::paw(&job, 2, &[], "run p2p_partitioned --set n=10 --set partitions=4 --reps 2 --quiet");
    let outcome = &job.lines("r", "outcome")[0];
    assert_eq!(outcome["status"], "skipped", "{}{}", ran.out, ran.err);
    assert!(outcome["why"].as_str().unwrap().contains("10 elements do not divide into 4 equal parts"), "{outcome}");
}

#[test]
fn trains_are_told_as_parameters_or_as_what_is_missing() {
    let job = Job::new();
    let ran = mock::paw(&job, 2, &[("MOCK_MPI_ALPHA_NS", "50000")], "run loggp --set n=1,64 --reps 8 --loops 2");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("LogGP: of messages of 8 B: L ") || words.contains("LogGP: two sizes are needed"),
        "{words}"
    );
    assert!(job.lines("r", "outcome").iter().all(|outcome| outcome["check"]["verdict"] == "pass"), "{words}");
}
