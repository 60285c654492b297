//! What a library refuses on all ranks costs its cells alone.

use two_hosts::job::{HostJob, Library};
use two_hosts::link::FREE;

use crate::cluster::{Cluster, PATIENCE, libraries};

const SOME: &str = "run p2p_put p2p_get_fence latency barrier --set n=1 --set cadence=streaming --reps 2 --loops 2";

#[test]
fn windows_that_are_refused_leave_the_other_cells_and_name_their_cure() {
    if !libraries().contains(&Library::OpenMpi) {
        return;
    }
    let cluster = Cluster::joined_by(FREE);
    let ran = cluster.paw(&HostJob { variables: PATIENCE, ..HostJob::of(Library::OpenMpi) }, SOME);
    let outcomes = cluster.lines("outcome");
    let is = |status: &str| outcomes.iter().filter(|outcome| outcome["status"] == status).collect::<Vec<_>>();
    assert_eq!((is("failed").len(), is("measured").len(), outcomes.len()), (2, 2, 4), "{}{}", ran.out, ran.err);
    for outcome in is("failed") {
        let why = outcome["why"].as_str().unwrap();
        assert!(
            why.contains("rank 0 on node-a") && why.contains("MPI_Win_create") && why.contains("--mca osc pt2pt"),
            "{why}"
        );
    }
    let end = &cluster.lines("end")[0];
    assert_eq!((&end["state"], &end["exit"]), (&"done".into(), &3.into()));
}

#[test]
fn the_cure_of_refused_windows_works() {
    for library in libraries() {
        let cluster = Cluster::joined_by(FREE);
        let flags = if library == Library::OpenMpi { "--mca osc pt2pt" } else { "" };
        let ran = cluster.paw(&HostJob { flags, variables: PATIENCE, ..HostJob::of(library) }, SOME);
        ran.assert_whole(library);
        assert!(cluster.lines("outcome").iter().all(|outcome| outcome["status"] == "measured"), "{library:?}");
    }
}
