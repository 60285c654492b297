//! Collectives of each node are set against those of all ranks, under the mock, whose ranks pretend to live on several nodes.

use crate::job::Job;
use crate::mock;

/// Collectives that are called, made once, made of messages, and hidden behind a computation.
const ARGS: &str = "run allreduce allgatherv gather barrier bcast_persistent neighbor_alltoall iallreduce ibarrier --set scope=world,node --set cadence=streaming --set n=3 --reps 3 --loops 2 --quiet";

/// Runs on `ranks` ranks of `nodes` nodes; the job, for the files it left.
fn ran(ranks: usize, nodes: &str) -> Job {
    let job = Job::new();
    let ran = mock::paw(&job, ranks, &[("MOCK_MPI_NODES", nodes)], ARGS);
    assert_eq!(ran.code, 0, "{ranks} ranks on {nodes} nodes: {}{}", ran.out, ran.err);
    job
}

#[test]
fn every_node_is_right_by_itself() {
    // Answers are sums and patterns by rank: one of all ranks would be wrong for a node, and the other way round.
    for (ranks, nodes, of_a_node) in [(4, "2", 2), (2, "1", 2)] {
        let job = ran(ranks, nodes);
        let (cells, outcomes) = (job.lines("r", "cell"), job.lines("r", "outcome"));
        assert_eq!((cells.len(), outcomes.len()), (16, 16));
        for (cell, outcome) in cells.iter().zip(&outcomes) {
            assert_eq!(
                (&outcome["status"], &outcome["check"]["verdict"]),
                (&"measured".into(), &"pass".into()),
                "{cell}"
            );
            let expected = if cell["point"]["scope"] == "node" { of_a_node } else { ranks };
            assert_eq!(cell["point"]["ranks"], expected, "{cell}");
        }
    }
}

#[test]
fn nodes_that_cannot_be_one_number_are_skipped_with_the_reason() {
    for (ranks, nodes, words) in [(2, "2", "a node holds one rank"), (5, "2", "nodes hold 2 to 3 ranks")] {
        let job = ran(ranks, nodes);
        let cells = job.lines("r", "cell");
        for (cell, outcome) in cells.iter().zip(job.lines("r", "outcome")) {
            let is_node = cell["point"]["scope"] == "node";
            assert_eq!(outcome["status"], if is_node { "skipped" } else { "measured" }, "{cell}: {outcome}");
            assert!(!is_node || outcome["why"].as_str().unwrap().contains(words), "{outcome}");
        }
    }
}
