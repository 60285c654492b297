//! Rounds in which every rank meets every other once: the circle method of round-robin tournaments.

/// The most rounds that are measured unless the user names some: every pair of 64 ranks meets in them.
const ROUNDS_MAX: usize = 63;

/// How many rounds an even number of `ranks` needs until all have met.
pub fn rounds(ranks: usize) -> usize {
    ranks.saturating_sub(1)
}

/// The rounds to measure: all, or as many as 64 ranks have, spread evenly, so that every rank meets equally many.
pub fn sampled(ranks: usize) -> Vec<usize> {
    let all = rounds(ranks);
    let count = all.min(ROUNDS_MAX);
    (0..count).map(|index| index * all / count).collect()
}

/// Whom `rank` of an even number of `ranks` meets in `round`: two whose numbers add up to the round, modulo one less than there are
/// ranks; the one that would meet itself meets the last.
pub fn opponent(rank: usize, ranks: usize, round: usize) -> usize {
    let last = ranks - 1;
    let against = |rank: usize| (round % last + last - rank) % last;
    if rank == last {
        // Twice its number is the round: half of all ranks is the inverse of two.
        return round % last * (ranks / 2) % last;
    }
    if against(rank) == rank { last } else { against(rank) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_two_meet_once() {
        for ranks in [2, 4, 6, 8, 64, 100] {
            let mut met = BTreeSet::new();
            for round in 0..rounds(ranks) {
                for rank in 0..ranks {
                    let other = opponent(rank, ranks, round);
                    assert!(other != rank && opponent(other, ranks, round) == rank, "{rank} of {ranks} in {round}");
                    assert!(rank > other || met.insert((rank, other)), "{rank} and {other} of {ranks} meet again");
                }
            }
            assert_eq!(met.len(), ranks * (ranks - 1) / 2, "of {ranks}");
        }
    }

    #[test]
    fn of_many_ranks_every_one_meets_equally_many() {
        assert_eq!(sampled(4), [0, 1, 2]);
        assert_eq!(sampled(64).len(), 63);
        let some: BTreeSet<usize> = sampled(1000).into_iter().collect();
        assert_eq!((some.len(), some.first(), some.last()), (63, Some(&0), Some(&983)));
    }
}
