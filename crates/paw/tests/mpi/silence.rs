//! A rank that dies, hangs, fails or gets something wrong costs what it must, and nothing that was measured.

use std::sync::PoisonError;
use std::time::Duration;

use crate::fault;
use crate::job::{self, Job, Ran, TURN};
use crate::mock;

/// Ends by itself within a second, where nothing goes wrong.
const SHORT: &str = "run p2p_send --set n=1,1024 --reps 30 --loops 20 --quiet";

/// Seconds that ranks wait for each other here, so that nobody waits for the ten that are usual.
const DEADLINE: (&str, &str) = ("PAW_DEADLINE", "3");

/// Deadline and a second later all ranks are to be gone. One that waited ten seconds more would pass this, however quickly the job began.
const ALL_GONE: Duration = Duration::from_secs(13);

const SILENT: &str = "a rank no longer answered";

/// What must be there after something befell a rank while it was timed: `why` in the outcome, and what was measured before.
fn check(fault: (&str, &str), why: &str, job: &Job, ran: &Ran) {
    let outcomes = job.lines("r", "outcome");
    assert_eq!(outcomes.len(), job.lines("r", "cell").len(), "{fault:?}: every cell that began has an outcome");
    // Those that the job did not come to follow.
    let last = outcomes.iter().rfind(|outcome| outcome["status"] != "skipped").unwrap();
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

/// By the mock, whose launcher leaves rank 0 the time to say that a rank died: the real ones kill it at once.
#[test]
fn a_rank_that_dies_ends_the_job() {
    let fault = ("MOCK_MPI_DIE", "1:MPI_Send:200");
    let job = Job::new();
    let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let ended = mock::launch(&job, 2, &[fault, DEADLINE], SHORT).limit(ALL_GONE).run().unwrap();
    assert!(!ended.timed_out, "no rank stays");
    assert_eq!(ended.ranks[0].status.code(), Some(3));
    check(fault, SILENT, &job, &mock::ran(&ended));
}

#[test]
fn a_call_that_hangs_or_fails_ends_the_job() {
    let faults = [
        (("PMPI_HANG", "1:MPI_Send:200"), SILENT),
        (("PMPI_FAIL", "1:MPI_Send:200"), "rank 1: MPI_Send"),
        (("PMPI_FAIL", "0:MPI_Send:200"), "rank 0: MPI_Send"),
        (("PMPI_FAIL", "1:MPI_Allreduce:60"), "rank 1: MPI_Allreduce"),
    ];
    for (mpi, (fault, why)) in job::debian().iter().flat_map(|mpi| faults.map(|fault| (mpi, fault))) {
        let job = Job::new();
        let ran = fault::paw(&job, mpi, &[fault, DEADLINE], SHORT);
        assert_ne!(ran.code, 0, "{}: the launcher says that ranks ended badly", mpi.name);
        check(fault, why, &job, &ran);
    }
}

#[test]
fn a_library_that_does_not_finalize_costs_nothing() {
    for mpi in job::debian() {
        let job = Job::new();
        let ran = fault::paw(&job, &mpi, &[("PMPI_HANG", "1:MPI_Finalize:1"), DEADLINE], SHORT);
        let told = "all 2 ranks are alive, and MPI_Finalize does not return";
        assert_eq!(ran.err.matches(told).count(), 1, "{}: {}", mpi.name, ran.err);
        assert!(job.lines("r", "outcome").iter().all(|outcome| outcome["status"] == "measured"), "{}", mpi.name);
        assert_eq!((&job.lines("r", "end")[0]["exit"], job.path("r/.rendezvous").exists()), (&0.into(), false));
    }
}

#[test]
fn a_wrong_message_fails_its_cell_alone() {
    for mpi in job::debian() {
        let job = Job::new();
        let ran = fault::paw(&job, &mpi, &[("PMPI_CORRUPT", "1:400+:4096")], SHORT);
        assert_eq!(ran.code, 1, "{}: {}{}", mpi.name, ran.out, ran.err);
        let outcomes = job.lines("r", "outcome");
        assert_eq!(outcomes[0]["status"], "measured", "{}", outcomes[0]);
        let why = outcomes[1]["why"].as_str().unwrap();
        assert!(outcomes[1]["status"] == "failed" && why.contains("rank 1: element 512 of 1024 is"), "{}", outcomes[1]);
    }
}

#[test]
fn a_message_that_is_wrong_from_the_start_is_not_timed() {
    for mpi in job::debian() {
        let job = Job::new();
        let args = "run p2p_send --set n=1,1024,2048 --reps 4 --quiet";
        let ran = fault::paw(&job, &mpi, &[("PMPI_CORRUPT", "0:1+:4096")], args);
        assert_eq!(ran.code, 1, "{}: a wrong answer: {}{}", mpi.name, ran.out, ran.err);
        let outcomes = job.lines("r", "outcome");
        assert_eq!(outcomes[0]["status"], "measured", "{}", outcomes[0]);
        // The ranks are in step after a wrong message, so that the next cell is tried too.
        for wrong in &outcomes[1..=2] {
            let why = wrong["why"].as_str().unwrap();
            assert!(why.contains("wrong answer: before anything was timed, rank 0: element"), "{why}");
            assert_eq!((&wrong["status"], &wrong["check"]["verdict"]), (&"failed".into(), &"fail".into()), "{wrong}");
        }
    }
}

#[test]
fn a_rank_that_goes_silent_before_the_first_cell_is_reported() {
    // The first messages of the self-test and of the rank map are fewer; those of the first cell's check come later.
    for mpi in job::debian() {
        let job = Job::new();
        let ran = fault::paw(&job, &mpi, &[("PMPI_HANG", "1:MPI_Recv:2"), DEADLINE], SHORT);
        assert_ne!(ran.code, 0, "{}: {}{}", mpi.name, ran.out, ran.err);
        assert_eq!(ran.err.matches(SILENT).count(), 1, "{}: {}", mpi.name, ran.err);
        assert_eq!(job.lines("r", "end")[0]["exit"], 3);
    }
}

#[test]
fn a_rank_that_breaks_before_the_first_cell_says_so() {
    for mpi in job::debian() {
        let job = Job::new();
        let ran = fault::paw(&job, &mpi, &[("PMPI_FAIL", "1:MPI_Recv:2"), DEADLINE], SHORT);
        assert_ne!(ran.code, 0, "{}: {}{}", mpi.name, ran.out, ran.err);
        assert_eq!(ran.err.matches("paw: rank 1: MPI_Recv").count(), 1, "{}: {}", mpi.name, ran.err);
        assert_eq!(ran.err.matches("paw: rank 1 broke: the other ranks waited for it").count(), 1, "{}", ran.err);
        assert_eq!(job.lines("r", "end")[0]["exit"], 3);
    }
}
