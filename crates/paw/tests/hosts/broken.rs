//! What breaks on another host ends the job in time, with all that was measured and a sentence that names rank and node.

use std::path::Path;

use two_hosts::fault::{self, Fault, Signal};

use crate::cluster::{self, PAW, libraries, tool};

/// Seconds that ranks wait for each other here, so that nobody waits for the ten that are usual.
const DEADLINE_S: u32 = 2;
/// Seconds from the deadline to the end: ranks say that they are alive, rank 0 saves and shows, and the launcher ends all, for which Open
/// MPI 4.1 takes three; a busy machine takes as many again.
const ENDS_WITHIN_S: f64 = 7.0;
/// What is tried here; `two-hosts faults` tries all.
const SOME: [Fault; 3] = [Fault::Far(Signal::STOP), Fault::Near(Signal::STOP), Fault::LinkFrozen];

#[test]
fn whatever_breaks_the_job_ends_in_time_and_keeps_what_it_has() {
    for (library, fault) in libraries().into_iter().flat_map(|library| SOME.map(|fault| (library, fault))) {
        let _alone = cluster::turn();
        let ended = fault::befall(tool(), Path::new(PAW), library, fault, DEADLINE_S).expect("the job runs");
        let what = format!("{library:?}, {fault}: {}", ended.said);
        let limit_s = f64::from(DEADLINE_S) + ENDS_WITHIN_S;
        assert!(ended.seconds.is_some_and(|seconds| seconds < limit_s), "{what}: {:?} s", ended.seconds);
        assert_eq!(ended.left, 0, "{what}: processes are left");
        assert!(ended.lines("\"measure\"").len() >= ended.before, "{what}: samples are lost");
        let why = match fault {
            // Rank 0 saves what it can once its launcher lets it go on.
            Fault::Near(_) => continue,
            Fault::Far(_) => "rank 1 on node-b gave no sign of life",
            _ => "all 2 ranks are alive, so that the network between node-a and node-b",
        };
        let failed =
            ended.lines("\"outcome\"").into_iter().filter(|line| line.contains("\"failed\"")).collect::<Vec<_>>();
        assert!(failed.len() == 1 && failed[0].contains(why), "{what}: {failed:?}");
        assert_eq!(ended.lines("\"outcome\"").len(), ended.lines("\"line\":\"cell\"").len(), "{what}");
        assert!(ended.run.contains("not tried: the job ended before it"), "{what}: {}", ended.run);
        assert_eq!(ended.lines("\"line\":\"end\"").len(), 1, "{what}");
    }
}
