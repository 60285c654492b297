//! Every benchmark of messages finds out when what it received is not what was sent. By the mock: what arrives within a collective
//! call or in a window passes no tool.

use std::collections::BTreeSet;

use crate::job::Job;
use crate::mock;

/// Messages longer than anything that ranks agree on, so that payloads of benchmarks alone are corrupted.
const LONG: &str = "run mpi --set n=1024 --reps 2 --loops 1 --quiet";

/// The benchmarks that have a cell with this verdict, while payloads that arrive at `rank` and are `which` have a wrong byte.
fn of_verdict(verdict: &str, rank: u32, which: &str, args: &str) -> BTreeSet<String> {
    let job = Job::new();
    let ran = mock::paw(&job, 2, &[("MOCK_MPI_CORRUPT", &format!("{rank}:{which}"))], args);
    let (cells, outcomes) = (job.lines("r", "cell"), job.lines("r", "outcome"));
    assert!(!cells.is_empty() && cells.len() == outcomes.len(), "{}{}", ran.out, ran.err);
    let pairs = cells.iter().zip(&outcomes).filter(|(_, outcome)| outcome["check"]["verdict"] == verdict);
    pairs.map(|(cell, _)| cell["benchmark"].as_str().unwrap().to_owned()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().flat_map(|names| names.split(' ')).map(ToOwned::to_owned).collect()
}

/// Both ranks receive.
const EVERYWHERE: &str = "allgather allgather_persistent allgatherv allreduce allreduce_persistent alltoall alltoall_persistent \
     alltoallv exchange iallgather iallgatherv iallreduce ialltoall ialltoallv ineighbor_alltoall ireduce_scatter multi_latency \
     neighbor_allgather neighbor_alltoall p2p_isend p2p_isend_bidir p2p_isend_ping p2p_mrate_bidir p2p_partitioned p2p_persistent p2p_send \
     reduce_scatter reduce_scatter_persistent";
/// The root and origins that read receive.
const AT_FIRST: &str = "col_acc col_acc_fence col_racc gather gather_persistent gatherv igather igatherv ireduce p2p_get \
     p2p_get_fence p2p_get_flush p2p_get_lock p2p_rget reduce reduce_persistent";
/// Those that are not the root, and targets that are written, receive.
const AT_SECOND: &str = "bcast bcast_persistent exscan ibcast iexscan iscan iscatter iscatterv p2p_mrate p2p_multitask p2p_put \
     p2p_put_fence p2p_put_flush p2p_put_lock p2p_rput scan scatter scatter_persistent scatterv";
/// Nothing, a byte or an integer arrives.
const SHORT: &str = "barrier barrier_persistent col_init col_session ibarrier latency p2p_accumulate p2p_compare_and_swap p2p_fetch_and_op";

#[test]
fn a_wrong_byte_is_found_wherever_a_message_arrives() {
    assert_eq!(of_verdict("fail", 0, "1+:5000", LONG), set(&[EVERYWHERE, AT_FIRST]));
    assert_eq!(of_verdict("fail", 1, "1+:5000", LONG), set(&[EVERYWHERE, AT_SECOND]));
}

#[test]
fn without_a_wrong_byte_all_of_them_are_right() {
    assert_eq!(of_verdict("pass", 7, "1+:5000", LONG), set(&[EVERYWHERE, AT_FIRST, AT_SECOND, SHORT]));
}

#[test]
fn a_wrong_byte_or_element_is_found_where_nothing_more_arrives() {
    for rank in [0, 1] {
        assert_eq!(of_verdict("fail", rank, "1+:=1", "run latency --reps 2 --loops 1 --quiet"), set(&["latency"]));
    }
    // The first operation on a window is that of the self-test.
    const ATOMIC: &str = "run p2p_accumulate p2p_fetch_and_op p2p_compare_and_swap --reps 2 --loops 1 --quiet";
    let fetched = ["p2p_fetch_and_op", "p2p_compare_and_swap"];
    assert_eq!(of_verdict("fail", 0, "2+:window:8", ATOMIC), set(&fetched));
    assert_eq!(of_verdict("fail", 1, "2+:window:8", ATOMIC), set(&[&fetched[..], &["p2p_accumulate"]].concat()));
}
