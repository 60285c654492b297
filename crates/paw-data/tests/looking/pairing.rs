//! How close the ranks of a pair run.

use paw_data::cell::Rank;
use paw_data::pairing::{Closeness, counts, pairs};

fn rank(rank: u32, partner: u32, host: &str, package: Option<u32>, core: Option<u32>) -> Rank {
    Rank { rank, host: host.into(), cpus: vec![2 * rank, 2 * rank + 1], partner: Some(partner), package, core }
}

fn check(package: [Option<u32>; 2], core: [Option<u32>; 2], expected: Closeness) {
    let two = [rank(0, 1, "a", package[0], core[0]), rank(1, 0, "a", package[1], core[1])];
    let found = pairs(&two);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].first, found[0].second, found[0].closeness), (0, 1, expected));
}

#[test]
fn a_pair_is_classed_by_core_socket_and_node() {
    check([Some(0), Some(0)], [Some(3), Some(3)], Closeness::SameCore);
    check([Some(0), Some(0)], [Some(3), Some(4)], Closeness::SameSocket);
    check([Some(0), Some(0)], [None, None], Closeness::SameSocket);
    check([Some(0), Some(1)], [Some(3), Some(3)], Closeness::AcrossSockets);
    check([None, None], [None, None], Closeness::SameNode);
    check([Some(0), None], [Some(0), None], Closeness::SameNode);
    let apart = [rank(0, 1, "a", Some(0), Some(0)), rank(1, 0, "b", Some(0), Some(0))];
    assert_eq!(pairs(&apart)[0].closeness, Closeness::AcrossNodes);
}

#[test]
fn two_ranks_on_one_processor_share_a_core_whatever_else_is_known() {
    let on = |rank| Rank { rank, cpus: vec![5], partner: Some(1 - rank), ..Rank::default() };
    assert_eq!(pairs(&[on(0), on(1)])[0].closeness, Closeness::SameCore);
}

#[test]
fn each_pair_counts_once_and_a_missing_partner_makes_none() {
    let ranks: Vec<Rank> = (0..6).map(|r| rank(r, (r + 3) % 6, "a", Some(r / 3), Some(r))).collect();
    let found = pairs(&ranks);
    assert_eq!(found.iter().map(|p| (p.first, p.second)).collect::<Vec<_>>(), [(0, 3), (1, 4), (2, 5)]);
    assert_eq!(counts(&found), [(Closeness::AcrossSockets, 3)]);
    assert_eq!(pairs(&ranks[..3]), []);
    assert_eq!(pairs(&[Rank { partner: Some(0), ..Rank::default() }]), [], "no rank is its own partner");
    let one_sided = [Rank { partner: None, ..rank(0, 0, "a", None, None) }, rank(1, 0, "a", None, None)];
    assert_eq!(pairs(&one_sided).len(), 1, "named by one of both");
}
