//! Messages whose elements lie apart in memory, and collectives whose result lies where the contribution was: right under every library,
//! and found out by the mock where a byte is wrong.

use crate::job::{self, Job, Mpi};
use crate::mock;

/// A ping-pong of each datatype.
const DATATYPES: &str =
    "run p2p_send --set datatype=contiguous,vector,indexed --set n=1,1000 --reps 3 --loops 2 --quiet";

/// Each cell's value on `axis` and the verdict of its check.
fn verdicts(job: &Job, axis: &str) -> Vec<(String, String)> {
    let (cells, outcomes) = (job.lines("r", "cell"), job.lines("r", "outcome"));
    assert!(!cells.is_empty() && cells.len() == outcomes.len());
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let pairs = cells.iter().zip(&outcomes);
    pairs.map(|(cell, outcome)| (word(&cell["point"][axis]), word(&outcome["check"]["verdict"]))).collect()
}

/// Every value of `axis` is measured by `args`, and right.
fn right(job: &Job, mpi: &Mpi, ranks: u32, args: &str, (axis, values): (&str, &[&str])) {
    let args = if ranks > 2 { args.replace("--reps 2", job::ONE_SAMPLE) } else { args.to_owned() };
    let ran = job.paw(mpi, ranks, &format!("{args} --out r"));
    assert_eq!(ran.code, 0, "{} on {ranks} ranks: {}{}", mpi.name, ran.out, ran.err);
    let found = verdicts(job, axis);
    for value in values {
        assert!(found.iter().any(|(of, _)| of == value), "{value} is measured by {}: {found:?}", mpi.name);
    }
    assert!(found.iter().all(|(_, verdict)| verdict == "pass"), "{} on {ranks} ranks: {found:?}", mpi.name);
}

#[test]
fn elements_with_gaps_arrive_under_every_library() {
    for mpi in job::debian().iter().chain(&job::wheels()) {
        right(&Job::new(), mpi, 2, DATATYPES, ("datatype", &["contiguous", "vector", "indexed"]));
    }
}

#[test]
fn a_wrong_byte_among_elements_with_gaps_is_found() {
    let job = Job::new();
    let args = DATATYPES.replace("n=1,1000", "n=1000");
    let ran = mock::paw(&job, 2, &[("MOCK_MPI_CORRUPT", "0:1+:5000")], &args);
    let found = verdicts(&job, "datatype");
    assert!(found.len() == 3 && found.iter().all(|(_, verdict)| verdict == "fail"), "{found:?}{}", ran.out);
    let whys = job.lines("r", "outcome");
    assert!(whys.iter().any(|outcome| outcome.to_string().contains("counting gaps, element")), "{whys:?}");
}

#[test]
fn messages_of_every_datatype_are_as_long() {
    let job = Job::new();
    let ran = mock::paw(&job, 2, &[], DATATYPES);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for cell in job.lines("r", "cell") {
        let n = cell["point"]["n"].as_f64().unwrap();
        assert_eq!(cell["work"]["bytes"].as_f64(), Some(2.0 * 8.0 * n), "{cell}");
    }
}

/// Every collective that has the axis, both ways.
const PLACES: &str = "run allgather allreduce alltoall exscan gather reduce reduce_scatter scan scatter \
     --set place=separate,in --set n=3 --reps 2 --loops 3 --quiet";

#[test]
fn results_in_place_are_right_under_every_library() {
    for mpi in job::debian().iter().chain(&job::wheels()) {
        right(&Job::new(), mpi, 3, PLACES, ("place", &["separate", "in"]));
    }
}

#[test]
fn a_wrong_byte_in_place_is_found() {
    let args = PLACES.replace("n=3", "n=1024").replace("separate,in", "in");
    let wrong = |rank: usize| {
        let job = Job::new();
        let ran = mock::paw(&job, 2, &[("MOCK_MPI_CORRUPT", &format!("{rank}:1+:5000"))], &args);
        let (cells, found) = (job.lines("r", "cell"), verdicts(&job, "place"));
        assert!(!found.is_empty(), "{}{}", ran.out, ran.err);
        let wrong = cells.iter().zip(&found).filter(|(_, (_, verdict))| verdict == "fail");
        let mut names: Vec<String> = wrong.map(|(cell, _)| cell["benchmark"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names.dedup();
        names
    };
    assert_eq!(wrong(0), ["allgather", "allreduce", "alltoall", "gather", "reduce", "reduce_scatter"]);
    assert_eq!(wrong(1), ["allgather", "allreduce", "alltoall", "exscan", "reduce_scatter", "scan", "scatter"]);
}

/// Every collective whose root may rotate.
const ROOTS: &str =
    "run bcast gather gatherv reduce scatter scatterv --set root=fixed,rotating --set n=3 --reps 2 --loops 3 --quiet";

#[test]
fn answers_of_rotating_roots_are_right_under_every_library() {
    for mpi in job::debian().iter().chain(&job::wheels()) {
        right(&Job::new(), mpi, 3, ROOTS, ("root", &["fixed", "rotating"]));
        let in_place = ROOTS.replace("run bcast", "run").replace(" gatherv", "").replace(" scatterv", "");
        let in_place = in_place.replace("--quiet", "--set place=in --quiet");
        right(&Job::new(), mpi, 2, &in_place, ("root", &["fixed", "rotating"]));
    }
}

#[test]
fn a_rotating_root_sends_what_a_fixed_one_only_receives() {
    let sent = |root: &str| -> f64 {
        let (job, counts) = (Job::new(), tempfile::tempdir().unwrap());
        let args = format!("run gather --set root={root} --set n=3 --reps 3 --loops 4 --quiet");
        let ran = mock::paw(&job, 3, &[("MOCK_MPI_COUNTS", counts.path().to_str().unwrap())], &args);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        let table = std::fs::read_to_string(counts.path().join("rank-0000.csv")).unwrap();
        let row: Vec<&str> =
            table.lines().find_map(|line| line.strip_prefix("MPI_Gather,")).unwrap().split(',').collect();
        row[1].parse::<f64>().unwrap() / row[0].parse::<f64>().unwrap()
    };
    assert_eq!(sent("fixed"), 0.0, "rank 0 receives in every call");
    let rotating = sent("rotating");
    assert!((0.55..0.75).contains(&rotating), "rank 0 sends in two calls of three: {rotating}");
}
