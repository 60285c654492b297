//! What paw tells of a link whose delay and rate are known.

use two_hosts::job::HostJob;
use two_hosts::link::{FREE, Link};

use crate::cluster::{Cluster, PATIENCE, libraries};

#[test]
fn every_rank_is_on_the_host_that_it_runs_on() {
    for library in libraries() {
        let cluster = Cluster::joined_by(FREE);
        let ran =
            cluster.paw(&HostJob { of_a_host: 2, variables: PATIENCE, ..HostJob::of(library) }, "run barrier --reps 3");
        ran.assert_whole(library);
        let team = &cluster.lines("team")[0];
        let hosts: Vec<_> =
            team["ranks"].as_array().unwrap().iter().map(|rank| rank["host"].as_str().unwrap()).collect();
        assert_eq!(hosts, ["node-a", "node-a", "node-b", "node-b"], "{library:?}");
    }
}

#[test]
fn no_message_is_told_faster_than_its_link() {
    const DELAY_S: f64 = 5e-3;
    for library in libraries() {
        let cluster = Cluster::joined_by(Link::of_delay_us(5000));
        let ran = cluster.paw(
            &HostJob { variables: PATIENCE, ..HostJob::of(library) },
            "run latency --sync barrier --reps 6 --loops 2",
        );
        ran.assert_whole(library);
        // An iteration is a message there and one back; three scheduling slices of a busy machine at most are added.
        let one_way_s = cluster.fastest_s() / 2.0;
        assert!((DELAY_S..DELAY_S + 12e-3).contains(&one_way_s), "{library:?}: {one_way_s} s");
    }
}

#[test]
fn no_message_is_told_to_carry_more_than_its_link() {
    let link = Link::of_rate(100e6);
    for library in libraries() {
        let cluster = Cluster::joined_by(link);
        let ran = cluster.paw(
            &HostJob { variables: PATIENCE, ..HostJob::of(library) },
            "run p2p_send --set n=131072 --sync barrier --reps 4 --loops 4",
        );
        ran.assert_whole(library);
        let bytes_per_s = 8.0 * 131_072.0 / cluster.fastest_s();
        let known = link.payload_rate();
        // A busy machine carries less.
        assert!((0.2 * known..1.02 * known).contains(&bytes_per_s), "{library:?}: {bytes_per_s} B/s of {known}");
    }
}
