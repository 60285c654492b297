//! Messages from the memory of devices: right where the library takes it, and a sentence where it does not, or would end the job.

use crate::job::{self, Job, Ran};
use crate::mock;

const ARGS: &str = "run p2p_send allreduce allgather --set buffer=host,device,managed --set n=1,1000 --set cadence=streaming --reps 3 --loops 2 --quiet";

/// Two ranks under the mock, whose node has two devices of CUDA, and whose library takes their memory as `takes` says.
fn ran(job: &Job, takes: Option<&str>, args: &str) -> Ran {
    let cuda = mock::built("libmock_cuda.so");
    let mut variables = vec![("PAW_CUDA_LIBRARY", cuda.to_str().unwrap())];
    variables.extend(takes.map(|word| ("MOCK_MPI_DEVICES", word)));
    mock::paw(job, 2, &variables, args)
}

/// What came of the cells whose messages lie in `buffer`: the check's verdict, or why they were skipped.
fn told(job: &Job, buffer: &str) -> Vec<String> {
    let (cells, outcomes) = (job.lines("r", "cell"), job.lines("r", "outcome"));
    let own = cells.iter().zip(&outcomes).filter(|(cell, _)| cell["point"]["buffer"] == buffer);
    let word = |outcome: &serde_json::Value| {
        let said = if outcome["status"] == "measured" { &outcome["check"]["verdict"] } else { &outcome["why"] };
        said.as_str().unwrap_or_default().to_owned()
    };
    own.map(|(_, outcome)| word(outcome)).collect()
}

#[test]
fn messages_from_a_device_are_right() {
    let job = Job::new();
    let ran = ran(&job, Some("1"), ARGS);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for buffer in ["host", "device", "managed"] {
        assert_eq!(told(&job, buffer), ["pass"; 6], "{buffer}: {}", ran.out);
    }
}

#[test]
fn every_kind_of_message_is_right_from_a_device() {
    let job = Job::new();
    let args = "run p2p_isend p2p_isend_bidir p2p_persistent p2p_mrate p2p_put p2p_get_lock allgatherv iallreduce ineighbor_alltoall \
                allreduce_persistent --set buffer=device --set n=1,1000 --set window=4 --set cadence=streaming --reps 3 --loops 2 --quiet";
    let ran = ran(&job, Some("1"), args);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(told(&job, "device"), ["pass"; 20], "{}", ran.out);
}

#[test]
fn a_window_whose_memory_the_library_allocates_is_not_on_a_device() {
    let job = Job::new();
    let args =
        "run p2p_put --set buffer=device --set flavor=create,allocate,shared --set n=8 --reps 3 --loops 2 --quiet";
    let ran = ran(&job, Some("1"), args);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let mut told = told(&job, "device");
    told.sort();
    assert_eq!(told[0], "pass", "{}", ran.out);
    assert!(told[1..].len() == 2 && told[1..].iter().all(|why| why.contains("--set flavor=create")), "{told:?}");
}

#[test]
fn a_library_that_takes_no_device_costs_its_cells_alone() {
    for (takes, why) in [(None, "takes no memory of cuda devices"), (Some("kill"), "ends the process that sends from")]
    {
        let job = Job::new();
        let ran = ran(&job, takes, ARGS);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert_eq!(told(&job, "host"), ["pass"; 6], "{}", ran.out);
        let skipped = told(&job, "device");
        assert!(skipped.len() == 6 && skipped.iter().all(|said| said.contains(why)), "{takes:?}: {skipped:?}");
    }
}

#[test]
fn a_node_without_devices_says_so() {
    for mpi in job::debian() {
        let job = Job::new();
        let args = "run p2p_send p2p_put p2p_accumulate --set buffer=device --set flavor=create --set n=1 --reps 2 --quiet --out r";
        let ran = job.paw_with(&mpi, 2, &[("PAW_CUDA_LIBRARY", "/nowhere/libcuda.so")], args);
        let outcomes = job.lines("r", "outcome");
        assert_eq!(outcomes.len(), 3, "{}: {}{}", mpi.name, ran.out, ran.err);
        for outcome in outcomes {
            assert_eq!(outcome["status"], "skipped", "{}: {}{}", mpi.name, ran.out, ran.err);
            assert!(outcome["why"].as_str().unwrap().contains("no device of CUDA, HIP or Level Zero"), "{outcome}");
        }
    }
}

/// The identifiers of caveats of cells whose messages lie in `buffer`.
fn caveats(job: &Job, buffer: &str) -> Vec<String> {
    let (cells, outcomes) = (job.lines("r", "cell"), job.lines("r", "outcome"));
    let own = cells.iter().zip(&outcomes).filter(|(cell, _)| cell["point"]["buffer"] == buffer);
    let all = own.filter_map(|(_, outcome)| outcome["caveats"].as_array()).flatten();
    all.map(|caveat| caveat["id"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn ranks_that_share_a_device_are_named_where_its_memory_is_used() {
    let cuda = mock::built("libmock_cuda.so");
    let shared = |devices: &str, buffer: &str| {
        let job = Job::new();
        let variables =
            [("PAW_CUDA_LIBRARY", cuda.to_str().unwrap()), ("MOCK_MPI_DEVICES", "1"), ("MOCK_CUDA_DEVICES", devices)];
        let args = "run p2p_send --set buffer=host,device --set n=8 --reps 3 --loops 2 --quiet";
        let ran = mock::paw(&job, 2, &variables, args);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert_eq!(told(&job, buffer), ["pass"], "{}", ran.out);
        caveats(&job, buffer).contains(&"shared-device".to_owned())
    };
    assert!(shared("1", "device") && !shared("1", "host") && !shared("2", "device"));
}

/// Sums and swaps in a window in a device's memory, and in the host's.
const UPDATES: &str = "run p2p_accumulate p2p_fetch_and_op p2p_compare_and_swap col_acc col_acc_fence col_racc --set buffer=host,device \
                       --set n=100 --set cadence=streaming --set flavor=create --reps 3 --loops 2 --quiet";

#[test]
fn a_window_in_a_devices_memory_is_updated_rightly() {
    let job = Job::new();
    let ran = ran(&job, Some("1"), UPDATES);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for buffer in ["host", "device"] {
        assert_eq!(told(&job, buffer), ["pass"; 6], "{buffer}: {}", ran.out);
    }
}

#[test]
fn a_library_that_dies_of_an_update_costs_those_cells_alone() {
    let job = Job::new();
    let ran = ran(&job, Some("kill-updates"), UPDATES);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(told(&job, "host"), ["pass"; 6], "{}", ran.out);
    let skipped = told(&job, "device");
    let says_why = |why: &String| why.contains("ends the process that updates a window in a device's memory");
    assert!(skipped.len() == 6 && skipped.iter().all(says_why), "{skipped:?}");
    // Messages from there are right nevertheless.
    let job = Job::new();
    let args = "run p2p_put --set buffer=device --set n=8 --set flavor=create --reps 3 --loops 2 --quiet";
    let ran = self::ran(&job, Some("kill-updates"), args);
    assert_eq!((ran.code, told(&job, "device")), (0, vec!["pass".to_owned()]), "{}{}", ran.out, ran.err);
}

#[test]
fn a_library_that_loses_an_update_costs_those_cells_alone() {
    let job = Job::new();
    let args = "run p2p_fetch_and_op --set buffer=host,device --set flavor=create --reps 3 --loops 2 --quiet";
    let ran = ran(&job, Some("lose-updates"), args);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(told(&job, "host"), ["pass"], "{}", ran.out);
    let [why] = &told(&job, "device")[..] else { panic!("one cell: {}", ran.out) };
    assert!(why.contains("updates a window in the memory of cuda0 wrongly"), "{why}");
}
