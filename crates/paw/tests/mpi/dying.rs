//! A rank that dies ends the job, and what was measured is on disk.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crate::fault;
use crate::job::{self, Job, PAW, TURN};
use crate::processes::{of_rank, ranks, send, until};

/// A job that nobody waits for.
const ENDLESS: &str = "run p2p_send --set n=1,2 --reps 4000000000 --quiet --out r";

fn started(job: &Job, mpi: &job::Mpi) -> Child {
    running(job, job.command(mpi, 2, &[], ENDLESS))
}

/// A job that has measured something.
fn running(job: &Job, mut command: Command) -> Child {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("something is measured", || job.has_measured());
    child
}

#[test]
fn a_killed_rank_costs_nothing_that_was_measured() {
    for mpi in job::debian() {
        for victim in [0, 1] {
            let job = Job::new();
            let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
            let mut child = started(&job, &mpi);
            let home = job.path("");
            send("KILL", of_rank(&home, victim));
            let status = child.wait().unwrap();
            assert!(!status.success(), "{}: the launcher says that a rank died", mpi.name);
            let opened =
                Command::new(PAW).current_dir(&home).args(["export", "r", "--format", "csv"]).output().unwrap();
            let csv = String::from_utf8(opened.stdout).unwrap();
            assert!(csv.lines().count() > 1, "{}: what was measured opens: {csv}", mpi.name);
        }
    }
}

#[test]
fn ranks_that_measure_leave_in_step_when_the_root_is_asked_to_stop() {
    for mpi in job::debian() {
        let job = Job::new();
        let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut child = started(&job, &mpi);
        send("TERM", of_rank(&job.path(""), 0));
        // A rank that was left behind in the second group would be ended as lost, by another code.
        assert_eq!(child.wait().unwrap().code(), Some(143), "{}", mpi.name);
        let end = job.lines("r", "end").pop().expect("the run has an end");
        assert_eq!((&end["state"], &end["exit"]), (&"interrupted".into(), &143.into()), "{}", mpi.name);
    }
}

/// Seconds that ranks wait for each other where one hangs, long enough for any start.
const DEADLINE: (&str, &str) = ("PAW_DEADLINE", "6");

#[test]
fn no_rank_stays_where_one_hangs() {
    for mpi in job::debian() {
        let job = Job::new();
        let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let args = "run barrier --set cadence=streaming --reps 4000000000 --quiet --out r";
        let mut child = running(&job, job.command(&mpi, 3, &[DEADLINE], args));
        send("STOP", of_rank(&job.path(""), 1));
        let began = Instant::now();
        assert!(!child.wait().unwrap().success(), "{}: the launcher says that ranks ended badly", mpi.name);
        // The deadline and a second; one that waited ten seconds more would pass this.
        assert!(began.elapsed() < Duration::from_secs(6 + 10), "{}: {:?}", mpi.name, began.elapsed());
        until("every rank is gone", || ranks(&job.path("")).is_empty());
        assert_eq!(job.lines("r", "end")[0]["exit"], 3);
        let outcome = job.lines("r", "outcome").pop().expect("the cell has an outcome");
        assert!(outcome["why"].as_str().unwrap().contains("a rank no longer answered"), "{outcome}");
    }
}

#[test]
fn a_request_to_stop_is_heard_while_the_library_does_not_return() {
    for mpi in job::debian() {
        let job = Job::new();
        let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let home = job.path("");
        let hang = [DEADLINE, ("PMPI_HANG", "1:MPI_Send:200"), ("PMPI_SIGN", home.to_str().unwrap())];
        let mut command = fault::command(&job, &mpi, &hang, "run p2p_send --set n=1 --reps 30 --loops 20 --quiet");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        until("rank 1 hangs", || job.path("rank-0001").exists());
        send("TERM", of_rank(&home, 0));
        assert!(!child.wait().unwrap().success(), "{}: the launcher says that ranks ended badly", mpi.name);
        let end = job.lines("r", "end").pop().expect("the run has an end");
        assert_eq!((&end["state"], &end["exit"]), (&"interrupted".into(), &143.into()), "{}", mpi.name);
        let outcome = &job.lines("r", "outcome")[0];
        assert_eq!((&outcome["status"], &outcome["ending"]), (&"measured".into(), &"interrupted".into()), "{outcome}");
        assert!(!job.lines("r", "samples").is_empty() && job.path("r/report.html").exists(), "{}", mpi.name);
    }
}

#[test]
fn a_key_pressed_in_the_launchers_terminal_saves_what_there_is() {
    for mpi in job::debian() {
        let job = Job::new();
        let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut child = job.terminal(&mpi, 2, ENDLESS).spawn().unwrap();
        until("something is measured", || job.has_measured());
        let mut keys = child.stdin.take().unwrap();
        keys.write_all(b"\x03").unwrap();
        keys.flush().unwrap();
        // Each launcher has a code of its own for a job that was interrupted; Hydra's may be 0.
        child.wait().unwrap();
        until("every rank is gone", || ranks(&job.path("")).is_empty());
        let end = job.lines("r", "end").pop().expect("the run has an end");
        // Open MPI's launcher makes of it what asks to end.
        let asked = end["exit"] == 130 || end["exit"] == 143;
        assert!(end["state"] == "interrupted" && asked, "{}: {end}", mpi.name);
        assert!(!job.lines("r", "samples").is_empty(), "{}", mpi.name);
    }
}
