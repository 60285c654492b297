//! Files that all ranks write and read: right under every library, found out where a byte is wrong, and gone afterwards.

use std::fs;

use crate::job::{self, Job, Ran};
use crate::mock;

const FILES: &str = "run file_write file_read --set n=1,1000 --reps 3 --loops 2 --quiet";

/// Verdicts of the checks of all cells.
fn verdicts(job: &Job) -> Vec<String> {
    let outcomes = job.lines("r", "outcome");
    outcomes.iter().map(|outcome| outcome["check"]["verdict"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Both benchmarks in all their forms were measured and right, and the run's directory holds the run alone.
fn whole(job: &Job, ran: &Ran, who: &str) {
    assert_eq!(ran.code, 0, "{who}: {}{}", ran.out, ran.err);
    let found = verdicts(job);
    assert!(found.len() == 16 && found.iter().all(|verdict| verdict == "pass"), "{who}: {found:?}{}", ran.out);
    let names = fs::read_dir(job.path("r")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with("ranks-")).collect();
    assert!(left.is_empty(), "{who}: {left:?}");
}

#[test]
fn what_one_rank_writes_another_reads() {
    for ranks in [2, 3] {
        let job = Job::new();
        whole(&job, &mock::paw(&job, ranks, &[], FILES), "mock");
    }
    for mpi in job::debian() {
        let job = Job::new();
        whole(&job, &job.paw(&mpi, 2, &format!("{FILES} --out r")), mpi.name);
    }
}

#[test]
fn a_wrong_byte_in_a_file_is_found() {
    let job = Job::new();
    let ran = mock::paw(&job, 2, &[("MOCK_MPI_CORRUPT", "1:1+:file")], FILES);
    assert!(verdicts(&job).iter().all(|verdict| verdict == "fail"), "{}", ran.out);
}

#[test]
fn what_the_page_cache_gives_is_not_said_to_come_from_storage() {
    let job = Job::new();
    let args = FILES.replace("file_write ", "").replace("n=1,1000", "n=131072");
    let ran = mock::paw(&job, 2, &[], &args);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let samples = job.lines("r", "samples");
    for cell in job.lines("r", "cell").iter().filter(|cell| cell["point"]["cache"] == "warm") {
        let own = samples.iter().filter(|part| part["cell"] == cell["id"] && part["phase"] == "measure");
        let shares: Vec<f64> = own
            .flat_map(|part| part["extra"]["from_storage"].as_array().cloned().unwrap_or_default())
            .map(|share| share.as_f64().unwrap())
            .collect();
        assert!(!shares.is_empty() && shares.iter().all(|share| *share < 0.5), "{shares:?} of {cell}");
    }
}
