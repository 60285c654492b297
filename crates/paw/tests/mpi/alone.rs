//! Too few ranks, or none: what to type instead.

use std::process::Command;

use crate::job::{self, Job, PAW};

#[test]
fn one_rank_has_no_partner() {
    for mpi in job::debian() {
        let job = Job::new();
        let ran = job.paw(&mpi, 1, "run latency --quiet --out r");
        assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("latency needs exactly 2 ranks, and this job has 1"), "{}", ran.err);
        assert!(ran.err.contains("mpirun -n 2 paw run latency"), "{}", ran.err);
        assert!(!job.path("r").exists(), "nothing was measured");
    }
}

#[test]
fn a_process_that_no_launcher_started_tells_the_command() {
    for (required, code) in [(None, 0), (Some("--require"), 4)] {
        let job = Job::new();
        let mut command = Command::new(PAW);
        command.current_dir(job.path("")).args(["run", "latency", "--quiet", "--out", "r"]).args(required);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let outcome = &job.lines("r", "outcome")[0];
        assert_eq!(outcome["status"], "skipped");
        assert!(outcome["why"].as_str().unwrap().ends_with("hint: mpirun -n 2 paw run latency"), "{outcome}");
    }
}
