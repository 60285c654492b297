//! Short messages while other ranks load the network: `congestion`.
//!
//! The question of GPCNeT (S. Chunduri et al., GPCNeT: Designing a Benchmark Suite for Inducing and Measuring Contention in HPC Networks,
//! SC 2019): what does a message of one job cost while another job loads the links that both use?

use paw_data::axis;
use paw_data::outcome::Check;
use paw_data::quantity::Quantity;
use paw_data::work::Work;
use paw_foreign::mpi::{Comm, Datatype, Message, Part, Requests};
use paw_measure::clock::Clock;
use paw_measure::fault::Fault;
use paw_measure::workload::Timed;

use super::error::broken;
use super::pair::{self, Pair};
use super::partner::{Pairing, Side};
use super::send::round_trips;
use super::{BY_PAIRS, PAIRWISE};
use crate::answer;
use crate::benchmark::{Axis, Benchmark, Common, Own, Providers, Start, Values};
use crate::teamwork::{Ranks, Teamwork};

/// Half of a round trip of every other pair, while the pairs between them load the network.
pub const CONGESTION: Benchmark = Own {
    name: "congestion",
    purpose: "How much longer does a short message take while others load the network?",
    timed: "even pairs, lower rank: MPI_Send, MPI_Recv | higher rank: MPI_Recv, MPI_Send; odd pairs load the network meanwhile",
    formula: "2*8*n; bytes of a round trip of one pair, the time is that of one message of the slowest pair",
    work: |point| Work { bytes: 2.0 * pair::message_bytes(point), messages: 2.0, operations: 2.0, ..Work::default() },
    start,
}
.of(Common {
    headline: Quantity::Time,
    providers: Providers::Mpi(Teamwork { ranks: Ranks::TwoPairs, ..BY_PAIRS }),
    axes: &[MESSAGES, LOAD],
    variables: &["PAW_MPI_LIBRARY"],
    by_name: true,
    ..PAIRWISE
})
.alternatives(axis::LOAD, NONE);

const NONE: &str = "none";
const FAN_IN: &str = "fan_in";

const MESSAGES: Axis =
    Axis { name: axis::N, meaning: "elements of 8 bytes in a timed message", values: Values::Ints(&[1]) };
const LOAD: Axis = Axis {
    name: axis::LOAD,
    meaning: "what the odd pairs do meanwhile: nothing (none), send each other 128 KiB both ways without pause (streams), or all send them \
              to rank 1 (fan_in)",
    values: Values::Each(&[NONE, "streams", FAN_IN]),
};

/// Doubles of a message that loads the network.
const LOAD_COUNT: i32 = 16_384;

/// Seconds of messages before the first that is timed, in which the load builds up.
const WARM_S: f64 = 2e-3;

/// The rank that hears when all timed messages are done, and the one that all others send to by `fan_in`.
const LEADER: usize = 1;

/// Tags: a timed pair is done, the load ends, a message of the load, and whether it goes on.
const DONE: i32 = 2;
const STOP: i32 = 3;
const BULK: i32 = 4;
const ON: i32 = 5;

/// What the first double of a message says: another follows, or none.
const MORE: f64 = 1.0;
const LAST: f64 = 0.0;

/// Whether `rank` of `ranks` is in an odd pair, which loads the network.
fn is_load(rank: usize, ranks: usize) -> bool {
    rank % (ranks / 2) % 2 == 1
}

/// The lower ranks of the even pairs, or of the odd ones.
fn lower_ranks(ranks: usize, load: bool) -> impl Iterator<Item = usize> {
    (0..ranks / 2).filter(move |rank| is_load(*rank, ranks) == load)
}

fn start(start: &Start<'_>) -> Result<Box<dyn Timed>, Fault> {
    let world = start.engine.world()?;
    let (rank, ranks) = (world.rank(), world.size());
    let load = start.point.text(axis::LOAD).unwrap_or(NONE);
    let side = Pairing::Halves.side(rank, ranks);
    if !is_load(rank, ranks) {
        let pair = Pair::on_side(world, side, pair::elements(start.point)?, Datatype::Double)?;
        return Ok(Box::new(TimedPair { pair, is_loaded: load != NONE }));
    }
    let others: Vec<usize> = (0..ranks).filter(|rank| *rank != LEADER && is_load(*rank, ranks)).collect();
    let from = match load {
        NONE => Vec::new(),
        FAN_IN if rank == LEADER => others,
        FAN_IN => vec![LEADER],
        _ => vec![side.partner],
    };
    let bulk = |slot: usize| Part::new(slot * 8 * LOAD_COUNT as usize, LOAD_COUNT, Datatype::Double);
    let memory = world.memory(bulk(from.len() + 1).offset_bytes())?;
    let requests = Requests::new(world.comm(), memory, from.len() + 1);
    Ok(Box::new(Load { side, from, is_fan_in: load == FAN_IN, requests, comm: world.comm(), bulk }))
}

/// A pair whose messages are timed.
struct TimedPair {
    pair: Pair,
    is_loaded: bool,
}

impl TimedPair {
    /// Round trips until the load has built up: the lower rank's messages say whether another follows.
    fn warm_up(&self, clock: &Clock) -> Result<(), Fault> {
        let [out, into] = self.pair.messages()?;
        let began = clock.start();
        loop {
            let word = if self.pair.is_first {
                let word = if clock.seconds(began, clock.stop()) < WARM_S { MORE } else { LAST };
                self.pair.memory.write_doubles(self.pair.out.offset_bytes(), &[word]);
                out.send().map_err(broken)?;
                into.recv().map_err(broken)?;
                word
            } else {
                into.recv().map_err(broken)?;
                out.send().map_err(broken)?;
                self.pair.memory.read_doubles(first(self.pair.into))[0]
            };
            if word == LAST {
                self.pair.refill();
                return Ok(());
            }
        }
    }

    /// Tells the leader of the load that this pair is done.
    fn end(&self) -> Result<(), Fault> {
        let done = Message::new(self.pair.comm, &self.pair.memory, nothing(), LEADER, DONE).map_err(broken)?;
        done.send().map_err(broken)
    }
}

/// The first double of `part`.
fn first(part: Part) -> Part {
    Part::new(part.offset_bytes(), 1, Datatype::Double)
}

/// A message without content.
fn nothing() -> Part {
    Part::new(0, 0, Datatype::Byte)
}

impl Timed for TimedPair {
    fn time(&mut self, loops: u64, clock: &Clock) -> Result<f64, Fault> {
        if self.is_loaded {
            self.warm_up(clock)?;
        }
        let [out, into] = self.pair.messages()?;
        let start = clock.start();
        round_trips(&out, &into, self.pair.is_first, loops)?;
        let stop = clock.stop();
        if self.is_loaded && self.pair.is_first {
            self.end()?;
        }
        Ok(clock.seconds(start, stop))
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.pair.refill();
        self.time(1, &Clock::monotonic())?;
        Ok(self.pair.check())
    }
}

/// A rank that loads the network; without anybody to receive from it does nothing.
struct Load<F> {
    side: Side,
    /// Whom messages come from.
    from: Vec<usize>,
    is_fan_in: bool,
    requests: Requests,
    comm: Comm,
    /// Where the message of each slot lies; the last is the one sent.
    bulk: F,
}

impl<F: Fn(usize) -> Part> Load<F> {
    fn sign(&self, other: usize, tag: i32) -> Result<Message<'_>, Fault> {
        Message::new(self.comm, self.requests.memory(), nothing(), other, tag).map_err(broken)
    }

    /// Whether all that this rank waits for have sent their sign.
    fn have_come(&self, waiting: &mut Vec<usize>, tag: i32) -> Result<bool, Fault> {
        while let Some(other) = waiting.last().copied() {
            if !self.comm.is_there(other, tag).map_err(broken)? {
                return Ok(false);
            }
            self.sign(other, tag)?.recv().map_err(broken)?;
            waiting.pop();
        }
        Ok(true)
    }

    /// Messages both ways between the two of a pair; those of the lower rank say whether another follows.
    fn stream(&mut self) -> Result<(), Fault> {
        let (rank, ranks) = (self.comm.rank(), self.comm.size());
        let mut waiting = if rank == LEADER { lower_ranks(ranks, false).collect() } else { vec![LEADER] };
        let tag = if rank == LEADER { DONE } else { STOP };
        let [into, out] = [(self.bulk)(0), (self.bulk)(1)];
        loop {
            let is_last = self.side.is_first && self.have_come(&mut waiting, tag)?;
            let word = if is_last { LAST } else { MORE };
            self.requests.memory().write_doubles(out.offset_bytes(), &[word]);
            self.requests.irecv(0, into, self.side.partner, BULK).map_err(broken)?;
            self.requests.isend(1, out, self.side.partner, BULK).map_err(broken)?;
            self.requests.wait_all().map_err(broken)?;
            let heard = || self.requests.memory().read_doubles(first(into))[0] == LAST;
            if is_last || (!self.side.is_first && heard()) {
                break;
            }
        }
        let mut others = lower_ranks(ranks, true).filter(|other| rank == LEADER && *other != LEADER);
        others.try_for_each(|other| self.sign(other, STOP)?.send().map_err(broken))
    }

    /// Messages of all others of the load to its leader, who says after each whether another follows.
    fn fan_in(&mut self) -> Result<(), Fault> {
        let (ranks, out) = (self.comm.size(), (self.bulk)(self.from.len()));
        let mut waiting: Vec<usize> = lower_ranks(ranks, false).collect();
        loop {
            if self.comm.rank() != LEADER {
                self.comm.send(self.requests.memory(), out, LEADER, BULK).map_err(broken)?;
                self.comm.recv(self.requests.memory(), first(out), LEADER, ON).map_err(broken)?;
                if self.requests.memory().read_doubles(first(out))[0] == LAST {
                    return Ok(());
                }
                continue;
            }
            for (slot, other) in self.from.iter().enumerate() {
                self.requests.irecv(slot, (self.bulk)(slot), *other, BULK).map_err(broken)?;
            }
            self.requests.wait_all().map_err(broken)?;
            let is_last = self.have_come(&mut waiting, DONE)?;
            self.requests.memory().write_doubles(out.offset_bytes(), &[if is_last { LAST } else { MORE }]);
            for other in &self.from {
                self.comm.send(self.requests.memory(), first(out), *other, ON).map_err(broken)?;
            }
            if is_last {
                return Ok(());
            }
        }
    }
}

impl<F: Fn(usize) -> Part> Timed for Load<F> {
    fn time(&mut self, _loops: u64, _clock: &Clock) -> Result<f64, Fault> {
        match (self.from.is_empty(), self.is_fan_in) {
            (true, _) => {}
            (false, true) => self.fan_in()?,
            (false, false) => self.stream()?,
        }
        Ok(0.0)
    }

    fn verify(&mut self) -> Result<Check, Fault> {
        self.time(1, &Clock::monotonic())?;
        Ok(answer::exact("the timed messages are checked by those who receive them", None))
    }

    fn takes_part(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_pair_loads_the_network() {
        for ranks in [4, 6, 8, 64] {
            assert!(!is_load(0, ranks) && is_load(LEADER, ranks), "rank 0 is timed, and rank 1 leads the load");
            for rank in 0..ranks {
                let partner = Pairing::Halves.side(rank, ranks).partner;
                assert_eq!(is_load(rank, ranks), is_load(partner, ranks), "{rank} of {ranks}");
            }
            let pairs = lower_ranks(ranks, true).count() + lower_ranks(ranks, false).count();
            assert_eq!(pairs, ranks / 2);
        }
    }
}
