//! Pairs of ranks: the two halves, as in PAW, or neighbours.

use paw_data::axis;
use paw_data::point::Point;

/// The team of halves, and of what has no pairs.
const HALVES: u32 = 0;
/// The team of adjacent ranks.
const ADJACENT: u32 = 1;
/// The team whose pairs are others at every point.
const CHANGING: u32 = 2;

/// Id of the team whose pairs a point has.
pub fn team(point: &Point) -> u32 {
    let is_changing = point.int(axis::ROUND).is_some() || point.int(axis::CUT).is_some_and(|cut| cut != 0);
    match Pairing::of(point) {
        _ if is_changing => CHANGING,
        Pairing::Adjacent => ADJACENT,
        Pairing::Halves => HALVES,
    }
}

/// The pairs of a team; `None` where they change from point to point.
pub fn pairing(team: u32) -> Option<Pairing> {
    match team {
        CHANGING => None,
        ADJACENT => Some(Pairing::Adjacent),
        _ => Some(Pairing::Halves),
    }
}

/// How ranks are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Rank i with rank i + P/2.
    Halves,
    /// Rank 2i with rank 2i + 1.
    Adjacent,
}

/// One side of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// The other side's rank.
    pub partner: usize,
    /// Whether this rank begins: a rank of the first half, or an even one.
    pub is_first: bool,
}

impl Pairing {
    /// The pairing of a point.
    pub fn of(point: &Point) -> Self {
        if point.text(axis::PAIRS) == Some("adjacent") { Self::Adjacent } else { Self::Halves }
    }

    /// The side of `rank` among an even number of `ranks`.
    pub fn side(self, rank: usize, ranks: usize) -> Side {
        let half = ranks / 2;
        match self {
            Self::Halves if rank < half => Side { partner: rank + half, is_first: true },
            Self::Halves => Side { partner: rank - half, is_first: false },
            Self::Adjacent => Side { partner: rank ^ 1, is_first: rank.is_multiple_of(2) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_are_each_others_and_one_of_them_is_first() {
        for pairing in [Pairing::Halves, Pairing::Adjacent] {
            for ranks in [2, 4, 6, 64] {
                for rank in 0..ranks {
                    let mine = pairing.side(rank, ranks);
                    let other = pairing.side(mine.partner, ranks);
                    assert_eq!(other.partner, rank, "{pairing:?} of {ranks}");
                    assert_ne!(other.is_first, mine.is_first, "{pairing:?} of {ranks}");
                }
            }
        }
        assert_eq!(Pairing::Halves.side(1, 6).partner, 4);
        assert_eq!(Pairing::Adjacent.side(1, 6).partner, 0);
    }
}
