//! How ranks work together on a benchmark: how many, whose time counts, how MPI is initialised.

use paw_data::cell::Combine;
use paw_foreign::mpi::ThreadLevel;

/// How the ranks of an MPI benchmark work together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Teamwork {
    /// How many ranks it needs.
    pub ranks: Ranks,
    /// How the readings of the ranks are combined.
    pub combine: Combine,
    /// How PAW's guide combines the readings.
    pub guide: Combine,
    /// Whether a job can repeat the benchmark.
    pub series: Series,
    /// The thread level to initialise MPI with if it is measured alone and no level is typed; `None`: `MPI_Init`.
    pub thread_level: Option<ThreadLevel>,
    /// Who carries what is measured from rank to rank.
    pub carrier: Carrier,
}

/// Who carries what is measured from rank to rank. In both cases the ranks agree by MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// MPI.
    Mpi,
    /// The library of collectives between the ranks' devices: NCCL or RCCL.
    Devices,
}

/// Whether a benchmark can be repeated within a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Series {
    /// As many samples as the method takes.
    ByMethod,
    /// One sample a job.
    Once,
}

/// How many ranks a benchmark needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranks {
    /// Exactly two ranks.
    Two,
    /// An even number: rank i works with rank i + P/2.
    Pairs,
    /// An even number, four or more: every other pair works, and the pairs between them load the network.
    TwoPairs,
    /// Two or more ranks.
    Several,
}

impl Ranks {
    /// The number of ranks needed, in words.
    pub fn words(self) -> &'static str {
        match self {
            Ranks::Two => "exactly 2 ranks",
            Ranks::Pairs => "an even number of ranks, since rank i works with rank i + P/2",
            Ranks::TwoPairs => "an even number of ranks, 4 or more, since every other pair loads the network",
            Ranks::Several => "2 ranks or more",
        }
    }

    /// The number of ranks that suits and is closest to `ranks`, no more than it where there is one.
    pub fn nearest(self, ranks: usize) -> usize {
        match self {
            Ranks::Two => 2,
            Ranks::Pairs => (ranks - ranks % 2).max(2),
            Ranks::TwoPairs => (ranks - ranks % 2).max(4),
            Ranks::Several => ranks.max(2),
        }
    }

    /// Refuses a number of ranks that does not suit, with the number needed in words.
    pub fn suit(self, ranks: usize) -> Result<(), &'static str> {
        match self {
            Ranks::Two if ranks != 2 => Err(self.words()),
            Ranks::Pairs if ranks < 2 || ranks % 2 == 1 => Err(self.words()),
            Ranks::TwoPairs if ranks < 4 || ranks % 2 == 1 => Err(self.words()),
            Ranks::Several if ranks < 2 => Err(self.words()),
            Ranks::Two | Ranks::Pairs | Ranks::TwoPairs | Ranks::Several => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ranks;

    #[test]
    fn the_nearest_number_of_ranks_suits() {
        for needed in [Ranks::Two, Ranks::Pairs, Ranks::TwoPairs, Ranks::Several] {
            for ranks in 0..20 {
                let nearest = needed.nearest(ranks);
                assert!(needed.suit(nearest).is_ok(), "{needed:?}: {nearest} for {ranks}");
                assert!(
                    needed.suit(ranks).is_err() || needed == Ranks::Two || nearest == ranks,
                    "{needed:?} of {ranks}"
                );
            }
        }
        assert_eq!((Ranks::TwoPairs.nearest(3), Ranks::Pairs.nearest(7)), (4, 6));
    }
}
