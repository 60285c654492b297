//! Collectives between the ranks' devices: right where every rank has a device of its own, and a sentence where something is missing.

use serde_json::Value;

use crate::job::{Job, Ran};
use crate::mock;

/// Every benchmark, in place where it can be.
const ALL: &str = "run nccl_allreduce nccl_broadcast nccl_reduce nccl_allgather nccl_reduce_scatter nccl_alltoall nccl_sendrecv \
     --set n=1,1000 --set place=separate,in --set cadence=streaming --reps 3 --loops 2 --quiet";
/// Those that have their result in place, too.
const IN_PLACE: [&str; 5] =
    ["nccl_allreduce", "nccl_broadcast", "nccl_reduce", "nccl_allgather", "nccl_reduce_scatter"];
/// One cell.
const ONE: &str = "run nccl_allreduce --set n=1000 --set cadence=streaming --reps 3 --loops 2 --quiet";

/// Ranks under the mock, whose node has as many devices of CUDA as `MOCK_CUDA_DEVICES` says.
fn ran(job: &Job, ranks: usize, more: &[(&str, &str)], args: &str) -> Ran {
    let [cuda, nccl] = ["libmock_cuda.so", "libmock_nccl.so"].map(|file| mock::built(file).display().to_string());
    let usual = [("PAW_CUDA_LIBRARY", cuda.as_str()), ("PAW_NCCL_LIBRARY", &nccl), ("MOCK_CUDA_DEVICES", "4")];
    // The last of a name counts.
    mock::paw(job, ranks, &[&usual, more].concat(), args)
}

/// The outcome of the only cell.
fn only(job: &Job, ran: &Ran) -> Value {
    let outcomes = job.lines("r", "outcome");
    assert_eq!(outcomes.len(), 1, "{}{}", ran.out, ran.err);
    outcomes[0].clone()
}

/// Why the only cell was skipped.
#[track_caller]
fn skipped(ranks: usize, more: &[(&str, &str)]) -> String {
    let job = Job::new();
    let ran = ran(&job, ranks, more, ONE);
    let outcome = only(&job, &ran);
    assert_eq!((ran.code, &outcome["status"]), (0, &Value::from("skipped")), "{outcome} {}{}", ran.out, ran.err);
    outcome["why"].as_str().unwrap().to_owned()
}

#[test]
fn every_collective_is_right_and_names_its_library() {
    for ranks in [2, 3] {
        let job = Job::new();
        let ran = ran(&job, ranks, &[], ALL);
        let (cells, outcomes) = (job.lines("r", "cell"), job.lines("r", "outcome"));
        assert_eq!((ran.code, cells.len()), (0, 2 * (7 + IN_PLACE.len())), "{}{}", ran.out, ran.err);
        for (cell, outcome) in cells.iter().zip(&outcomes) {
            assert_eq!(outcome["check"]["verdict"], "pass", "{cell} {outcome}");
            assert_eq!((&cell["provider"], &cell["combine"]), (&Value::from("nccl"), &Value::from("slowest")));
            assert_eq!(cell["library"]["version"], "NCCL 2.27.3");
            assert!(cell["library"]["path"].as_str().unwrap().ends_with("libmock_nccl.so"), "{cell}");
            let [algorithm, bus] = ["bytes_algorithm", "bytes_bus"].map(|field| cell["work"][field].as_f64().unwrap());
            let (n, p) = (cell["point"]["n"].as_f64().unwrap(), ranks as f64);
            // nccl-tests, PERFORMANCE.md.
            let published = match cell["benchmark"].as_str().unwrap() {
                "nccl_allreduce" => (8.0 * n, 2.0 * (p - 1.0) / p),
                "nccl_allgather" | "nccl_reduce_scatter" | "nccl_alltoall" => (8.0 * n * p, (p - 1.0) / p),
                _ => (8.0 * n, 1.0),
            };
            assert_eq!(algorithm, published.0, "{cell}");
            assert!((bus / algorithm - published.1).abs() < 1e-12, "{cell}");
        }
    }
}

#[test]
fn calls_alone_are_timed_until_the_stream_is_done() {
    let job = Job::new();
    // Reading and writing what a copy of 8000 bytes reads and writes takes 8 ms each, after the call has returned.
    let args = "run nccl_allreduce --set n=1000 --reps 3 --loops 2 --quiet";
    let ran = ran(&job, 2, &[("MOCK_CUDA_DEVICE_GBS", "0.002")], args);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let cells = job.lines("r", "cell");
    assert_eq!(cells.len(), 2, "isolated and streaming: {}", ran.out);
    for cell in cells {
        let least_s = mock::least_s(&job, "r", &cell);
        assert!(least_s > 16e-3, "{least_s} {cell}");
    }
    // 8000 bytes in at least 16 ms; of two ranks, what crosses a link is as much.
    assert!(ran.out.contains("algbw") && ran.out.contains("busbw"), "{}", ran.out);
}

#[test]
fn a_wrong_byte_is_found_whatever_brings_it() {
    let job = Job::new();
    let ran = ran(&job, 2, &[("MOCK_NCCL_WRONG", "1")], ALL);
    let (cells, outcomes) = (job.lines("r", "cell"), job.lines("r", "outcome"));
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    for (cell, outcome) in cells.iter().zip(&outcomes) {
        // Rank 0 alone has a result of a reduction to it.
        let verdict = if cell["benchmark"] == "nccl_reduce" { "pass" } else { "fail" };
        assert_eq!(outcome["check"]["verdict"], verdict, "{cell} {outcome}");
    }
}

#[test]
fn ranks_that_share_a_device_are_refused_before_the_library_is_asked() {
    let why = skipped(3, &[("MOCK_CUDA_DEVICES", "2")]);
    for part in [
        "ranks 0 and 2 have the same device, Mock GPU on ",
        "0000:3b:00.0",
        "as many ranks on a node as it has devices",
    ] {
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn a_library_that_is_missing_or_another_one_says_what_to_do() {
    let why = skipped(2, &[("PAW_NCCL_LIBRARY", "/nowhere/libnccl.so.2")]);
    assert!(why.contains("/nowhere/libnccl.so.2") && why.contains("PAW_NCCL_LIBRARY"), "{why}");
    let mpi = mock::built("libmock_mpi.so").display().to_string();
    let why = skipped(2, &[("PAW_NCCL_LIBRARY", &mpi)]);
    assert!(why.contains("not NCCL of NCCL 2.7's interface or a later one: it has no nccl"), "{why}");
    let rccl = mock::built("libmock_rccl.so").display().to_string();
    let why = skipped(2, &[("PAW_NCCL_LIBRARY", &rccl)]);
    assert!(why.contains("devices of HIP, as RCCL does, and the devices here are CUDA's; name NCCL"), "{why}");
}

#[test]
fn a_node_without_devices_says_so() {
    let why =
        skipped(2, &[("PAW_CUDA_LIBRARY", "/nowhere/libcuda.so"), ("PAW_HIP_LIBRARY", "/nowhere/libamdhip64.so")]);
    assert!(why.contains("no device of CUDA or HIP is here"), "{why}");
}

#[test]
fn a_library_that_ends_the_process_costs_its_cells_alone() {
    let why = skipped(2, &[("MOCK_NCCL_KILL", "ncclGetUniqueId")]);
    assert!(why.contains("the library of collectives between devices ends the process"), "{why}");
    let why = skipped(2, &[("MOCK_NCCL_FAIL", "ncclCommInitRank")]);
    assert!(why.contains("ncclCommInitRank of NCCL 2.27.3 failed with 2 (unhandled system error"), "{why}");
}

#[test]
fn a_call_that_fails_is_told_in_the_librarys_words() {
    let job = Job::new();
    let args = ONE.replace("nccl_allreduce", "nccl_broadcast nccl_allreduce");
    let ran = ran(&job, 2, &[("MOCK_NCCL_FAIL", "ncclBroadcast")], &args);
    let outcomes = job.lines("r", "outcome");
    let why = outcomes[0]["why"].as_str().unwrap_or_default();
    let said = "ncclBroadcast of NCCL 2.27.3 failed with 2 (unhandled system error (run with NCCL_DEBUG=INFO for details)): ncclBroadcast was asked to fail";
    assert!(why.contains(said), "{outcomes:?} {}{}", ran.out, ran.err);
    assert_ne!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn amds_devices_communicate_by_rccl() {
    let [hip, rccl, nccl] =
        ["libmock_hip.so", "libmock_rccl.so", "libmock_nccl.so"].map(|file| mock::built(file).display().to_string());
    let here = [
        ("PAW_CUDA_LIBRARY", "/nowhere/libcuda.so"),
        ("PAW_HIP_LIBRARY", &hip),
        ("PAW_HIPRTC_LIBRARY", &hip),
        ("MOCK_HIP_DEVICES", "2"),
    ];
    let job = Job::new();
    let ran = ran(&job, 2, &[&here[..], &[("PAW_RCCL_LIBRARY", &rccl)]].concat(), ALL);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let (cells, outcomes) = (job.lines("r", "cell"), job.lines("r", "outcome"));
    assert!(!cells.is_empty() && outcomes.iter().all(|outcome| outcome["check"]["verdict"] == "pass"), "{}", ran.out);
    assert!(cells.iter().all(|cell| cell["provider"] == "rccl" && cell["library"]["version"] == "RCCL 2.27.3"));
    let why = skipped(2, &[&here[..], &[("PAW_RCCL_LIBRARY", &nccl)]].concat());
    assert!(why.contains("devices of CUDA, as NCCL does, and the devices here are HIP's; name RCCL"), "{why}");
}
