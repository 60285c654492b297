//! Which ranks are pairs, and how close to each other the two of a pair run.

use std::collections::BTreeMap;

use paw_sort::OrderBy;

use crate::cell::Rank;

/// How close two ranks run, from the closest to the farthest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Closeness {
    /// On one core: they take turns, or share its parts.
    SameCore,
    /// On different cores of one socket.
    SameSocket,
    /// On different sockets of one node.
    AcrossSockets,
    /// On one node, but free to move between its sockets, or nothing is known of where.
    SameNode,
    /// On different nodes.
    AcrossNodes,
}

impl Closeness {
    /// All values, from the closest to the farthest.
    pub const ALL: [Self; 5] =
        [Self::SameCore, Self::SameSocket, Self::AcrossSockets, Self::SameNode, Self::AcrossNodes];

    /// The closeness in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::SameCore => "same core: oversubscribed",
            Self::SameSocket => "same socket",
            Self::AcrossSockets => "across sockets",
            Self::SameNode => "same node, not bound",
            Self::AcrossNodes => "across nodes",
        }
    }

    /// The closeness of two ranks.
    pub fn of(a: &Rank, b: &Rank) -> Self {
        if a.host != b.host {
            return Self::AcrossNodes;
        }
        let one_cpu = a.cpus.len() == 1 && a.cpus == b.cpus;
        match (a.package, b.package) {
            _ if one_cpu => Self::SameCore,
            (Some(p), Some(q)) if p != q => Self::AcrossSockets,
            // Cores are numbered within their package.
            (Some(_), Some(_)) if a.core.is_some() && a.core == b.core => Self::SameCore,
            (Some(_), Some(_)) => Self::SameSocket,
            _ => Self::SameNode,
        }
    }
}

/// Two ranks that exchange messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pair {
    /// The rank with the smaller number.
    pub first: u32,
    /// Its partner.
    pub second: u32,
    /// How close they run.
    pub closeness: Closeness,
}

/// The pairs among `ranks`, each once, by the smaller number. A partner that is not among them makes no pair.
pub fn pairs(ranks: &[Rank]) -> Vec<Pair> {
    let by_number: BTreeMap<u32, &Rank> = ranks.iter().map(|rank| (rank.rank, rank)).collect();
    let mut found: Vec<Pair> = by_number
        .values()
        .filter_map(|rank| {
            let partner = by_number.get(&rank.partner?)?;
            // A pair that both ranks name counts once; a rank is not its own partner.
            let once = rank.rank < partner.rank || (rank.rank > partner.rank && partner.partner != Some(rank.rank));
            let (first, second) = (rank.rank.min(partner.rank), rank.rank.max(partner.rank));
            once.then(|| Pair { first, second, closeness: Closeness::of(rank, partner) })
        })
        .collect();
    found.order_by_key(|pair| (pair.first, pair.second));
    found
}

/// How many pairs there are of each closeness that occurs, from the closest to the farthest.
pub fn counts(pairs: &[Pair]) -> Vec<(Closeness, usize)> {
    let count = |c: Closeness| (c, pairs.iter().filter(|pair| pair.closeness == c).count());
    Closeness::ALL.into_iter().map(count).filter(|(_, n)| *n > 0).collect()
}
