//! A rank that dies ends the job, and what was measured is on disk.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::PoisonError;

use crate::job::{self, Job, PAW, TURN};

/// A job that nobody waits for.
const ENDLESS: &str = "run p2p_send --set n=1,2 --reps 4000000000 --quiet --out r";

fn started(job: &Job, mpi: &job::Mpi) -> Child {
    let mut command = job.command(mpi, 2, &[], ENDLESS);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let path = job.path("r/run.jsonl");
    while !fs::read_to_string(&path).is_ok_and(|text| text.contains("\"measure\"")) {
        std::thread::yield_now();
    }
    child
}

/// Process numbers of the ranks that work in `directory`, with their rank.
fn ranks(directory: &Path) -> Vec<(u32, u32)> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let here = |pid: u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == directory);
    let is_paw = |pid: u32| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == Path::new(PAW));
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let ours = pids.filter(|pid| here(*pid) && is_paw(*pid));
    ours.filter_map(|pid| Some((pid, rank(pid)?))).collect()
}

fn rank(pid: u32) -> Option<u32> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let variables = environment.split(|byte| *byte == 0).filter_map(|text| std::str::from_utf8(text).ok());
    let value =
        |name: &str| variables.clone().find_map(|text| text.strip_prefix(name)?.strip_prefix('=')?.parse().ok());
    value("OMPI_COMM_WORLD_RANK").or_else(|| value("PMI_RANK"))
}

fn kill(signal: &str, pid: u32) {
    assert!(Command::new("/bin/sh").args(["-c", &format!("kill -{signal} {pid}")]).status().unwrap().success());
}

#[test]
fn a_killed_rank_costs_nothing_that_was_measured() {
    for mpi in job::debian() {
        for victim in [0, 1] {
            let job = Job::new();
            let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
            let mut child = started(&job, &mpi);
            let home = job.path("").canonicalize().unwrap();
            let ranks = ranks(&home);
            let (pid, _) = ranks.iter().find(|(_, rank)| *rank == victim).expect("the rank is there");
            kill("KILL", *pid);
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
        let home = job.path("").canonicalize().unwrap();
        let ranks = ranks(&home);
        let (root, _) = ranks.iter().find(|(_, rank)| *rank == 0).expect("the root is there");
        kill("TERM", *root);
        // A rank that was left behind in the second group would be ended as lost, by another code.
        assert_eq!(child.wait().unwrap().code(), Some(143), "{}", mpi.name);
        let end = job.lines("r", "end").pop().expect("the run has an end");
        assert_eq!((&end["state"], &end["exit"]), (&"interrupted".into(), &143.into()), "{}", mpi.name);
    }
}
