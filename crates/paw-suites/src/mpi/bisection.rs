//! Messages over the middle of the machine: `bisection`.
//!
//! Random halves are those of the effective bisection bandwidth of T. Hoefler, T. Schneider and A. Lumsdaine (Multistage switches are not
//! crossbars: Effects of static routing in high-performance networks, IEEE Cluster 2008), which averages over pairs; here the slowest pair
//! counts, as in every other exchange of pairs, so that it is less. One half that the launcher's order makes may lie behind one switch.

use paw_data::axis;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;
use paw_stats::split_mix;

use super::isend::Bidir;
use super::pair;
use super::partner::{Pairing, Side};
use super::{BY_PAIRS, PAIRWISE};
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Values};

/// Both directions of all pairs of two halves at once.
pub const BISECTION: Benchmark = Own {
    name: "bisection",
    purpose: "What bandwidth do two halves of the ranks have to each other, however they are cut?",
    timed: "first half: MPI_Isend, MPI_Irecv, MPI_Waitall | second half: MPI_Irecv, MPI_Isend, MPI_Waitall; all pairs at once",
    formula: pair::EXCHANGE,
    work: pair::exchange,
    start,
}
.of(Common {
    providers: Providers::Mpi(BY_PAIRS),
    axes: &[MESSAGES, CUT],
    variables: &["PAW_MPI_LIBRARY"],
    by_name: true,
    ..PAIRWISE
});

const MESSAGES: Axis =
    Axis { name: axis::N, meaning: "elements of 8 bytes in a message", values: Values::Ints(&[131_072]) };
const CUT: Axis = Axis {
    name: axis::CUT,
    meaning: "the ranks' first half and their second (0), or random halves: a number is a cut, the same in every run",
    values: Values::Ints(&[0, 1, 2, 3, 4]),
};

/// The seed of all cuts; a cut's number is added.
const SEED: u64 = 1_612_500;

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let world = start.engine.world()?;
    let cut = start.point.int(axis::CUT).unwrap_or(0);
    let cut = u64::try_from(cut).map_err(|_| Fault::Missing(format!("cut={cut} is none: cuts count from 0 on")))?;
    let side = side(world.rank(), world.size(), cut);
    Ok(Box::new(Bidir::on_side(world, side, pair::elements(start.point)?)?))
}

/// The side of `rank` among an even number of `ranks`: of the halves in the order of ranks, or of a shuffled one.
fn side(rank: usize, ranks: usize, cut: u64) -> Side {
    if cut == 0 {
        return Pairing::Halves.side(rank, ranks);
    }
    let mut order: Vec<usize> = (0..ranks).collect();
    split_mix::shuffle(&mut order, SEED + cut);
    let place = order.iter().position(|other| *other == rank).unwrap_or(0);
    let Side { partner, is_first } = Pairing::Halves.side(place, ranks);
    Side { partner: order[partner], is_first }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::side;

    #[test]
    fn partners_of_a_cut_are_each_others_and_lie_in_both_halves() {
        for cut in 0..9 {
            for ranks in [2, 4, 6, 64] {
                for rank in 0..ranks {
                    let mine = side(rank, ranks, cut);
                    let other = side(mine.partner, ranks, cut);
                    assert_eq!((other.partner, other.is_first), (rank, !mine.is_first), "cut {cut} of {ranks}");
                }
            }
        }
    }

    #[test]
    fn cuts_differ() {
        let of = |cut| (0..64).map(|rank| side(rank, 64, cut).partner).collect::<Vec<_>>();
        assert_eq!((0..5).map(of).collect::<BTreeSet<_>>().len(), 5);
        assert_eq!(of(3), of(3));
    }
}
