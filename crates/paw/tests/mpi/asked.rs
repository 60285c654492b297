//! One rank reports what cannot be done, and everything is printed once.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::sync::PoisonError;

use crate::job::{self, Job, TURN};

#[test]
fn a_message_that_memory_does_not_hold_is_skipped() {
    for mpi in job::debian() {
        let job = Job::new();
        let args = "run p2p_send --set n=1,1000000000000 --reps 2 --loops 1 --quiet --out r";
        let ran = job.paw(&mpi, 2, args);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let outcomes = job.lines("r", "outcome");
        assert_eq!(outcomes[0]["status"], "measured", "{}", outcomes[0]);
        let why = outcomes[1]["why"].as_str().unwrap();
        assert!(outcomes[1]["status"] == "skipped" && why.contains("GB of memory"), "{}", outcomes[1]);
    }
}

#[test]
fn nothing_of_a_size_is_refused_once() {
    let [openmpi, mpich] = &job::debian()[..] else { return };
    let asked = [("run p2p_mrate --set window=0", "--set window"), ("run p2p_send --set n=0", "--set n")];
    for (mpi, (args, words)) in [openmpi, mpich].into_iter().zip(asked) {
        let job = Job::new();
        let ran = job.paw(mpi, 2, args);
        assert_eq!(ran.code, 2, "{args}: {}", ran.err);
        assert_eq!(ran.err.matches(words).count(), 1, "{args}: {}", ran.err);
        assert!(ran.err.contains("at least 1 is needed") && !job.path("paw-results").exists(), "{}", ran.err);
    }
}

#[test]
fn ranks_without_a_processor_each_are_reported_on_every_record() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    // Hundreds of ranks would say no more than a few.
    if processors > 8 {
        return;
    }
    let ranks = (2 * processors) as u32;
    for mpi in job::debian() {
        let job = Job::new();
        let args = "run p2p_send barrier --set n=1 --reps 2 --loops 1 --quiet --out r";
        let ran = job.paw(&mpi, ranks, args);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        for outcome in job.lines("r", "outcome") {
            let caveats = outcome["caveats"].as_array().unwrap();
            assert!(caveats.iter().any(|caveat| caveat["id"] == "oversubscribed"), "{outcome}");
        }
    }
}

#[test]
fn plans_and_lists_are_printed_once() {
    for mpi in job::debian() {
        let job = Job::new();
        let plan = job.paw(&mpi, 2, "run latency p2p_send --set n=1 --dry-run");
        assert_eq!((plan.code, plan.out.matches("2 cells in 2 groups").count()), (0, 1), "{}{}", plan.out, plan.err);
        assert!(!job.path("paw-results").exists(), "a dry run leaves nothing");
        for args in ["list", "list latency", "--version"] {
            let alone = Job::new().paw(&mpi, 1, args);
            let ran = job.paw(&mpi, 2, args);
            assert_eq!(ran.code, 0, "{args}: {}", ran.err);
            assert_eq!(ran.out.lines().count(), alone.out.lines().count(), "{args} is printed once: {}", ran.out);
        }
    }
}

#[test]
fn a_reader_that_leaves_is_no_fault() {
    for mpi in job::debian() {
        let job = Job::new();
        let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut command = job.command(&mpi, 2, &[], "list");
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(1, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(!line.is_empty());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        child.wait().unwrap();
        assert!(!err.contains("panicked") && !err.contains("a bug"), "{}: {err}", mpi.name);
    }
}

#[test]
fn no_color_is_no_colour() {
    for mpi in job::debian() {
        let job = Job::new();
        let args = "run latency --reps 2 --loops 1 --out r";
        let ran = job.paw_with(&mpi, 2, &[("NO_COLOR", "1")], args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'), "{}: {}{}", mpi.name, ran.out, ran.err);
    }
}

#[test]
fn a_run_of_ranks_is_repeated_by_as_many() {
    for mpi in job::debian() {
        let job = Job::new();
        let ran = job.paw(&mpi, 2, "run p2p_send --set n=1 --reps 6 --loops 10 --quiet --out r");
        assert_eq!(ran.code, 0, "{}", ran.err);
        let out = job.path("s").display().to_string();
        let ran = job.paw(&mpi, 2, &format!("again r --out {out}"));
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert_eq!(ran.err.matches("repeating `").count(), 1, "rank 0 alone says it: {}", ran.err);
        let plan = |directory: &str| job.lines(directory, "run")[0]["plan"].clone();
        assert_eq!(plan("s"), plan("r"), "{}", mpi.name);
        let ran = job.paw(&mpi, 4, "again r");
        assert!(ran.err.contains("2 ranks measured it") && ran.err.contains("this job has 4"), "{}", ran.err);
        assert!(ran.err.contains("mpirun -n 2 paw again RUN") && ran.code != 0, "{}", ran.err);
    }
}
