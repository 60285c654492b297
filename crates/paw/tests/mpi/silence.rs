//! A rank that dies, hangs, fails or gets something wrong under the mock costs what it must, and nothing that was measured.

use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use crate::job::{Job, Ran, TURN};
use crate::mock;

/// Ends by itself within a second, where nothing goes wrong.
const SHORT: &str = "run p2p_send --set n=1,1024 --reps 30 --loops 20 --quiet";

/// Seconds that ranks wait for each other here, so that nobody waits for the ten that are usual.
const DEADLINE: (&str, &str) = ("PAW_DEADLINE", "3");

/// Deadline and a second later all ranks are to be gone. One that waited ten seconds more would pass this, however quickly the job began.
const ALL_GONE: Duration = Duration::from_secs(13);

const SILENT: &str = "a rank no longer answered";

/// What must be there after something befell a rank while it was timed: `why` in the outcome, and what was measured before.
fn check(fault: (&str, &str), why: &str, job: &Job, ran: &Ran, leaders_code: i32) {
    assert_eq!(leaders_code, 3, "{fault:?}: {}{}", ran.out, ran.err);
    let outcomes = job.lines("r", "outcome");
    assert_eq!(outcomes.len(), job.lines("r", "cell").len(), "{fault:?}: every cell that began has an outcome");
    let last = outcomes.last().unwrap();
    assert_eq!(last["status"], "failed", "{fault:?}: {last}");
    assert!(last["why"].as_str().unwrap().starts_with(why), "{fault:?}: {last}");
    assert_eq!(ran.out.matches(why).count(), 1, "{fault:?} is reported once: {}", ran.out);
    // Rank 0 cannot hear a rank that broke, so that one says it itself.
    let cries = usize::from(why != SILENT);
    assert_eq!(ran.err.matches(&format!("paw: {why}")).count(), cries, "{fault:?}: {}", ran.err);
    assert!(!job.path("r/.rendezvous").exists(), "{fault:?}: the rendezvous directory is removed");
    assert!(!job.lines("r", "samples").is_empty(), "{fault:?}: what was measured is there");
    assert_eq!(job.lines("r", "end")[0]["exit"], 3, "{fault:?}");
    assert!(job.path("r/report.html").exists() && ran.out.contains("p2p_send"), "{fault:?}: {}", ran.out);
}

#[test]
fn a_rank_that_goes_silent_ends_the_job() {
    let faults = [
        (("MOCK_MPI_DIE", "1:MPI_Send:200"), SILENT),
        (("MOCK_MPI_HANG", "1:MPI_Send:200"), SILENT),
        (("MOCK_MPI_FAIL", "1:MPI_Send:200"), "rank 1: MPI_Send"),
        (("MOCK_MPI_FAIL", "0:MPI_Send:200"), "rank 0: MPI_Send"),
        (("MOCK_MPI_FAIL", "1:MPI_Allreduce:60"), "rank 1: MPI_Allreduce"),
    ];
    // They wait for the same seconds, so all at once.
    let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    thread::scope(|scope| {
        for (fault, why) in faults {
            scope.spawn(move || {
                let job = Job::new();
                let ended = mock::launch(&job, 2, &[fault, DEADLINE], SHORT).limit(ALL_GONE).run().unwrap();
                assert!(!ended.timed_out, "{fault:?}: no rank stays");
                check(fault, why, &job, &mock::ran(&ended), ended.ranks[0].status.code().unwrap_or(-1));
            });
        }
    });
}

#[test]
fn a_wrong_message_fails_its_cell_alone() {
    let job = Job::new();
    let ran = mock::paw(&job, 2, &[("MOCK_MPI_CORRUPT", "1:400+:4096")], SHORT);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    let outcomes = job.lines("r", "outcome");
    assert_eq!(outcomes[0]["status"], "measured", "{}", outcomes[0]);
    let why = outcomes[1]["why"].as_str().unwrap();
    assert!(outcomes[1]["status"] == "failed" && why.contains("rank 1: element 512 of 1024 is"), "{}", outcomes[1]);
}

#[test]
fn a_message_that_is_wrong_from_the_start_is_not_timed() {
    let job = Job::new();
    let ran =
        mock::paw(&job, 2, &[("MOCK_MPI_CORRUPT", "0:1+:4096")], "run p2p_send --set n=1,1024,2048 --reps 4 --quiet");
    assert_eq!(ran.code, 1, "a wrong answer: {}{}", ran.out, ran.err);
    let outcomes = job.lines("r", "outcome");
    assert_eq!(outcomes[0]["status"], "measured", "{}", outcomes[0]);
    // The ranks are in step after a wrong message, so that the next cell is tried too.
    for wrong in &outcomes[1..=2] {
        let why = wrong["why"].as_str().unwrap();
        assert!(why.contains("wrong answer: before anything was timed, rank 0: element"), "{why}");
        assert_eq!((&wrong["status"], &wrong["check"]["verdict"]), (&"failed".into(), &"fail".into()), "{wrong}");
    }
}

#[test]
fn a_rank_that_goes_silent_before_the_first_cell_is_reported() {
    let job = Job::new();
    // The first messages of the self-test and of the rank map are fewer; those of the first cell's check come later.
    let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let ended = mock::launch(&job, 2, &[("MOCK_MPI_HANG", "1:MPI_Recv:2"), DEADLINE], SHORT).run().unwrap();
    let ran = mock::ran(&ended);
    assert!(!ended.timed_out && ran.code == 3, "{}{}", ran.out, ran.err);
    assert_eq!(ran.err.matches(SILENT).count(), 1, "{}", ran.err);
    assert_eq!(job.lines("r", "end")[0]["exit"], 3);
}

#[test]
fn a_rank_that_breaks_before_the_first_cell_says_so() {
    let job = Job::new();
    let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let ended = mock::launch(&job, 2, &[("MOCK_MPI_FAIL", "1:MPI_Recv:2"), DEADLINE], SHORT).run().unwrap();
    let ran = mock::ran(&ended);
    assert!(!ended.timed_out && ran.code == 3, "{}{}", ran.out, ran.err);
    assert_eq!(ran.err.matches("paw: rank 1: MPI_Recv").count(), 1, "{}", ran.err);
    assert_eq!(ran.err.matches("paw: rank 1 broke: the other ranks waited for it").count(), 1, "{}", ran.err);
    assert_eq!(job.lines("r", "end")[0]["exit"], 3);
}
