//! Messages between every two ranks, in rounds of a tournament: `pair_matrix`.

use paw_data::axis;
use paw_data::cell::Combine;
use paw_data::outcome::Check;
use paw_data::point::AxisValue;
use paw_data::quantity::Quantity;
use paw_data::tournament::{opponent, sampled};
use paw_data::work::Work;
use paw_foreign::mpi::{Datatype, Message, Part};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::error::broken;
use super::pair::{self, Pair};
use super::partner::Side;
use super::send::round_trips;
use super::{BY_PAIRS, PAIRWISE};
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Values};
use crate::host::Host;
use crate::teamwork::Teamwork;

/// Half of a round trip between every two ranks.
pub const PAIR_MATRIX: Benchmark = Own {
    name: "pair_matrix",
    purpose: "Which link, or which node, is slower than its like?",
    timed: "lower rank of a pair: MPI_Send, MPI_Recv | higher rank: MPI_Recv, MPI_Send; one pair after the other, or all pairs of a round at once",
    formula: "2*8*n; bytes of a round trip of one pair, the time is that of one message of the slowest pair",
    work: |point| Work { bytes: 2.0 * pair::message_bytes(point), messages: 2.0, operations: 2.0, ..Work::default() },
    start,
}
.of(Common {
    headline: Quantity::Time,
    providers: Providers::Mpi(Teamwork { combine: Combine::Pairs, guide: Combine::Pairs, ..BY_PAIRS }),
    axes: &[MESSAGES, LOAD, ROUND],
    variables: &["PAW_MPI_LIBRARY"],
    by_name: true,
    ..PAIRWISE
});

/// A message whose time is latency, and one whose time is bandwidth.
const MESSAGES: Axis =
    Axis { name: axis::N, meaning: "elements of 8 bytes in a message", values: Values::Ints(&[1, 131_072]) };
const LOAD: Axis = Axis {
    name: axis::LOAD,
    meaning: "what else passes the network: nothing (none), or the messages of the other pairs of the round (others)",
    values: Values::Each(&["none", "others"]),
};
const ROUND: Axis = Axis {
    name: axis::ROUND,
    meaning: "round of a tournament in which every two ranks meet once; of more than 64 ranks, 63 rounds that are spread evenly",
    values: Values::Machine(rounds),
};

fn rounds(host: &Host) -> Vec<AxisValue> {
    sampled(host.ranks.size()).into_iter().map(|round| AxisValue::Int(round as i64)).collect()
}

/// Tag of the message that says whose turn it is.
const TURN: i32 = 2;

struct PairMatrix {
    pair: Pair,
    /// Whose turn it is before and after; `None`: all pairs send at once.
    turn: Option<Turn>,
}

/// The pairs before and after in a round, by their lower ranks.
struct Turn {
    before: Option<usize>,
    after: Option<usize>,
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let world = start.engine.world()?;
    let (rank, ranks) = (world.rank(), world.size());
    let round = usize::try_from(start.point.int(axis::ROUND).unwrap_or(0)).unwrap_or(0);
    let partner = opponent(rank, ranks, round);
    let side = Side { partner, is_first: rank < partner };
    let pair = Pair::on_side(world, side, pair::elements(start.point)?, Datatype::Double)?;
    let turn = (start.point.text(axis::LOAD) != Some("others")).then(|| turn(rank.min(partner), ranks, round));
    Ok(Box::new(PairMatrix { pair, turn }))
}

/// The turns before and after that of the pair whose lower rank is `own`.
fn turn(own: usize, ranks: usize, round: usize) -> Turn {
    let is_lower = |rank: &usize| *rank < opponent(*rank, ranks, round);
    Turn { before: (0..own).rev().find(is_lower), after: (own + 1..ranks).find(is_lower) }
}

impl PairMatrix {
    /// A message without content to or from `other`.
    fn sign(&self, other: usize) -> Result<Message<'_>, Fault> {
        Message::new(self.pair.comm, &self.pair.memory, Part::new(0, 0, Datatype::Byte), other, TURN).map_err(broken)
    }

    /// Waits for the turn of this pair: the lower rank hears from the pair before, and the higher from the lower.
    fn begin(&self, turn: &Turn) -> Result<(), Fault> {
        if !self.pair.is_first {
            return self.sign(self.pair.partner)?.recv().map_err(broken);
        }
        if let Some(before) = turn.before {
            self.sign(before)?.recv().map_err(broken)?;
        }
        self.sign(self.pair.partner)?.send().map_err(broken)
    }

    /// Passes the turn on.
    fn end(&self, turn: &Turn) -> Result<(), Fault> {
        match turn.after {
            Some(after) if self.pair.is_first => self.sign(after)?.send().map_err(broken),
            _ => Ok(()),
        }
    }
}

impl Timed for PairMatrix {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        let [out, into] = self.pair.messages()?;
        self.turn.iter().try_for_each(|turn| self.begin(turn))?;
        let start = clock.start();
        round_trips(&out, &into, self.pair.is_first, loops)?;
        let stop = clock.stop();
        self.turn.iter().try_for_each(|turn| self.end(turn))?;
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.pair.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.pair.check())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_pass_from_the_first_pair_to_the_last() {
        for round in 0..7 {
            let mut order = vec![0];
            while let Some(after) = turn(order[order.len() - 1], 8, round).after {
                assert_eq!(turn(after, 8, round).before, order.last().copied());
                order.push(after);
            }
            assert_eq!(order.len(), 4, "round {round}: every pair has its turn");
            assert_eq!(turn(0, 8, round).before, None);
        }
    }
}
